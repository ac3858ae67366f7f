#!/usr/bin/env bash
# A page that computes, where scripts/web has built the engine: what it says of a design that is moved is what a native run says; an optimization from there; the
# run file that it saves; a setting with an error; nothing from elsewhere.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export MBOPT_WEB="${MBOPT_WEB:-$PWD/build/web}"
[ -e "$MBOPT_WEB/live.wasm.gz" ] || { echo "skipped: $MBOPT_WEB has no engine (scripts/web builds it)"; exit 77; }
source "$(dirname "${BASH_SOURCE[0]}")/browser.sh"

"$MBOPT" simulate configs/four_bar_path.ini --quiet --output "$dir/run" >/dev/null
"$MBOPT" report "$dir/run" --quiet --output "$dir/run/plain.html"
"$MBOPT" report "$dir/run" --quiet --live
check size [ $(($(stat -c %s "$dir/run/report.html") - $(stat -c %s "$dir/run/plain.html"))) -lt 1300000 ] # 1.3 MB

# The first message is of the start, the second of the moved crank, the third of an optimum; then a key that does not exist.
IFS='|' read -r -a got <<<"$(with_test "$dir/run/report.html" '
  var seen = [], button = function (text) { return Array.from(document.querySelectorAll(".try-buttons button")).find(function (b) { return b.textContent === text; }); };
  var status = function () { return document.querySelector(".try-status").textContent; }, saved = "";
  URL.createObjectURL = (function (as) { return function (blob) { if (blob.type === "text/plain") { saved = blob; } return as.call(URL, blob); }; })(URL.createObjectURL);
  HTMLAnchorElement.prototype.click = function () {};
  window.mbopt_seen = new Promise(function (done) {
    var rows = document.querySelectorAll(".try-design tr"), n = 0;
    setTimeout(function () { document.title = seen.concat(status()).join("|"); done(); }, 300000); /* ten thousand times what it takes, should it hang */
    document.addEventListener("mbopt-design", function (e) {
      if (e.detail.coarse) { return; } /* where the machine is slow */
      n++;
      seen.push(e.detail.x.join(" "), e.detail.values.join(" "));
      if (n === 1) { var number = rows[0].querySelector("input[type=number]"); number.value = 0.15; number.dispatchEvent(new Event("change")); }
      if (n === 2) {
        seen.push(rows[0].querySelector(".try-arrow").textContent, document.querySelectorAll("#try td.number")[1].textContent, Object.keys(mbopt_motion).includes("replace"));
        button("Keep").click(); button("Save run file").click();
        button("Optimize from here").click();
      }
      if (n === 3) { setTimeout(function () {
        seen.push(status(), document.querySelectorAll(".try-iterations svg").length > 0);
        var set = document.querySelector(".try-buttons input"); set.value = "case.turn.stepp=0.1"; set.dispatchEvent(new Event("change"));
        new MutationObserver(function () { seen.push(status()); saved.text().then(function (t) { seen.push(t.split("[design crank]")[1].split("\n")[1]); document.title = seen.join("|"); done(); }); })
          .observe(document.querySelector(".try-status"), { childList: true, characterData: true, subtree: true });
      }); }
    });
  });
  return "";')"
check messages [ "${#got[@]}" -eq 13 ]
check no_complaint no_complaint
native() { # SETTINGS: objectives and constraints
  "$MBOPT" gradient configs/four_bar_path.ini "$@" --json | tr -d ' \n' | grep -o '"value":[^,}]*' | sed 's/.*://' | paste -sd' '
}
agree() { # two lists of numbers
  awk -v a="$1" -v b="$2" 'BEGIN { n = split(a, x, " "); m = split(b, y, " "); if (n != m || n < 5) { exit 1 } for (i = 1; i <= n; i++) { d = x[i] - y[i]; s = (y[i] < 0 ? -y[i] : y[i]) + 1e-12; if (d > 1e-9 * s || -d > 1e-9 * s) { exit 1 } } }'
}
check start agree "${got[1]}" "$(native)"
check moved agree "${got[3]}" "$(native --set design.crank.start=0.15)"
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
IFS='|' read -r -a got <<<"$(with_test "$dir/fine/report.html" '
  var seen = [], status = function () { return document.querySelector(".try-status").textContent; }, scenes = 0;
  var replace = mbopt_motion.replace; mbopt_motion.replace = function (d) { scenes++; replace(d); };
  window.Worker = class extends Worker { set onmessage(f) { super.onmessage = function (e) { if (e.data.done && e.data.done.ms) { e.data.done.ms = 1000; } f(e); }; } };
  window.mbopt_seen = new Promise(function (done) {
    var slider = document.querySelector(".try-design input[type=range]"), n = 0;
    setTimeout(function () { document.title = "hangs: " + status(); done(); }, 300000);
    document.addEventListener("mbopt-design", function (e) {
      n++;
      seen.push(scenes, e.detail.x[0], e.detail.values.join(" "), (e.detail.coarse || []).join(" "), status());
      if (n === 1) { slider.dispatchEvent(new Event("pointerdown")); slider.value = 600; slider.dispatchEvent(new Event("input")); }
      if (n === 2) { slider.dispatchEvent(new Event("pointerup")); }
      if (n === 3) { document.title = seen.join("|"); done(); }
    });
  });
  return "";')"
check held [ "${got[0]} ${got[5]} ${got[10]}" = "1 2 3" ]
check coarse_says grep -q '^Coarse, .*the rest follows once you let go' <<<"${got[9]}"
check coarse_values agree "${got[7]}" "$(native --set "design.crank.start=${got[6]}" --set "${got[8]}")"
check let_go grep -q '^Computed in' <<<"${got[14]}"
check whole_values agree "${got[12]}" "$(native --set "design.crank.start=${got[6]}" --set case.turn.step=0.002)"
check coarse_is_told [ -n "${got[8]}" ]
check whole_is_told [ -z "${got[13]}" ]
# Numbers of the model and of a case get sliders, too; the saved run file has them; a broken engine begins anew.
IFS='|' read -r -a got <<<"$(with_test "$dir/run/report.html" '
  var seen = [], saved = "", all = function (s) { return document.querySelectorAll(s); }, status = function () { return document.querySelector(".try-status").textContent; };
  function move(key, value) {
    var more = document.querySelector(".try-more"); more.value = key; more.dispatchEvent(new Event("change"));
    var number = document.querySelector(".try-others input[aria-label=\"" + key + ", as a number\"]"); number.value = value; number.dispatchEvent(new Event("change"));
  }
  URL.createObjectURL = (function (as) { return function (blob) { if (blob.type === "text/plain") { saved = blob; } return as.call(URL, blob); }; })(URL.createObjectURL);
  HTMLAnchorElement.prototype.click = function () {};
  var broken = 0;
  window.Worker = class extends Worker { postMessage(m) { if (m.act === "look" && broken === 1) { broken = 2; m = { id: m.id, act: "look", settings: null }; } super.postMessage(m); } };
  window.mbopt_seen = new Promise(function (done) {
    var n = 0;
    setTimeout(function () { document.title = "hangs: " + status() + seen.join("|"); done(); }, 300000);
    document.addEventListener("mbopt-design", function (e) {
      if (e.detail.coarse) { return; }
      n++;
      seen.push(e.detail.values.join(" "));
      if (n === 1) { move("scalars.base_0", 0.5); }
      if (n === 2) { move("case.turn.duration", 0.8); }
      if (n === 3) {
        var range = all(".try-others tr:first-child input"); seen.push(range[2].value, range[3].value, range[0].value);
        range[3].value = 0.5; range[3].dispatchEvent(new Event("change")); seen.push(range[0].value);
        Array.from(all(".try-buttons button")).find(function (b) { return b.textContent === "Save run file"; }).click();
        setTimeout(function () { saved.text().then(function (t) { seen.push(btoa(t)); broken = 1; all(".try-buttons button")[0].click(); }); }, 500);
        new MutationObserver(function () {
          if (broken !== 2) { return; }
          broken = 3; seen.push(status());
          setTimeout(function () { all(".try-buttons button")[0].click(); }, 100);
        }).observe(document.querySelector(".try-status"), { childList: true, characterData: true, subtree: true });
      }
      if (n === 4) { document.title = seen.join("|"); done(); }
    });
  });
  return "";')"
check others [ "${#got[@]}" -eq 10 ]
check scalar agree "${got[1]}" "$(native --set scalars.base_0=0.5)"
check case_number agree "${got[2]}" "$(native --set scalars.base_0=0.5 --set case.turn.duration=0.8)"
check range [ "${got[*]:3:4}" = "0.275 1.1 273 1000" ]
base64 -d <<<"${got[7]}" >"$dir/saved.ini"
check saved_numbers agree "${got[2]}" "$("$MBOPT" gradient "$dir/saved.ini" --json | tr -d ' \n' | grep -o '"value":[^,}]*' | sed 's/.*://' | paste -sd' ')"
check broken grep -q '^This design cannot be computed: ' <<<"${got[8]}"
# What cannot be: no number, no memory, an endless motion that is stopped; the page goes on.
IFS='|' read -r -a got <<<"$(with_test "$dir/run/report.html" '
  var seen = [], status = function () { return document.querySelector(".try-status").textContent; };
  function until(what) { return new Promise(function (done) { (function look() { if (what.test(status())) { seen.push(status()); done(); } else { setTimeout(look, 20); } })(); }); }
  function put(text) { var set = document.querySelector(".try-buttons input"); set.value = text; set.dispatchEvent(new Event("change")); }
  var hung = new Promise(function (done) { setTimeout(done, 300000); }).then(function () { seen.push("hangs", status()); });
  window.mbopt_seen = Promise.race([hung, (async function () {
    await until(/^Computed/);
    put("scalars.base_0=nan"); await until(/^(Not set|This design)/);
    put("scalars.base_0=0.55; case.turn.step=1e-9"); await until(/memory|steps/);
    put("case.turn.step=1e-3; case.turn.duration=20000"); await new Promise(function (done) { setTimeout(done, 500); });
    Array.from(document.querySelectorAll(".try-buttons button")).find(function (b) { return b.textContent === "Stop"; }).click();
    await until(/^Stopped/);
    put("case.turn.step=0.01; case.turn.duration=1"); var design = new Promise(function (done) { document.addEventListener("mbopt-design", function (e) { if (!e.detail.coarse) { done(e); } }); });
    seen.push((await design).detail.values.join(" "));
  })()]).then(function () { document.title = seen.join("|"); }, function (e) { document.title = "failed: " + e.stack; });
  return "";')"
check no_number grep -q 'base_0' <<<"${got[1]}"
check no_memory grep -q 'memory\|steps' <<<"${got[2]}"
check stopped grep -q '^Stopped: the design has not been computed' <<<"${got[3]}"
check goes_on agree "${got[4]}" "$(native)"
check policy grep -q "default-src 'none'" "$dir/run/report.html"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -ge 30 ]
