// Charts: data from an endpoint, colours of the page, words of its language. Labels are drawn on a canvas, as text.
(() => {
  const drawn = new Map();

  const colour = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();
  const chartOf = async (id) => {
    for (let i = 0; i < 200; i++) {
      const chart = getElement(id)?.chart;
      if (chart) return chart;
      await new Promise((done) => setTimeout(done, 50));
    }
    return null;
  };
  const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);
  const number = (value) => value.toLocaleString(document.documentElement.lang || "en");
  const share = (value, total) => (total ? ((100 * value) / total).toFixed(1) + "%" : "–");
  const common = (words) => ({
    aria: { enabled: true, label: { description: words.title } },
    animation: false,
    textStyle: { color: colour("--ink"), fontFamily: "system-ui, sans-serif" },
    tooltip: {
      renderMode: "richText", confine: true, backgroundColor: colour("--paper"), borderColor: colour("--line"),
      textStyle: { color: colour("--ink"), fontSize: 13 },
    },
  });
  const axis = () => ({
    axisLabel: { color: colour("--quiet") }, axisLine: { lineStyle: { color: colour("--line") } }, axisTick: { show: false },
    splitLine: { lineStyle: { color: colour("--line") } },
  });
  const legend = () => ({ top: 0, left: 0, itemWidth: 14, itemHeight: 10, textStyle: { color: colour("--quiet") } });
  const labelled = (labels, words) => labels.map((label) => (label === null ? words.missing : label));

  const makers = {
    // Values of a column: a bar before, a bar after.
    paired(data, words) {
      const labels = labelled(data.labels, words), before = [...data.before], after = [...data.after];
      if (data.pooled_before || data.pooled_after) {
        labels.push(words.other); before.push(data.pooled_before); after.push(data.pooled_after);
      }
      const total = before.reduce((a, b) => a + b, 0);
      const narrow = window.innerWidth < 720;
      return {
        height: 70 + labels.length * 30,
        option: {
          ...common(words), legend: legend(), color: [colour("--before"), colour("--accent")],
          grid: { top: 34, left: 8, right: 24, bottom: 8, containLabel: true },
          tooltip: {
            ...common(words).tooltip, trigger: "axis", axisPointer: { type: "none" },
            formatter: (all) => [short(labels[all[0].dataIndex], 80),
              ...all.map((one) => `${one.seriesName}: ${number(one.value)} (${share(one.value, total)})`)].join("\n"),
          },
          xAxis: { type: "value", ...axis(), axisLabel: { color: colour("--quiet"), formatter: (v) => share(v, total).replace(".0", "") }, splitNumber: narrow ? 2 : 5 },
          yAxis: { type: "category", inverse: true, data: labels.map((one) => short(one, narrow ? 14 : 28)), ...axis(), axisLabel: { color: colour("--ink") } },
          series: [
            { name: words.before, type: "bar", data: before, barGap: "10%", barCategoryGap: "35%" },
            { name: words.after, type: "bar", data: after },
          ],
        },
      };
    },
    // Sizes of classes: a column before, a column after.
    sizes(data, words) {
      const total = data.before.reduce((a, b) => a + b, 0);
      const least = data.labels.findIndex((one) => parseInt(one.replace(/\D.*$/, ""), 10) >= data.threshold);
      return {
        height: 300,
        option: {
          ...common(words), legend: legend(), color: [colour("--before"), colour("--accent")],
          grid: { top: 44, left: 8, right: 8, bottom: 24, containLabel: true },
          tooltip: {
            ...common(words).tooltip, trigger: "axis", axisPointer: { type: "none" },
            formatter: (all) => [`${words.size} ${data.labels[all[0].dataIndex]}`,
              ...all.map((one) => `${one.seriesName}: ${number(one.value)} (${share(one.value, total)})`)].join("\n"),
          },
          xAxis: { type: "category", data: data.labels, ...axis(), name: words.size, nameLocation: "middle", nameGap: 28, nameTextStyle: { color: colour("--quiet") } },
          yAxis: { type: "value", ...axis(), axisLabel: { color: colour("--quiet"), formatter: (v) => share(v, total).replace(".0", "") } },
          series: [
            {
              name: words.before, type: "bar", barGap: "10%", barCategoryGap: "40%",
              data: data.before.map((value, i) => (i < least ? { value, itemStyle: { color: colour("--sensitive-line") } } : value)),
            },
            { name: words.after, type: "bar", data: data.after },
          ],
        },
      };
    },
    // ROC curves: dashed from the original, whole from the release.
    curves(data, words) {
      const colours = ["--accent", "--warned", "--good", "--bad", "--quiet"].map(colour);
      const line = (name, values, at, type) => ({
        name, type: "line", showSymbol: false, data: values.map((value, i) => [data.rates[i], value]),
        lineStyle: { type, width: 2, color: colours[at % colours.length] }, itemStyle: { color: colours[at % colours.length] },
      });
      const percent = (v) => Math.round(100 * v) + "%";
      return {
        height: 380,
        option: {
          ...common(words), legend: { ...legend(), type: "scroll", right: 0 }, grid: { top: 44, left: 8, right: 16, bottom: 28, containLabel: true },
          xAxis: { type: "value", min: 0, max: 1, name: words.false, nameLocation: "middle", nameGap: 28, ...axis(), nameTextStyle: { color: colour("--quiet") }, axisLabel: { color: colour("--quiet"), formatter: percent } },
          yAxis: { type: "value", min: 0, max: 1, name: words.true, ...axis(), nameTextStyle: { color: colour("--quiet"), align: "left" }, axisLabel: { color: colour("--quiet"), formatter: percent } },
          series: data.curves.flatMap((one, i) => [
            line(`${one.name}, ${words.before}`, one.before, i, "dashed"), line(`${one.name}, ${words.after}`, one.after, i, "solid"),
          ]),
        },
      };
    },
    // Pairs of two columns' values: the darker, the more records.
    heat(data, words) {
      const rows = [...labelled(data.rows, words), words.other], columns = [...labelled(data.columns, words), words.other];
      const cells = data[words.when], all = cells.flat(), total = all.reduce((a, b) => a + b, 0);
      const own = (table) => table.slice(0, -1).flatMap((row) => row.slice(0, -1));  // what is pooled would outshine the rest
      const most = Math.max(1, ...own(data.before), ...own(data.after));
      return {
        height: 90 + rows.length * 30,
        option: {
          ...common(words), grid: { top: 8, left: 14, right: 8, bottom: 8, containLabel: true },
          tooltip: {
            ...common(words).tooltip,
            formatter: (one) => `${short(rows[one.value[1]], 60)} · ${short(columns[one.value[0]], 60)}\n${number(one.value[2])} (${share(one.value[2], total)})`,
          },
          visualMap: { show: false, min: 0, max: most, inRange: { color: [colour("--soft"), colour("--accent")] } },
          xAxis: { type: "category", data: columns.map((one) => short(one, 16)), ...axis(), splitLine: { show: false }, axisLabel: { color: colour("--quiet"), rotate: 40 } },
          yAxis: { type: "category", inverse: true, data: rows.map((one) => short(one, 16)), ...axis(), splitLine: { show: false }, axisLabel: { color: colour("--ink") } },
          series: [{
            type: "heatmap", itemStyle: { borderColor: colour("--paper"), borderWidth: 1 },
            data: cells.flatMap((row, y) => row.map((value, x) => [x, y, value])),
          }],
        },
      };
    },
  };

  const draw = async (id) => {
    const { data, kind, words } = drawn.get(id);
    const chart = await chartOf(id);
    if (!chart) return;
    const { option, height } = makers[kind](data, words);
    chart.getDom().style.height = height + "px";
    chart.resize();
    chart.setOption(option, true);
    chart.getDom().dataset.drawn = kind;
  };

  window.nymityChart = async (id, kind, address, words) => {
    const answer = await fetch(address);
    if (!answer.ok) return;
    drawn.set(id, { data: await answer.json(), kind, words });
    await draw(id);
  };

  // Rows of a grid that come as they are scrolled to.
  window.nymityRows = (address) => ({
    getRows: async (wanted) => {
      const answer = await fetch(`${address}&from=${wanted.startRow}&to=${wanted.endRow}`);
      if (!answer.ok) return wanted.failCallback();
      const { rows, total } = await answer.json();
      wanted.successCallback(rows, total);
    },
  });

  new MutationObserver(() => drawn.forEach((_, id) => draw(id))).observe(document.body, { attributeFilter: ["class"] });
})();
