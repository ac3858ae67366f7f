# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # dir is of common.sh; got and close() are for the scripts
# Pages that compute, for the scripts of this folder, each sourced after common.sh; skips them where scripts/web has built none: `source web_page.sh FILE` of them.
web="${MBOPT_WEB:-$PWD/build/web}"
[ -e "$web/$1" ] || { echo "skipped: $web has no $1 (scripts/web builds it)"; exit 77; }
source "${BASH_SOURCE[0]%/*}/browser.sh"

# Functions for scripts of see() below. Playground and lessons tell by events when they have looked at the files, or run a command.
web_tools='var seen = [], at = function (id) { return document.getElementById(id); };
  function event(name, act) { return new Promise(function (done) { document.addEventListener(name, function (e) { setTimeout(done, 0, e.detail); }, { once: true }); if (act) { act(); } }); }
  function looked(act) { return event("mbopt-looked", act); }
  function soon(ms) { return new Promise(function (done) { setTimeout(done, ms || 100); }); } /* for what has no event of its own */
  function put(e, value) { e.value = value; e.dispatchEvent(new Event("change")); }
  function all(selector) { return Array.from(document.querySelectorAll(selector)); }
  function press(selector, text) { all(selector + " button").find(function (b) { return b.textContent === text; }).click(); }
  function cm() { return document.querySelector(".CodeMirror").CodeMirror; }
  function ran(name) { return event("mbopt-ran", function () { press("#commands", name); }); }
  function choose(name) { return looked(function () { put(at("runs"), Array.from(at("runs").options).find(function (x) { return x.textContent === name; }).value); }); }
  function picture() { return looked(function () { press("#views", "Picture"); }); }
  function type(from, to) { return looked(function () { cm().setValue(cm().getValue().replace(from, to)); }); }
  function tabs() { return Array.from(at("tabs").children, function (t) { return t.textContent; }).join(" "); }
  function tab(k) { at("tabs").children[k].click(); }
  function drop(files) { var t = new DataTransfer(); files.forEach(function (f) { t.items.add(new File([f[1]], f[0])); }); dispatchEvent(Object.assign(new Event("drop", { cancelable: true }), { dataTransfer: t })); }
  function wrong() { return document.querySelector(".CodeMirror-lint-line-error .CodeMirror-linenumber").textContent; }
  function marks() { return all(".CodeMirror-lint-mark-error").map(function (m) { return m.textContent; }).join(" "); }
  function foreign() { return performance.getEntriesByType("resource").filter(function (r) { return !r.name.startsWith("blob:"); }).length; }
  var hung = new Promise(function (done, fail) { setTimeout(fail, 300000, new Error("nothing after five minutes")); }); /* a hundred times what it takes */'

# see PAGE SCRIPT [HASH]: what the script, which may await, pushes into `seen`, is in the array got: one text each.
see() {
  page_with "$1" "$web_tools
    window.mbopt_seen = Promise.race([hung, (async function () { $2 })()]).catch(function (e) { seen.push('failed: ' + e.stack); }).then(function () {
      document.title = btoa(String.fromCharCode.apply(null, new TextEncoder().encode(seen.join('\\u001f')))); });" >"$dir/page.html"
  open_page "$dir/page.html${3:-}"
  mapfile -d $'\x1f' -t got < <(sed -n 's/.*<title>\([^<]*\)<.*/\1/p' "$dir/dom" | head -1 | base64 -d)
}

# close TOLERANCE NUMBERS NUMBERS: two lists, as many, and five or more
close() {
  awk -v t="$1" -v a="$2" -v b="$3" 'BEGIN { n = split(a, x, " "); if (n != split(b, y, " ") || n < 5) { exit 1 }
    for (i = 1; i <= n; i++) { d = x[i] - y[i]; s = t * ((y[i] < 0 ? -y[i] : y[i]) + 1e-12); if (!(d <= s && -d <= s)) { exit 1 } } }'
}
