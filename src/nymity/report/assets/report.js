(function () {
  "use strict";
  const plots = JSON.parse(document.getElementById("plots").textContent);
  const small = window.matchMedia("screen and (max-width: 620px)");

  // On a small screen titles are broken into lines, legends stand in one column, and names below an axis lie aslant.
  function lines(words, most) {
    return words.split(" ").reduce(function (made, word) {
      const last = made[made.length - 1];
      if (last && (last + " " + word).length <= most) { made[made.length - 1] = last + " " + word; } else { made.push(word); }
      return made;
    }, []);
  }
  function fitted(spec, width) {
    const fitting = JSON.parse(JSON.stringify(spec));
    fitting.layer.forEach(function (layer) {
      const x = layer.encoding.x;
      if (!x || !x.field) { return; }
      if (typeof x.title === "string") { x.title = lines(x.title, width / 16); }
      if (x.axis && x.axis.labelAngle === 0) { x.axis.labelAngle = -40; }
    });
    return fitting;
  }

  function draw() {
    const config = JSON.parse(JSON.stringify(plots.config));
    if (small.matches) { config.legend.columns = 1; }
    const options = { mode: "vega-lite", renderer: "svg", actions: false, config: config };
    plots.specs.forEach(function (spec, number) {
      const place = document.getElementById("chart-" + number);
      function fail(error) {
        place.classList.add("chart-failed");
        place.textContent = "This plot could not be drawn: " + error.message;
      }
      try {
        const shown = small.matches ? fitted(spec, place.clientWidth) : spec;
        vegaEmbed(place, shown, options).then(function () { place.classList.add("drawn"); }, fail);
      } catch (error) {
        fail(error);
      }
    });
  }
  draw();
  small.addEventListener("change", draw);
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (part) { part.open = true; });
  });
})();
