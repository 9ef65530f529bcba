// The solution space: points on a canvas, fetched once, filtered here; a click says which node is meant.
(() => {
  let state = null;
  const colour = (name) => getComputedStyle(document.body).getPropertyValue(name).trim();
  const percent = (value) => (100 * value).toPrecision(3) + "%";

  const price = (i) => {
    const { data, show } = state;
    return { average: () => data.average[i], risk: () => 1 / data.k[i], suppressed: () => data.suppressed[i] }[show.axis]();
  };

  const draw = () => {
    const { chart, data, words, show } = state;
    const dots = [[], []];
    data.node.forEach((node, i) => {
      if (data.suppressed[i] > show.most || (show.solutions && !data.solution[i])) return;
      dots[data.solution[i]].push([data.loss[i], price(i), i]);
    });
    const axis = {
      axisLabel: { color: colour("--quiet"), hideOverlap: true }, axisLine: { lineStyle: { color: colour("--line") } }, axisTick: { show: false },
      splitLine: { lineStyle: { color: colour("--line") } }, nameTextStyle: { color: colour("--quiet") },
    };
    const series = (name, points, fill, z) => ({
      name, type: "scatter", data: points, symbolSize: 6, z, itemStyle: { color: fill, opacity: 0.6 }, large: false, progressive: 0,
      emphasis: { itemStyle: { opacity: 1, borderColor: colour("--ink"), borderWidth: 1 } },
    });
    const chosen = data.node.indexOf(state.chosen);
    const marked = chosen < 0 ? [] : [[data.loss[chosen], price(chosen), chosen]];
    chart.setOption({
      aria: { enabled: true, label: { description: words.title } }, animation: false, textStyle: { fontFamily: "system-ui, sans-serif" },
      legend: { top: 0, left: 0, itemWidth: 12, itemHeight: 12, textStyle: { color: colour("--quiet") }, data: [words.solution, words.beyond] },
      grid: { top: 56, left: 12, right: 20, bottom: 34, containLabel: true },
      tooltip: {
        renderMode: "richText", confine: true, backgroundColor: colour("--paper"), borderColor: colour("--line"), textStyle: { color: colour("--ink"), fontSize: 13 },
        formatter: ({ value }) => {
          const i = value[2];
          return `${words.node} ${data.node[i]}\n${words.loss}: ${data.loss[i].toPrecision(4)}\n${words.suppressed}: ${percent(data.suppressed[i])}\n${words.average}: ${percent(data.average[i])}\n${words.risk}: ${percent(1 / data.k[i])} (k = ${data.k[i]})`;
        },
      },
      xAxis: { type: "value", scale: true, name: words.loss, nameLocation: "middle", nameGap: 28, ...axis },
      yAxis: { type: "value", name: words[show.axis], ...axis, nameTextStyle: { color: colour("--quiet"), align: "left" }, axisLabel: { color: colour("--quiet"), formatter: (v) => +(100 * v).toPrecision(3) + "%" } },
      series: [
        series(words.beyond, dots[0], colour("--before"), 2), series(words.solution, dots[1], colour("--accent"), 3),
        { type: "scatter", data: marked, symbolSize: 16, z: 4, silent: true, itemStyle: { color: "transparent", borderColor: colour("--ink"), borderWidth: 2 } },
      ],
    }, true);
    const element = chart.getDom();
    element.dataset.shown = dots[0].length + dots[1].length;
  };

  window.nymityExplore = async (id, address, words) => {
    for (let i = 0; i < 200 && !getElement(id)?.chart; i++) await new Promise((done) => setTimeout(done, 50));
    const answer = await fetch(address);
    const chart = getElement(id)?.chart;
    if (!answer.ok || !chart) return;
    state = { chart, data: await answer.json(), words, chosen: null, show: { axis: "average", most: 1, solutions: false } };
    chart.resize();
    chart.on("click", ({ value }) => emitEvent("explore_node", state.data.node[value[2]]));
    draw();
  };
  window.nymityExploreShow = (show) => { if (state) { Object.assign(state.show, show); draw(); } };
  window.nymityExploreChosen = (node) => { if (state) { state.chosen = node; draw(); } };
  new MutationObserver(() => state && draw()).observe(document.body, { attributeFilter: ["class"] });
})();
