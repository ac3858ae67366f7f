#!/usr/bin/env bash
# A page that computes, where scripts/web has built the engine: what it says of a design that is moved is what a native run says; an optimization from there; the
# run file that it saves; a setting with an error; nothing from elsewhere.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/web_page.sh" live.wasm.gz
export MBOPT_WEB="$web" # shellcheck disable=SC2154 # web and got, of web_page.sh

"$MBOPT" simulate configs/four_bar_path.ini --quiet --output "$dir/run" >/dev/null
"$MBOPT" report "$dir/run" --quiet --output "$dir/run/plain.html"
"$MBOPT" report "$dir/run" --quiet --live
check size [ $(($(stat -c %s "$dir/run/report.html") - $(stat -c %s "$dir/run/plain.html"))) -lt 1300000 ] # 1.3 MB
native() { # SETTINGS: objectives and constraints
  "$MBOPT" gradient configs/four_bar_path.ini "$@" --json | numbers
}
numbers() { tr -d ' \n' | grep -o '"value":[^,}]*' | sed 's/.*://' | paste -sd' '; }

# What is saved is in `saved`; a design is the next that is shown with the steps of the run file: { x, values, coarse }.
tools='var saved = "", create = URL.createObjectURL;
  URL.createObjectURL = function (blob) { if (blob.type === "text/plain" || blob.type === "text/csv") { saved = blob; } return create.call(URL, blob); };
  HTMLAnchorElement.prototype.click = function () {};
  function status() { return document.querySelector(".try-status").textContent; }
  function button(text) { return all(".try-buttons button").find(function (b) { return b.textContent === text; }); }
  function click(text) { button(text).click(); }
  function number(key) { return document.querySelector("#try input[aria-label=\"" + key + ", as a number\"]"); }
  function cells() { return all("#try tbody tr td:nth-child(3)").map(function (c) { return c.textContent; }).join(" "); }
  function set(text) { put(document.querySelector(".try-buttons input"), text); }
  async function design(act) { var d = await event("mbopt-design", act); return d.coarse ? design() : d; }
  async function until(what) { while (!what.test(status())) { await soon(20); } return status(); }
  function move(key, value) { put(document.querySelector(".try-more"), key); put(number(key), value); }
'

# The start, a moved crank, an optimum; then a key that does not exist.
see "$dir/run/report.html" "$tools"'
  var d = await design(); seen.push(d.x.join(" "), d.values.join(" "));
  d = await design(function () { put(number("crank"), 0.15); }); seen.push(d.x.join(" "), d.values.join(" "));
  seen.push(document.querySelector(".try-arrow").textContent, cells().split(" ")[0], Object.keys(mbopt_motion).includes("replace"));
  click("Keep"); click("Save run file"); await soon(); var file = saved;
  d = await design(function () { click("Optimize from here"); }); await soon(); seen.push(d.x.join(" "), d.values.join(" "), status(), document.querySelectorAll(".try-iterations svg").length > 0);
  set("case.turn.stepp=0.1"); seen.push(await until(/^Not set/), (await file.text()).split("[design crank]")[1].split("\n")[1]);'
check messages [ "${#got[@]}" -eq 13 ]
check no_complaint no_complaint
check start close 1e-9 "${got[1]}" "$(native)"
check moved close 1e-9 "${got[3]}" "$(native --set design.crank.start=0.15)"
check arrow grep -q '[→←·]' <<<"${got[4]}"
check shown [ "${got[5]}" = "$(awk '{ printf "%.6g", $1 }' <<<"${got[3]}")" ]
check optimum grep -q '^CONVERGED: .*ipopt is not in this page; another optimizer stood in' <<<"${got[9]}"
check lower awk -v a="${got[8]}" -v b="${got[3]}" 'BEGIN { split(a, x, " "); split(b, y, " "); exit !(x[1] + x[2] < 1e-3 * (y[1] + y[2])) }'
check iterations [ "${got[10]}" = true ]
check wrong_key grep -q "Not set: .*did you mean 'step'" <<<"${got[11]}"
check saved [ "${got[12]}" = "start = 0.15" ]

# Where a design takes long (here: says so), a motion with longer steps follows a slider that is held; the whole once it is let go.
"$MBOPT" simulate configs/four_bar_path.ini --set case.turn.step=0.002 --quiet --output "$dir/fine" >/dev/null
"$MBOPT" report "$dir/fine" --quiet --live
see "$dir/fine/report.html" "$tools"'
  var scenes = 0, replace = mbopt_motion.replace, slider = document.querySelector(".try-design input[type=range]"); mbopt_motion.replace = function (d) { scenes++; replace(d); };
  window.Worker = class extends Worker { set onmessage(f) { super.onmessage = function (e) { if (e.data.done && e.data.done.ms) { e.data.done.ms = 1000; } f(e); }; } };
  async function next(act) { var d = await event("mbopt-design", act); seen.push(scenes, d.x[0], d.values.join(" "), (d.coarse || []).join(" "), status(), button("Keep").disabled); }
  await next();
  await next(function () { slider.dispatchEvent(new Event("pointerdown")); slider.value = 600; slider.dispatchEvent(new Event("input")); });
  await next(function () { slider.dispatchEvent(new Event("pointerup")); });'
check held [ "${got[0]} ${got[6]} ${got[12]}" = "1 2 3" ]
check coarse_says grep -q '^Coarse, .*the rest follows once you let go' <<<"${got[10]}"
check coarse_values close 1e-9 "${got[8]}" "$(native --set "design.crank.start=${got[7]}" --set "${got[9]}")"
check let_go grep -q '^Computed in' <<<"${got[16]}"
check whole_values close 1e-9 "${got[14]}" "$(native --set "design.crank.start=${got[7]}" --set case.turn.step=0.002)"
check coarse_is_told [ -n "${got[9]}" ]
check whole_is_told [ -z "${got[15]}" ]
check whole_is_kept [ "${got[5]} ${got[11]} ${got[17]}" = "false true false" ]

# Numbers of the model and of a case get sliders, too; the saved run file has them; a broken engine begins anew.
see "$dir/run/report.html" "$tools"'
  var broken = 0;
  window.Worker = class extends Worker { postMessage(m) { if (m.act === "look" && broken === 1) { broken = 2; m = { id: m.id, act: "look", settings: null }; } super.postMessage(m); } };
  var d = await design(); seen.push(d.values.join(" "));
  d = await design(function () { move("scalars.base_0", 0.5); }); seen.push(d.values.join(" "));
  d = await design(function () { move("case.turn.duration", 0.8); }); seen.push(d.values.join(" "));
  var range = all(".try-others tr:first-child input"); seen.push(range[2].value, range[3].value, range[0].value);
  put(range[3], 0.5); seen.push(range[0].value);
  click("Save run file"); await soon(); seen.push(await saved.text());
  broken = 1; click("Undo"); seen.push(await until(/^This design cannot/), cells());
  d = await design(function () { click("Undo"); }); seen.push(d.values.join(" "));'
check others [ "${#got[@]}" -eq 11 ]
check scalar close 1e-9 "${got[1]}" "$(native --set scalars.base_0=0.5)"
check case_number close 1e-9 "${got[2]}" "$(native --set scalars.base_0=0.5 --set case.turn.duration=0.8)"
check range [ "${got[*]:3:4}" = "0.275 1.1 273 1000" ]
printf '%s' "${got[7]}" >"$dir/saved.ini"
check saved_numbers close 1e-9 "${got[2]}" "$("$MBOPT" gradient "$dir/saved.ini" --json | numbers)"
check broken grep -q '^This design cannot be computed: ' <<<"${got[8]}"
check no_old_numbers [ -z "${got[9]// /}" ]

# What cannot be: no number, no memory, an endless motion that is stopped; the page goes on, also in a line that is cleared.
see "$dir/run/report.html" "$tools"'
  await until(/^Computed/);
  set("scalars.base_0=nan"); seen.push(await until(/^(Not set|This design)/));
  set("scalars.base_0=0.45; case.turn.step=1e-9"); seen.push(await until(/memory|steps/), cells(), button("Keep").disabled);
  set("case.turn.step=1e-3; case.turn.duration=20000"); await soon(500); click("Stop"); seen.push(await until(/^Stopped/));
  var d = await design(function () { set("case.turn.step=0.02"); }); seen.push(d.values.join(" "));
  d = await design(function () { set(""); }); seen.push(d.values.join(" "));
  /* a start in the line moves the design; the saved file has that of the slider */
  d = await design(function () { set("design.crank.start=0.15"); }); seen.push(d.x[0], d.values.join(" "));
  d = await design(function () { put(number("crank"), 0.16); }); click("Save run file"); await soon(); seen.push((await saved.text()).match(/\[design crank\]\n(start = \S+)/)[1], (await saved.text()).match(/start = 0\.1[56]$/gm).length);
  set("design.new.lower=0; design.new.upper=1; design.new.start=0.5"); seen.push(await until(/^Not set/));'
check no_number grep -q 'base_0' <<<"${got[0]}"
check no_memory grep -q 'memory\|steps' <<<"${got[1]}"
check nothing_shown [ "${got[2]// /}${got[3]}" = true ]
check stopped grep -q '^Stopped: the design has not been computed' <<<"${got[4]}"
check goes_on close 1e-9 "${got[5]}" "$(native --set case.turn.step=0.02)"
check cleared close 1e-9 "${got[6]}" "$(native)"
check start_in_line close 1e-9 "${got[7]} ${got[8]}" "0.15 $(native --set design.crank.start=0.15)"
check start_of_slider [ "${got[*]:9:2}" = "start = 0.16 1" ]
check other_variables grep -q "^Not set: " <<<"${got[11]}"
check policy grep -q "default-src 'none'" "$dir/run/report.html"

# An optimization that begins while designs are asked for can be stopped, and its optimum stays; an earlier design is not kept under the numbers of another.
look=(390 800 dark)
see "$dir/run/report.html" "$tools"'
  await until(/^Computed/);
  put(number("crank"), 0.15); put(number("crank"), 0.16); seen.push(button("Keep").disabled);
  click("Optimize from here"); await until(/^Iteration/); seen.push(button("Stop").disabled);
  await until(/^(CONVERGED|STOPPED)/); await soon(500); seen.push(status(), Number(number("crank").value) > 0.2, cells()); click("Keep"); click("Save table"); await soon(); seen.push(await saved.text());
  put(document.querySelector(".try-more"), "scalars.base_0"); seen.push(document.documentElement.scrollWidth <= innerWidth);'
check as_wide_as_a_phone [ "${got[6]}" = true ]
check not_kept_yet [ "${got[0]}" = true ]
check can_be_stopped [ "${got[1]}" = false ]
check optimum_stays grep -q '^CONVERGED' <<<"${got[2]}"
IFS=, read -r -a names <<<"$(sed -n 1p <<<"${got[5]}")"
IFS=, read -r -a kept <<<"$(sed -n 2p <<<"${got[5]}")"
for i in 1 2 3 4 5 6; do starts+=(--set "design.${names[i]}.start=${kept[i]}"); done
check kept_together close 1e-6 "${kept[*]:9}" "$(native "${starts[@]}" | cut -d' ' -f3-)" # objectives there are round-off

# In the background the design follows, too.
look=("${usual[@]:0:2}" hidden)
see "$dir/run/report.html" "$tools"'
  seen.push(document.visibilityState); await until(/^Computed/); var d = await design(function () { put(number("crank"), 0.15); }); seen.push(d.values.join(" "));
  d = await design(function () { click("Optimize from here"); }); await soon(); seen.push(status());'
look=("${usual[@]}")
check background [ "${got[0]}" = hidden ]
check background_moves close 1e-9 "${got[1]}" "$(native --set design.crank.start=0.15)"
check background_optimum grep -q '^CONVERGED' <<<"${got[2]}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 45 ]
