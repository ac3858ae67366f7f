#!/usr/bin/env bash
# Pages of mbopt report in a real browser: no error in its console, tables and figures drawn, headings that sort.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/browser.sh"
for backend in ipopt lbfgsb; do
  built_in "$backend" || { echo "skipped: $backend is not built in"; exit 77; }
done

# A test of our own in the page: what it finds becomes the title, which the browser shows in its dump.
with_test() { # PAGE SCRIPT
  { sed '/^<\/body>/,$d' "$1"; echo "<script>document.title = String((function () { $2 })());</script></body></html>"; } >"$dir/test.html"
  open_page "$dir/test.html"
  grep -o '<title>[^<]*' "$dir/dom" | head -1 | sed 's/<title>//'
}

"$MBOPT" configs/five_bar.ini --quiet --output "$dir/five"
"$MBOPT" report "$dir/five" --quiet
"$MBOPT" compare configs/five_bar.ini --set case.swing.duration=0.5 --backends lbfgsb,ipopt:gauss_newton --quiet --output "$dir/compare"
"$MBOPT" report "$dir/compare" --quiet

open_page "$dir/five/report.html"
check optimization no_complaint
for part in "<h1>five_bar.ini: optimization</h1>" "<td>Ls1</td>" "P2.position.x [m]" "converged (Optimal solution found)" \
  '<th scope="col" class="number">'; do
  has "$part"
done
open_page "$dir/compare/report.html"
check comparison no_complaint
for part in "<h1>five_bar.ini: comparison</h1>" "<td>ipopt:gauss_newton</td>" "2 of 2 reached"; do has "$part"; done

# ---- would a complaint be noticed?
with_test "$dir/five/report.html" 'nothing();' >/dev/null
check noticed grep -q 'CONSOLE.*nothing is not defined' "$dir/log"

# ---- every figure has a size, nothing is wider than the window, every entry of the contents leads somewhere
got="$(with_test "$dir/five/report.html" 'var s = document.querySelectorAll(".plot svg"), n = 0; s.forEach(function (x) { var b = x.getBoundingClientRect(); n += b.width > 300 && b.height > 60; }); return n + " of " + s.length;')"
check figures [ "$got" = "5 of 5" ]
got="$(with_test "$dir/compare/report.html" 'return document.documentElement.scrollWidth <= window.innerWidth;')"
check width [ "$got" = true ]
got="$(with_test "$dir/five/report.html" 'var n = 0; document.querySelectorAll("nav a").forEach(function (a) { n += !document.getElementById(a.hash.slice(1)); }); return n;')"
check contents [ "$got" = 0 ]

# ---- the mechanism moves: two canvases, before and after; one after a simulation
canvases='return document.querySelectorAll("#scene canvas").length + " " + document.querySelector("#scene").textContent.includes("Pause");'
check moves [ "$(with_test "$dir/five/report.html" "$canvases")" = "2 true" ]
"$MBOPT" simulate configs/five_bar.ini --quiet --output "$dir/simulate"
"$MBOPT" report "$dir/simulate" --quiet
check moves_alone [ "$(with_test "$dir/simulate/report.html" "$canvases")" = "1 true" ]
check moves_quietly no_complaint

# ---- a click sorts, by value: 1e-25 is less than 0.7; a second one turns it round
sort='var t = document.querySelector("#convergence table"), h = t.querySelectorAll("th")[2], b = h.querySelector("button");
  function column() { return Array.from(t.tBodies[0].rows).map(function (r) { return Number(r.cells[2].dataset.value); }); }
  function rises(v) { return v.every(function (x, i) { return i === 0 || v[i - 1] <= x; }); }
  b.click(); var up = rises(column()) && h.getAttribute("aria-sort") === "ascending";
  b.click(); return up && rises(column().reverse()) && h.getAttribute("aria-sort") === "descending";'
check sorting [ "$(with_test "$dir/five/report.html" "$sort")" = true ]

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 18 ]
