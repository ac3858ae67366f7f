/* A page that is written anew while its work goes on: it loads itself again, at its place and with the runs that are chosen in it, and says how old
 * it is. Places are kept in the history of the tab, which files have, too; page.js and study.js return to them. */
(function () {
  "use strict";

  const { written, period } = JSON.parse(document.getElementById("live").textContent); /* [s] since 1970; until the next one */
  const SILENT = Math.max(60, 5 * period); /* [s] after which something seems to be wrong */
  const { element } = window.mbopt_common;
  const told = element("output");
  const pause = element("button", { type: "button", textContent: "Pause" });
  let paused = false;
  let held = false; /* a button of the mouse, a finger */

  document.querySelector("header").append(element("div", { className: "live" }, [told, pause]));
  pause.addEventListener("click", () => {
    paused = !paused;
    pause.textContent = paused ? "Go on" : "Pause";
    tell();
  });
  window.addEventListener("pointerdown", () => (held = true));
  ["pointerup", "pointercancel"].forEach((type) => window.addEventListener(type, () => (held = false)));

  const age = () => Date.now() / 1000 - written;
  function tell() {
    const at = new Date(1000 * written).toLocaleTimeString();
    if (paused) told.textContent = `Written at ${at}; it does not load itself again.`;
    else if (age() > SILENT) told.textContent = `No news since ${at}: what writes this page has perhaps ended.`;
    else told.textContent = `Live: written at ${at}, anew about every ${Math.round(period)} s.`;
  }

  function again() {
    const open = Array.from(document.querySelectorAll("section > details"), (d) => d.open);
    const runs = window.mbopt_runs ? window.mbopt_runs.chosen() : null;
    history.replaceState({ mbopt: { scroll: [window.scrollX, window.scrollY], open, runs } }, "");
    location.reload();
  }

  /* Nobody is interrupted who types or drags. Where nothing is new for long, the page looks less often. */
  let last = Date.now();
  window.setInterval(() => {
    tell();
    const busy = paused || held || /^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement ? document.activeElement.tagName : "");
    const wait = age() > SILENT ? Math.max(30, period) : period;
    if (!busy && Date.now() - last > 1000 * wait) again();
  }, 1000);
  tell();
  window.mbopt_live = { again, tell };
})();
