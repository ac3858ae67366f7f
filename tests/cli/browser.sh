# shellcheck shell=bash
# Pages of mbopt report in a real browser, for the scripts of this folder; skips them where there is none, or nothing that draws.
# Sourced after common.sh, which has "dir".
# shellcheck disable=SC2154
browser="$(command -v chromium || command -v chromium-browser || command -v google-chrome)" ||
  { echo "skipped: no browser, install the package chromium"; exit 77; }
command -v gnuplot >/dev/null || { echo "skipped: gnuplot is missing, install the package gnuplot-nox"; exit 77; }

# open_page FILE: the page as the browser has it after its scripts have run, in $dir/dom; its messages in $dir/log
# Options of the browser in "look", as its size.
look=()
open_page() {
  "$browser" "${look[@]}" --headless=new --no-sandbox --disable-gpu --virtual-time-budget=5000 --user-data-dir="$dir/profile" \
    --enable-logging=stderr --dump-dom "file://$1" >"$dir/dom" 2>"$dir/log"
}
no_complaint() { ! grep -q CONSOLE "$dir/log" || { grep CONSOLE "$dir/log"; false; }; }
has() { check "has $1" grep -qF -- "$1" "$dir/dom"; }
