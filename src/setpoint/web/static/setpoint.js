// What htmx does not do by itself: what one has opened, scrolled to or begun to write stays when a page is brought up to
// date, refusals and a lost connection are said, hidden pages hold no connection, lines of a change are commented on, and
// metrics are drawn.
"use strict";
(() => {
  const DAY_S = 86400;
  // Times of what runs now go on between two states of the record.
  const lasted = (s) => s < 60 ? `${s} s` : s < 3600 ? `${Math.floor(s / 60)}m${String(s % 60).padStart(2, "0")}s` : `${Math.floor(s / 3600)}h${String(Math.floor(s % 3600 / 60)).padStart(2, "0")}m`;
  setInterval(() => document.querySelectorAll("[data-since]").forEach((each) => {
    each.textContent = lasted(Math.max(0, Math.floor((Date.now() - Number(each.dataset.since)) / 1000)));
  }), 1000);
  const live = () => document.getElementById("live");
  const details = () => [...document.querySelectorAll("#live details[id]")];
  const scrolled = () => [...document.querySelectorAll("#live [tabindex='0']")].map((each) =>
    [each.id || each.getAttribute("aria-label"), each.scrollLeft, each.scrollTop + each.clientHeight >= each.scrollHeight - 4 ? -1 : each.scrollTop]);
  let kept = null, written = null, asked = { mark: "", at: 0 };
  // A page carries the mark of the state it shows, and its stream says which one there is: where they differ it is fetched.
  // One that could not be fetched, or was fetched between a change and its end, is asked for again after a while.
  const AGAIN_MS = 5000;
  const behind = (mark) => live() && mark !== live().dataset.mark && (mark !== asked.mark || Date.now() - asked.at > AGAIN_MS);
  // A browser has six connections to a server, over all of its tabs: one that is hidden gives its stream back, and hears all
  // that it missed when it is shown again, since a stream's first word comes at once.
  const streams = new Set();
  class Stream extends EventTarget {
    constructor(url) { super(); this.url = url; this.source = null; streams.add(this); this.follow(); }
    get readyState() { return this.source ? this.source.readyState : EventSource.CONNECTING; }
    follow() {
      if (document.hidden || this.source) { if (document.hidden) this.rest(); return; }
      const source = this.source = new EventSource(this.url);
      source.addEventListener("mark", ({ data }) => { this.mark = data; this.look(); });
      source.onopen = (event) => this.onopen && this.onopen(event);
      source.onerror = (event) => {
        if (source.readyState === EventSource.CLOSED) { streams.delete(this); ended(); }  // htmx makes another one
        if (this.onerror) this.onerror(event);
      };
    }
    look() {
      const data = this.mark, known = this.known ?? data;
      if (!live()) this.known = data; // such a page carries no mark: it shows what its stream said first
      if (!data || !(live() ? behind(data) : data !== known)) return;
      asked = { mark: data, at: Date.now() };
      this.dispatchEvent(new MessageEvent("changed", { data }));
    }
    rest() { if (this.source) this.source.close(); this.source = this.mark = null; }
    close() { streams.delete(this); if (this.source) this.source.close(); }
  }
  htmx.createEventSource = (url) => new Stream(url);
  setInterval(() => streams.forEach((each) => Date.now() - asked.at > AGAIN_MS && each.look()), 1000);
  document.addEventListener("visibilitychange", () => streams.forEach((each) => each.follow()));
  // What is shown without a connection is told to be old.
  const connection = () => document.getElementById("connection");
  const lost = () => {
    const at = new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
    if (!connection().textContent) connection().textContent = `Not connected: this page shows how things stood at ${at}. It catches up by itself.`;
  };
  // A session ends with the server; what somebody has typed stays.
  const ended = () => fetch("/", { method: "HEAD" }).then(({ status }) => {
    if (status === 401) connection().textContent = "Logged out: the server was started again. Open the new link that it printed.";
  }, () => {});
  document.addEventListener("htmx:sseError", lost);
  document.addEventListener("htmx:sseOpen", () => { connection().textContent = ""; });
  const said = (target) => target && target.id !== "live" && (target.classList.contains("said") ? target : target.querySelector(".said"));
  document.addEventListener("htmx:sendError", (event) => {
    const place = said(event.detail.target);
    if (place) place.textContent = "The server does not answer: nothing was done.";
    else lost();
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const status = event.detail.xhr.status, target = event.detail.target;
    if (status >= 400) {
      // A refusal is text, never markup.
      const place = said(target);
      if (place) place.textContent = event.detail.xhr.responseText.slice(0, 500);
      event.detail.shouldSwap = false;
      if (status === 401) location.assign("/login");
      return;
    }
    if (target && target.classList.contains("writing")) written = target.previousElementSibling.querySelector("button.at");
    if (target && target.id === "live") kept = { open: details().map((each) => [each.id, each.open]), scrolled: scrolled(), focus: document.activeElement };
  });
  // What came of a form stays in view, also where the page was brought up to date without the form meanwhile.
  document.addEventListener("htmx:beforeSend", ({ detail: { target, xhr } }) => {
    const done = document.getElementById("done");
    if (!done || !target || !target.classList.contains("said") || target.closest("#begin")) return;
    xhr.addEventListener("load", () => {
      if (xhr.status < 400) done.replaceChildren(...new DOMParser().parseFromString(xhr.responseText, "text/html").body.childNodes);
      setTimeout(() => done.replaceChildren(), 12000);
    });
  });
  document.addEventListener("htmx:afterSwap", () => {
    if (written) { written.focus(); written = null; }
    if (!kept) return;
    asked.mark = "";
    for (const [id, was] of kept.open) { const found = document.getElementById(id); if (found && found.open !== was) found.open = was; }
    const places = [...document.querySelectorAll("#live [tabindex='0']")];
    for (const [name, left, top] of kept.scrolled) {
      const found = places.find((each) => (each.id || each.getAttribute("aria-label")) === name);
      // What was read to its end is followed; else it stays where one reads.
      if (found) { found.scrollLeft = left; found.scrollTop = top < 0 ? found.scrollHeight : top; }
    }
    // Whoever types in a form that was kept types on.
    if (kept.focus !== document.activeElement && live() && live().contains(kept.focus)) kept.focus.focus({ preventScroll: true });
    kept = null;
  });
  // How long a person looked at a finding before deciding is told along, since a hasty word weighs otherwise.
  const since = new Map();
  document.addEventListener("toggle", (event) => {
    const finding = event.target.dataset && event.target.dataset.finding;
    if (finding && event.target.open && !since.has(finding)) since.set(finding, Date.now());
  }, true);
  document.addEventListener("htmx:configRequest", (event) => {
    const about = event.target.closest("[data-finding]");
    if (about && event.detail.path.endsWith("/dismiss") && since.has(about.dataset.finding))
      event.detail.parameters.set("considered_s", String(Math.min(Math.max(Date.now() - since.get(about.dataset.finding), 0) / 1000, DAY_S)));
  });
  // Comments on the lines of a change.
  const leave = (row) => { const at = row.previousElementSibling; row.remove(); const back = at && at.querySelector("button.at"); if (back) back.focus(); };
  const write = (button) => {
    const form = document.getElementById("comment-form"), table = button.closest("table");
    document.querySelectorAll("tr.writing").forEach((each) => each.remove());
    const row = form.content.cloneNode(true).querySelector("tr");
    row.querySelector("[name=file]").value = table.dataset.file;
    row.querySelector("[name=line]").value = button.dataset.line;
    row.querySelector(".what").textContent = `What do you say to ${table.dataset.file}:${button.dataset.line}?`;
    button.closest("tr").after(row);
    htmx.process(row);
    row.querySelector("textarea").focus();
  };
  document.addEventListener("click", (event) => {
    const at = event.target.closest("button.at"), away = event.target.closest("button.leave");
    if (at) write(at);
    if (away) leave(away.closest("tr"));
  });
  document.addEventListener("keydown", (event) => {
    const writing = event.target.closest("tr.writing");
    if (event.key === "Escape" && writing) return leave(writing);
    const at = event.target.closest("button.at");
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!at || (!step && event.key !== "Home" && event.key !== "End")) return;
    const all = [...at.closest("table").querySelectorAll("button.at")];
    const next = step ? all[all.indexOf(at) + step] : all.at(event.key === "Home" ? 0 : -1);
    if (!next) return;
    event.preventDefault();
    at.tabIndex = -1; next.tabIndex = 0; next.focus();
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.successful && /^(begin|hint-.*)$/.test(event.target.id) && !event.detail.xhr.responseText.includes('class="bad"')) event.target.reset();
  });
  const colour = (name) => { const probe = document.body.appendChild(document.createElement("i")); probe.style.color = `var(${name})`; const found = getComputedStyle(probe).color; probe.remove(); return found; };
  const written_as = { share: (value) => `${Math.round(value * 100)} %`, USD: (value) => `$${value}`, s: (value) => `${value} s` };
  const day = (number) => new Date(number * DAY_S * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  // A share is seen against the whole, all else against nothing: what falls by a hundredth does not look like a fall to zero.
  const range = (unit) => (_drawn, low, high) => (unit === "share" ? [0, 1] : low < 0 ? [low, high || 1] : [0, high > 0 ? high * 1.1 : 1]);
  const plot = (place) => {
    const days = place.dataset.days.split(",").map((each) => Date.parse(each + "T00:00:00Z") / 1000 / DAY_S);
    const values = place.dataset.values.split(",").map((value) => (value === "" ? null : Number(value)));
    const told = written_as[place.dataset.unit] || String;
    place.textContent = "";
    const axis = { stroke: colour("--soft"), font: "12px system-ui, sans-serif", grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), size: 4 } };
    const drawn = new uPlot({
      width: Math.max(place.clientWidth, 160), height: 120, padding: [8, 22, 0, 0], legend: { show: false }, cursor: { show: false },
      scales: { x: { time: false }, y: { range: range(place.dataset.unit) } },
      series: [{}, { stroke: colour("--mark"), width: 2, points: { show: true, size: 5 }, spanGaps: false }],
      axes: [
        { ...axis, size: 24, space: 50, incrs: [1, 2, 5, 7, 14, 30], values: (_drawn, at) => at.map(day) },
        { ...axis, size: 56, space: 28, values: (_drawn, at) => at.map((each) => told(Number(each.toPrecision(6)))) },
      ],
    }, [days, values], place);
    new ResizeObserver(() => drawn.setSize({ width: Math.max(place.clientWidth, 160), height: 120 })).observe(place);
  };
  // A theme that somebody chose stays in this browser; without a choice it is the system's.
  const root = document.documentElement, THEMES = ["", "light", "dark"], SIGNS = { "": "◐", light: "☀", dark: "☾" };
  const chosen = () => { try { return localStorage.getItem("theme") || ""; } catch { return root.dataset.theme || ""; } };
  const wear = (theme) => {
    root.dataset.theme = theme;
    const button = document.getElementById("theme");
    if (button) { button.textContent = SIGNS[theme]; button.setAttribute("aria-label", `Theme: ${theme || "as the system"}`); button.title = button.getAttribute("aria-label"); }
  };
  const turn = () => {
    const theme = THEMES[(THEMES.indexOf(chosen()) + 1) % THEMES.length];
    try { localStorage.setItem("theme", theme); } catch { /* it lasts as long as the page */ }
    wear(theme);
    document.querySelectorAll(".uplot-here").forEach(plot);
  };
  wear(chosen());
  // How long ago something was, as the server says it.
  const age = (at) => {
    const s = Math.max(0, (Date.now() - Date.parse(at)) / 1000);
    return s < 60 ? "now" : s < 3600 ? `${Math.floor(s / 60)}m` : s < 2 * DAY_S ? `${Math.floor(s / 3600)}h` : s < 60 * DAY_S ? `${Math.floor(s / DAY_S)}d` : null;
  };
  setInterval(() => document.querySelectorAll("time.when").forEach((each) => { const said = age(each.dateTime); if (said) each.textContent = said; }), 30000);
  // On a small screen the cells of a table stand below each other, each with the name of its column.
  const label = () => document.querySelectorAll("table:not(.diff, .matrix)").forEach((table) => {
    const names = [...table.querySelectorAll("thead th")].map((each) => each.textContent.trim());
    table.querySelectorAll("tbody > tr").forEach((row) => [...row.cells].forEach((cell, place) => { if (names[place] && cell.tagName === "TD") cell.dataset.label = names[place]; }));
  });
  document.addEventListener("htmx:afterSettle", label);
  document.addEventListener("DOMContentLoaded", () => {
    wear(chosen()); label();
    document.querySelectorAll(".uplot-here").forEach(plot);
    if (location.hash === "#search") seek();
  });
  // What is copied is said.
  document.addEventListener("click", (event) => {
    const chip = event.target.closest("[data-copy]");
    if (event.target.closest("#theme")) turn();
    if (event.target.closest("#help")) document.getElementById("keys").showModal();
    if (chip) navigator.clipboard.writeText(chip.dataset.copy).then(() => {
      chip.classList.add("done"); document.getElementById("copied").textContent = `Copied: ${chip.dataset.copy}`;
      setTimeout(() => chip.classList.remove("done"), 2000);
    });
  });
  // Keys: none of them counts while somebody types.
  const seek = () => { const field = document.querySelector("main input[type=search]"); if (field) { field.focus(); field.select(); } else location.assign("/#search"); };
  const step = (by) => {
    const rows = [...document.querySelectorAll("[data-row]")], at = rows.indexOf(document.activeElement.closest("[data-row]"));
    const row = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by], to = row && (row.querySelector("a[href]") || row);
    if (to) { if (to === row) row.tabIndex = -1; to.focus(); row.scrollIntoView({ block: "nearest" }); }
  };
  const GO = { h: "/", q: "/gates", b: "/board", l: "/learnings", p: "/production", m: "/metrics" };
  let went = 0;
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.metaKey || event.ctrlKey)) { event.preventDefault(); return seek(); }
    if (event.metaKey || event.ctrlKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
    const to = GO[event.key], does = { "/": seek, j: () => step(1), k: () => step(-1), "?": () => document.getElementById("keys").showModal(), t: turn, g: () => { went = Date.now(); } }[event.key];
    if (to && Date.now() - went < 1500) { location.assign(to); return; }
    if (!does || !document.getElementById("keys")) return;
    event.preventDefault(); does();
  });
})();
