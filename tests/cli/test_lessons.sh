#!/usr/bin/env bash
# The lessons from a disk, where scripts/web has built them: the first command of each gives what a native run gives; a file that is changed in the page changes it, an
# error is marked in its editor; commands that a page cannot run say so; links lead to sections; nothing from elsewhere.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh" # dir, passed, failed
source "$(dirname "${BASH_SOURCE[0]}")/web_page.sh" lessons.html

# shellcheck disable=SC2154 # web and got, of web_page.sh
see "$web/lessons.html" 'var article, box;
  function run() { return event("mbopt-ran", function () { box.querySelector("p button").click(); }).then(function (d) { return d.text; }); }
  async function go(hash) { location.hash = hash; await soon(); article = all("article").find(function (a) { return !a.hidden; }); box = article.querySelector("[data-run]"); }
  function cm(k) { return article.querySelectorAll(".CodeMirror")[k].CodeMirror; }
  await event("mbopt-begun");
  var names = all("article").map(function (a) { return a.id; });
  for (var i = 0; i < names.length; i++) { await go("#" + names[i]); seen.push(names[i], box.querySelector("p code").textContent, await run()); }
  await go("#lesson_gradient"); cm(0).setValue(cm(0).getValue().replace("L = 1 ", "L = 1.001 ")); seen.push(await run(), box.querySelectorAll("iframe").length, box.querySelector("details pre").textContent.split("\n").length);
  await event("mbopt-looked", function () { cm(0).setValue(cm(0).getValue().replace("mass = 1", "masss = 1")); }); seen.push(at("state").className, marks());
  article.querySelector(".file button").click(); seen.push(cm(0).getValue().includes("L = 1 ") && cm(0).getValue().includes("mass = 1"));
  await go("#lesson_gradient--backwards"); seen.push(article.id, Math.abs(at("lesson_gradient--backwards").getBoundingClientRect().top) < 200);
  await go("#my_own_mechanism"); seen.push(Array.from(article.querySelectorAll(".command:not([data-run]):not([data-made])"), function (b) { return b.querySelector("code").textContent.split(" ")[1] + b.querySelectorAll("button").length; }).join(" "));
  await go("#four_bar_path"); await soon(); article.querySelector("details").open = true; await soon(); seen.push(cm(0).getValue().includes("[design crank]"));
  document.querySelector("#home").click(); await soon(); seen.push(at("index").hidden, all(".cards li").length, foreign());'
check no_complaint no_complaint

# The same natively: files of a page, commands that make some, the first command.
cp -r configs problems "$dir"
mkdir "$dir/bin"
ln -s "$(realpath "$MBOPT")" "$dir/bin/mbopt"
native() { # NAME COMMAND
  local page="docs/$1.md"
  [ -e "$page" ] || page="problems/$1/README.md"
  (
    awk -v dir="$dir/" '/^```$/ { file = "" } file { print >file }
      $1 == "```ini" && NF == 2 { file = folder = dir $2; sub("/[^/]*$", "", folder); system("mkdir -p " folder) }' "$page"
    cd "$dir" && PATH="$dir/bin:$PATH"
    sed -n '/^\$ mbopt/q; s/^\$ //p' "$OLDPWD/$page" | bash
    bash -c "$2" 2>&1
  )
}
# Words and numbers, these within a tolerance, of all lines but those with times; of an optimization only the variables, since another optimizer stands in.
same() { # TOLERANCE TEXT TEXT
  a="$2" b="$3" awk -v tolerance="$1" 'function only(text,  n, line, i, list, part, k) {
      n = split(text, line, "\n"); list = ""
      for (i = 1; i <= n; i++) {
        if (text ~ /objective .* designs simulated/) { if (split(line[i], part, " ") < 3 || line[i] !~ /^  [a-z_]+ +[-+0-9.e]+ +[-+0-9.e]+/) { continue } list = list " " part[1] " " part[3] }
        else if (line[i] !~ / steps,/) { list = list " " line[i] }
      }
      return list
    }
    BEGIN { n = split(only(ENVIRON["a"]), x, " "); if (n != split(only(ENVIRON["b"]), y, " ") || n < 4) { print "not the same lines"; exit 1 }
      for (i = 1; i <= n; i++) if (x[i] != y[i]) { d = x[i] - y[i]; s = y[i] < 0 ? -y[i] : y[i]; if (x[i] !~ /^[-+0-9.e]+,?$/ || (d < 0 ? -d : d) > tolerance * s + 1e-12) { print x[i] " is not " y[i]; exit 1 } } }'
}
for ((i = 0; i < 27; i += 3)); do
  tolerance=1e-9
  [[ "${got[i + 1]}" != "mbopt configs/"* ]] || tolerance=1e-4
  check "${got[i]}: ${got[i + 1]}" same $tolerance "${got[i + 2]}" "$(native "${got[i]}" "${got[i + 1]}")"
done
check changed same 1e-9 "${got[27]}" "$(native lesson_gradient "mbopt simulate lesson/pendulum.ini --set scalars.L=1.001")"
check clock awk '{ exit !($4 > 0 && $4 < 1000) }' <<<"$(grep -o 'a simulation takes [^ ]*' <<<"${got[14]}")"
check report_and_printed [ "${got[28]} ${got[29]}" = "1 3" ]
check marked [ "${got[30]} ${got[31]}" = "bad [body bob] masss" ]
check as_before [ "${got[32]}" = true ]
check section [ "${got[33]} ${got[34]}" = "lesson_gradient true" ]
check not_here [ "${got[35]}" = multistart0 ]
check shipped [ "${got[36]}" = true ]
check index [ "${got[*]:37:3}" = "false 9 0" ]
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -eq 19 ]
