// What htmx does not do by itself: opened details stay open when a page is brought up to date, refusals are said, and
// metrics are drawn. Everything works without it but for the drawing, which has a picture of its own underneath.
"use strict";
(() => {
  let open = null;
  const details = () => [...document.querySelectorAll("#live details[id]")];
  document.addEventListener("htmx:beforeSwap", (event) => {
    const status = event.detail.xhr.status;
    if (status >= 400) {
      // A refusal is text, never markup.
      const place = event.detail.target;
      if (place && place.classList.contains("said")) place.textContent = event.detail.xhr.responseText.slice(0, 500);
      event.detail.shouldSwap = false;
      if (status === 401) location.assign("/login");
      return;
    }
    if (event.detail.target && event.detail.target.id === "live") open = details().map((each) => [each.id, each.open]);
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (open) for (const [id, was] of open) { const found = document.getElementById(id); if (found) found.open = was; }
    open = null;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful && event.target.id === "begin") event.target.reset();
  });
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const plot = (place) => {
    const days = place.dataset.days.split(",").map((day) => Date.parse(day + "T00:00:00Z") / 1000);
    const values = place.dataset.values.split(",").map((value) => (value === "" ? null : Number(value)));
    place.textContent = "";
    const axis = { stroke: colour("--soft"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") } };
    const drawn = new uPlot({
      width: Math.max(place.clientWidth, 160), height: 120, legend: { show: false }, tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), "Etc/UTC"),
      series: [{}, { stroke: colour("--mark"), width: 2, points: { show: true, size: 5 }, spanGaps: false }],
      axes: [{ ...axis, space: 60 }, { ...axis, size: 54 }],
    }, [days, values], place);
    new ResizeObserver(() => drawn.setSize({ width: Math.max(place.clientWidth, 160), height: 120 })).observe(place);
  };
  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".uplot-here").forEach(plot));
})();
