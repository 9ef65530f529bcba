/* Rows for a grid, fetched as they are scrolled to. Columns are c0, c1 …: their names are somebody's data. */
"use strict";
window.nymityText = "";
window.nymityRows = (place) => ({
  getRows: async (asked) => {
    const sort = asked.sortModel.map((one) => (one.sort === "desc" ? "-" : "") + one.colId)[0] || "";
    const query = new URLSearchParams({ start: asked.startRow, end: asked.endRow, sort, text: window.nymityText });
    try {
      const answer = await fetch(`${place}?${query}`);
      if (!answer.ok) throw new Error(`${answer.status}`);
      const found = await answer.json();
      asked.successCallback(found.rows, found.total);
    } catch (error) {
      asked.failCallback();
    }
  },
});
