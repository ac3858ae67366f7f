#!/usr/bin/env bash
# Where programs of clusters run: file systems without locks, an installation that its user cannot write into, nodes without gnuplot.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
source "$(dirname "${BASH_SOURCE[0]}")/studies.sh"
grid_file grid 0.1 5 2 </dev/null
"$MBOPT" sweep "$dir/grid.ini" --output "$dir/calm" --quiet
check calm [ $? -eq 0 ]

# ---- a file system without locks: a warning, and the same study
unlocked() { LD_PRELOAD="$NO_LOCKS" "$MBOPT" "$@"; }
unlocked sweep "$dir/grid.ini" --output "$dir/unlocked" >"$dir/out" 2>"$dir/err"
check unlocked [ $? -eq 0 ]
check unlocked_says grep -q "mbopt: warning: $dir/unlocked is on a file system without locks (No locks available), so nothing keeps two commands" "$dir/err"
check unlocked_same same_tables "$dir/unlocked" "$dir/calm"
forget "$dir/unlocked" 3
check unlocked_status grep -q "1 left; whether somebody is doing them cannot be told, for the folder knows no locks" <(unlocked status "$dir/unlocked")
check unlocked_json grep -q '"running": null' <(unlocked status "$dir/unlocked" --json)
check locked_json grep -q '"running": false' <("$MBOPT" status "$dir/unlocked" --json)
# two commands at once: some runs are done twice, and every one is there once
rm -rf "$dir/unlocked/runs"
unlocked resume "$dir/unlocked" --quiet 2>"$dir/err" &
unlocked resume "$dir/unlocked" --quiet
check both_exit [ $? -eq 0 ]
wait $!
check both_other_exit [ $? -eq 0 ]
check both_same same_tables "$dir/unlocked" "$dir/calm"
check both_leftovers [ -z "$(find "$dir/unlocked" -name '*.tmp*')" ]

# without second names of files what is kept is a copy
if built_in nlopt; then
  run=(configs/five_bar.ini --set case.swing.duration=0.1 --set optimizer.backend=nlopt --set optimizer.algorithm=LN_BOBYQA
    --set optimizer.hessian=limited_memory --max-evaluations 6 --quiet --output "$dir/kept")
  unlocked optimize "${run[@]}" 2>/dev/null
  cp -r "$dir/kept" "$dir/before"
  unlocked simulate "${run[@]}"
  check copies [ $? -eq 0 ]
  for file in "$dir/before/"*; do check "copy $file" same "$file" "$dir/kept/earlier-1/$(basename "$file")"; done
  sed -i '3s/"x"/"y"/' "$dir/kept/journal.jsonl"
  cp "$dir/kept/journal.jsonl" "$dir/damaged"
  unlocked optimize "${run[@]}" --resume 2>/dev/null
  check copy_of_journal same "$dir/damaged" "$dir/kept/journal.jsonl.damaged"
fi

# ---- an installation that its user cannot write into, with problems and configurations that he cannot write either
cmake --install "$(dirname "$MBOPT")" --prefix "$dir/prefix" >"$dir/out" 2>&1
check installs [ $? -eq 0 ]
mkdir "$dir/shared" "$dir/home"
cp -r problems configs "$dir/shared"
chmod -R a+rX,a-w "$dir/shared" "$dir/prefix"
chmod a+rx "$dir" && chmod a+rwx "$dir/home"
trap 'chmod -R u+w "$dir"; rm -rf "$dir"' EXIT
as_user() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then # to whom nothing is read-only
  if command -v setpriv >/dev/null; then
    as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$dir/home" "$@"; }
  else
    echo "skipped: an ordinary user needs setpriv (Debian: util-linux)"
  fi
fi
user() { # FOLDER ARGUMENTS...
  (cd "$1" && shift && as_user "$dir/prefix/bin/mbopt" "$@" >"$dir/out" 2>"$dir/err")
}
if ! as_user test -w "$dir/shared"; then
  user "$dir/home" simulate "$dir/shared/configs/five_bar.ini" --set case.swing.duration=0.1
  check user_simulates [ $? -eq 0 ]
  check user_results [ -s "$dir/home/results/five_bar/trajectory.csv" ]
  user "$dir/shared" simulate configs/five_bar.ini --set case.swing.duration=0.1
  check user_refused [ $? -eq 3 ]
  check user_says grep -q "error: folder results/five_bar cannot be made: Permission denied; choose another one with --output" "$dir/err"
  user "$dir/shared" simulate configs/five_bar.ini --set case.swing.duration=0.1 --output "$dir/home/here"
  check user_output [ -s "$dir/home/here/result.json" ]
  user "$dir/shared" sweep configs/five_bar.ini --set case.swing.duration=0.1 --set "sweep.vary.Ls1=1, 2, 3" --set sweep.task=gradient \
    --output "$dir/home/study" --quiet
  check user_study [ $? -eq 0 ]
  forget "$dir/home/study" 1
  user "$dir/shared" resume "$dir/home/study" --quiet
  check user_resumes [ "$(grep -c ',OK,' "$dir/home/study/table.csv")" -eq 3 ]
  user "$dir/shared" report "$dir/home/study"
  check user_page [ -s "$dir/home/study/report.html" ]
  # of somebody else's results: the page goes elsewhere
  chmod -R a+rX,a-w "$dir/calm"
  user "$dir/home" report "$dir/calm"
  check user_page_refused [ $? -eq 3 ]
  check user_page_says grep -q "$dir/calm/report[_a-z0-9]*.html cannot be written: Permission denied" "$dir/err"
  user "$dir/home" report "$dir/calm" --output "$dir/home/calm.html"
  check user_page_elsewhere [ -s "$dir/home/calm.html" ]
  user "$dir/home" status "$dir/calm"
  check user_status grep -q "10 runs: 10 done, 0 failed, 0 left; nobody is doing them" "$dir/out"
  user "$dir/home" resume "$dir/calm"
  check user_resume_refused [ $? -eq 3 ]
  check user_resume_says grep -q "cannot be locked: Permission denied" "$dir/err"
else
  echo "skipped: everything is writable here"
fi

# ---- a node without gnuplot: runs, tables and pages are there, with all figures; files for papers need it
mkdir "$dir/bin"
without_gnuplot() { PATH="$dir/bin" "$MBOPT" "$@"; }
chmod -R u+w "$dir/calm"
forget "$dir/calm" 2
without_gnuplot resume "$dir/calm" --quiet
check no_gnuplot_study [ $? -eq 0 ]
check no_gnuplot_same same_tables "$dir/calm" "$dir/unlocked"
without_gnuplot report "$dir/calm" --quiet 2>"$dir/err"
check no_gnuplot_page [ $? -eq 0 ]
check no_gnuplot_draws grep -q "<svg" "$dir/calm/report.html"
if [ -d "$dir/kept" ]; then # convergence
  without_gnuplot report "$dir/kept" --quiet
  check no_gnuplot_figures grep -q '"title":"Objective over simulated designs"' "$dir/kept/report.html"
  check no_gnuplot_says_nothing [ "$(grep -c gnuplot "$dir/kept/report.html")" -eq 0 ]
fi
without_gnuplot plot "$dir/calm" >"$dir/out" 2>"$dir/err"
check no_gnuplot_plot [ $? -eq 3 ]
check no_gnuplot_plot_says grep -q "figures need the program gnuplot, which is not there" "$dir/err"

# ---- IPOPT was there when mbopt was built, and is no more: the other commands do not miss it
if built_in ipopt; then
  library="$(grep -aoE -m 1 '(/[-+_./a-zA-Z0-9]*/)?libipopt[-_.a-zA-Z0-9]*[.0-9]+' "$MBOPT" | head -n 1)"
  mkdir "$dir/broken"
  : >"$dir/broken/$library" # no library
  without() { LD_LIBRARY_PATH="$dir/broken" "$MBOPT" "$@"; }
  without optimize configs/five_bar.ini --output "$dir/without" >"$dir/out" 2>"$dir/err"
  check no_ipopt [ $? -eq 9 ]
  check no_ipopt_says grep -q "IPOPT cannot be loaded: .*$library.* (Debian: coinor-libipopt-dev)" "$dir/err"
  without simulate configs/five_bar.ini --output "$dir/without" >/dev/null
  check no_ipopt_needed [ $? -eq 0 ]
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
