(function () {
  "use strict";
  const plots = JSON.parse(document.getElementById("plots").textContent);
  const options = { mode: "vega-lite", renderer: "svg", actions: false, config: plots.config };
  plots.specs.forEach(function (spec, number) {
    const place = document.getElementById("chart-" + number);
    function fail(error) {
      place.classList.add("chart-failed");
      place.textContent = "This plot could not be drawn: " + error.message;
    }
    try {
      vegaEmbed(place, spec, options).then(function () { place.classList.add("drawn"); }, fail);
    } catch (error) {
      fail(error);
    }
  });
  window.addEventListener("beforeprint", function () {
    document.querySelectorAll("details").forEach(function (part) { part.open = true; });
  });
})();
