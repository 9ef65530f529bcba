/* The file field of the start page: sends what was chosen or dropped, and shows why it was refused. */
"use strict";
let nymityPrivate = false;
(() => {
  const send = async (zone, file) => {
    if (!file || zone.classList.contains("busy")) return;
    const words = zone.querySelector(".drop-words");
    const before = words.textContent;
    zone.classList.add("busy");
    words.textContent = `${zone.dataset.working} ${file.name}`;
    try {
      const query = new URLSearchParams({ name: file.name, private: nymityPrivate ? "1" : "0" });
      const answer = await fetch(`/api/upload?${query}`, { method: "POST", body: file });
      const told = await answer.json().catch(() => ({ error: { message: `${answer.status}` } }));
      if (told.project) { window.location = `/p/${told.project}`; return; }
      words.textContent = `${zone.dataset.failed}: ${told.error.message}`;
    } catch (error) {
      words.textContent = `${zone.dataset.failed}: ${error.message}`;
    }
    zone.classList.remove("busy");
    if (!words.textContent) words.textContent = before;
  };
  const zoneOf = (event) => event.target.closest && event.target.closest(".drop-zone");
  document.addEventListener("change", (event) => {
    if (event.target.id === "upload") send(zoneOf(event), event.target.files[0]);
  });
  for (const kind of ["dragenter", "dragover"]) {
    document.addEventListener(kind, (event) => {
      const zone = zoneOf(event);
      event.preventDefault();  /* a file that misses the field must not replace the page */
      document.querySelectorAll(".drop-zone").forEach((one) => one.classList.toggle("over", one === zone));
    });
  }
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const zone = zoneOf(event);
    document.querySelectorAll(".drop-zone").forEach((one) => one.classList.remove("over"));
    if (zone) send(zone, event.dataTransfer.files[0]);
  });
})();
