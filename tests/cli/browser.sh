# shellcheck shell=bash
# Pages of mbopt report in a real browser, for the scripts of this folder; skips them where there is none.
# Sourced after common.sh, which has "dir".
# shellcheck disable=SC2154
browser="$(command -v chromium-headless-shell || command -v chromium || command -v chromium-browser || command -v google-chrome)" ||
  { echo "skipped: no browser, install the package chromium-headless-shell"; exit 77; }
source "${BASH_SOURCE[0]%/*}/page_with.sh"
command -v python3 >/dev/null || { echo "skipped: nothing to drive a browser with, install the package python3"; exit 77; }

# One browser opens all pages (browser.py): to start one for each would take longer than the pages.
mkfifo "$dir/opened"
exec {pages}> >(exec python3 "${BASH_SOURCE[0]%/*}/browser.py" "$browser" "$dir")
driver=$!
trap 'exec {pages}>&-; kill "$driver" 2>/dev/null; wait "$driver" 2>/dev/null; rm -rf "$dir"' EXIT

# open_page FILE: the page as the browser has it after its scripts have run, in $dir/dom; its messages in $dir/log
# "look" is the size of the window and whether it is by day, by night, or hidden.
usual=(780 437 light)
look=("${usual[@]}")
open_page() {
  local opened
  rm -f "$dir/dom" "$dir/log"
  echo "${look[*]} $1" >&"$pages"
  exec {opened}<>"$dir/opened"
  read -r -t 600 -u "$opened" || { echo "FAILED the browser does not open $1"; }
  exec {opened}>&-
}
no_complaint() { ! grep -q CONSOLE "$dir/log" || { grep CONSOLE "$dir/log"; false; }; }
has() { check "has $1" grep -qF -- "$1" "$dir/dom"; }

# A test of our own in the page: what it finds becomes the title, which the browser shows in its dump.
with_test() { # PAGE SCRIPT
  page_with "$1" "document.title = String((function () { $2 })());" >"${1%/*}/test.html" # beside it, for its links
  open_page "${1%/*}/test.html"
  grep -o '<title>[^<]*' "$dir/dom" | head -1 | sed 's/<title>//'
}

# The same on a screen of 360 pixels, light or dark: windows are no narrower than 500, frames are.
on_a_phone() { # PAGE SCRIPT SCHEME
  page_with "$1" "addEventListener('load', function () { parent.postMessage(String((function () { $2 })()), '*'); });" >"$dir/inner.html"
  echo "<!DOCTYPE html><html><head><meta name=color-scheme content='light dark'></head><body><iframe src=inner.html width=360 height=2000 style='border: 0'></iframe>
    <script>addEventListener('message', function (e) { document.title = e.data; });</script></body></html>" >"$dir/outer.html"
  local look=(500 2100 "$3")
  open_page "$dir/outer.html"
  grep -o '<title>[^<]*' "$dir/dom" | head -1 | sed 's/<title>//'
}

# A script for on_a_phone: "360, texts were looked at, what is too wide says so, there was some, dark or not, what is illegible".
# shellcheck disable=SC2034
legible='document.querySelectorAll("details").forEach(function (d) { d.open = true; });
  function rgb(text) { return text.match(/[0-9.]+/g).map(Number); }
  function light(c) { return c.slice(0, 3).map(function (v) { v /= 255; return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4); })
    .reduce(function (sum, v, i) { return sum + [0.2126, 0.7152, 0.0722][i] * v; }, 0); }
  function behind(e) {
    if (!e) { return [255, 255, 255]; }
    var c = rgb(getComputedStyle(e).backgroundColor), a = c.length < 4 ? 1 : c[3], under = a < 1 ? behind(e.parentElement) : c;
    return [0, 1, 2].map(function (k) { return a * c[k] + (1 - a) * under[k]; });
  }
  var bad = [], n = 0;
  if (window.mbopt_figures) { mbopt_figures.makeAll(); }
  document.querySelectorAll("body *").forEach(function (e) {
    var own = Array.from(e.childNodes).some(function (c) { return c.nodeType === 3 && c.textContent.trim(); });
    if (!own || !e.getClientRects().length || /script|option/i.test(e.tagName) || e.closest(".wide")) { return; }
    var s = getComputedStyle(e), a = light(rgb(e instanceof SVGElement ? s.fill : s.color)), b = light(behind(e)), contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    n++;
    if (parseFloat(s.fontSize) < 11 || contrast < 4.5) { bad.push(e.tagName + "." + e.className + " " + s.fontSize + " " + contrast.toFixed(1)); }
  });
  document.querySelectorAll(".wide svg").forEach(function (s) { var w = Number(s.getAttribute("viewBox").split(" ")[2]); if (12 * s.getBoundingClientRect().width / w < 10.99) { bad.push("svg " + w); } });
  document.querySelectorAll("select, button, input").forEach(function (e) { if (e.getClientRects().length && !e.closest(".table, .wide") && e.getBoundingClientRect().right > window.innerWidth) { bad.push(e.tagName + " beyond the edge"); } });
  function ends(e) { var r = document.createRange(); r.selectNodeContents(e); return r.getBoundingClientRect(); }
  document.querySelectorAll("table").forEach(function (t) {
    var row = t.tBodies[0] && t.tBodies[0].rows[0];
    row && t.getClientRects().length && Array.from(t.tHead.rows[0].cells).forEach(function (h, i) {
      var cell = row.cells[i], side = cell.classList.contains("number") ? "right" : "left";
      if (h.textContent && cell.textContent && !cell.children.length && !h.hasAttribute("aria-sort") && Math.abs(ends(h.querySelector("button") || h)[side] - ends(cell)[side]) > 1) { bad.push(h.textContent + " is not over its column"); }
    });
  });
  if (document.documentElement.scrollWidth > window.innerWidth) { bad.push("wider than the window: " + document.documentElement.scrollWidth); }
  var hints = document.querySelectorAll(".hint").length, told = Array.from(document.querySelectorAll(".table, .wide")).filter(function (b) { return b.scrollWidth > b.clientWidth + 1; }).length;
  return window.innerWidth + " " + (n > 100) + " " + (hints === told) + " " + (told > 2) + " " + Number(matchMedia("(prefers-color-scheme: dark)").matches) + " " + bad.slice(0, 5).join("; ");'

# A function for scripts: texts of figures that are cut off by their edges. Another: what ticks of axes read, where two of one axis read the same.
# shellcheck disable=SC2034
clipped='function clipped() { var cut = []; document.querySelectorAll(".plot svg text").forEach(function (t) { var b = t.getBBox(), v = t.ownerSVGElement.viewBox.baseVal;
    if (b.width && (b.x < -1 || b.x + b.width > v.width + 1 || b.y < -1 || b.y + b.height > v.height + 1)) { cut.push(t.textContent); } }); return cut.join(", "); }
  function alike() { return [[1, 1.000001], [1e6, 1e6 + 3], [2.2736, 2.2737], [0, 1e-12], [-5, 1e5], [7.00000001, 7.00000002]].map(function (r) {
    return mbopt_drawing.ticksOf(r[0], r[1], 5).list.map(function (t) { return t.label; }); }).filter(function (l) { return new Set(l).size < l.length || l.length < 3; }).join("; "); }
'

# A script for pages on paper: "width of the page, its colour, pictures, those of them with start and result, pictures that are left afterwards, the page is
# as wide as before, what is blank, cut off or not for paper".
# shellcheck disable=SC2034
paper='if (window.mbopt_figures) { mbopt_figures.makeAll(); } if (window.mbopt_runs) { mbopt_runs.makeAll(); }
  var seen = [], bad = [], screen = document.body.getBoundingClientRect().width;
  document.querySelectorAll(".curve-chart").forEach(function (c) {
    var named = Array.from(c.querySelectorAll(".dygraph-title, .dygraph-xlabel, svg > text"), function (t) { return t.textContent; }).filter(function (t) { return /[a-z]/i.test(t); });
    if (c.clientWidth && named.length < 2) { bad.push("no titles of axes: " + c.getAttribute("aria-label")); } });
  window.dispatchEvent(new Event("beforeprint"));
  seen.push(document.querySelector("main").getBoundingClientRect().width, getComputedStyle(document.body).backgroundColor);
  var pictures = Array.from(document.querySelectorAll(".curve-paper svg"));
  pictures.forEach(function (s) { var b = s.getBoundingClientRect(), lines = Array.from(s.querySelectorAll("g path, image")).filter(function (p) { return (p.getAttribute("d") || p.getAttribute("href") || "").length > 8; });
    if (b.width < 300 || b.right > 701 || b.height < 60 || !lines.length) { bad.push("blank or cut: " + s.textContent.slice(0, 40)); } });
  document.querySelectorAll(".curve-chart, .study-chart").forEach(function (c) { if (c.getClientRects().length) { bad.push("a chart on paper"); } });
  document.querySelectorAll("canvas").forEach(function (c) { var b = c.getBoundingClientRect(); if (!b.width || !c.closest("figure")) { return; }
    if (b.right > 701) { bad.push("a canvas beyond the edge: " + b.right); }
    var d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data, n = 0; for (var i = 0; i < d.length; i += 4) { n += d[i + 3] > 0 && d[i] + d[i + 1] + d[i + 2] !== d[0] + d[1] + d[2]; } if (n < 200) { bad.push("a blank canvas"); } });
  document.querySelectorAll("table").forEach(function (t) { if (t.getBoundingClientRect().right > 701) { bad.push("a table beyond the edge"); } });
  seen.push(pictures.length, pictures.filter(function (s) { return s.textContent.includes("start") && s.textContent.includes("result"); }).length);
  window.dispatchEvent(new Event("afterprint"));
  seen.push(document.querySelectorAll(".curve-paper svg").length, document.body.getBoundingClientRect().width === screen, bad.slice(0, 3).join("; "), ""); return seen.join("|");'
