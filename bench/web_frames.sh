#!/usr/bin/env bash
# Designs a second that a page of `mbopt report RUN --live` shows while a slider moves, in Chromium, and the time until it shows one move:
#   MBOPT=build/release/mbopt bench/web_frames.sh
# The slider moves at every frame of the browser for five seconds, after one that is not counted; a headless browser draws every frame (without a GPU).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
MBOPT="${MBOPT:-build/release/mbopt}"
export MBOPT_WEB="${MBOPT_WEB:-$PWD/build/web}"
browser="$(command -v chromium-headless-shell || command -v chromium)"
dir="$(mktemp -d)"
trap 'rm -rf "$dir"' EXIT

# measured NAME VARIABLE RUN_FILE: a row of the table
measured() {
  "$MBOPT" simulate "$3" --quiet --output "$dir/run" >/dev/null
  "$MBOPT" report "$dir/run" --quiet --live
  python3 tests/cli/browser_promise.py "$browser" "$dir/profile" "$dir/run/report.html" "(async () => {
    const shows = () => new Promise((done) => document.addEventListener('mbopt-design', done, { once: true }));
    const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    const slider = document.querySelector('.try-design input[aria-label=\"$2\"]');
    while (slider.disabled) await pause(20);
    await pause(3000);
    const middle = Number(slider.value);
    const move = (value) => { slider.value = value; slider.dispatchEvent(new Event('input')); };
    let shown = 0, frames = 0, whole = 0;
    document.addEventListener('mbopt-design', () => {
      shown++;
      whole += document.querySelector('.try-status').textContent.startsWith('Computed');
    });
    const drag = (ms) => new Promise((done) => {
      const from = performance.now();
      shown = frames = whole = 0;
      const each = (now) => {
        frames++;
        move(middle + Math.round(60 * Math.sin((now - from) / 500)));
        if (now - from < ms) requestAnimationFrame(each);
        else done((now - from) / 1000);
      };
      slider.dispatchEvent(new Event('pointerdown'));
      requestAnimationFrame(each);
    });
    await drag(1000);
    const s = await drag(5000);
    const row = [shown, whole, frames].map((n) => (n / s).toFixed(n < 100 ? 1 : 0));
    slider.dispatchEvent(new Event('pointerup'));
    await pause(3000);
    const one = shows(), from = performance.now();
    move(middle + 10);
    await one;
    return '| $1 | ' + row.join(' | ') + ' | ' + (performance.now() - from).toFixed(0) + ' |';
  })()"
}

# A hard point of the five-bar as a variable.
sed "s|= \.\./problems|= $PWD/problems|" configs/five_bar.ini >"$dir/five_bar.ini"
printf '\n[design x2]\nlower = 0.4\nupper = 0.6\n' >>"$dir/five_bar.ini"
echo "| | designs a second | of which with motion, curves and arrows | frames a second | one move, with all [ms] |"
echo "|---|---|---|---|---|"
measured "five_bar, hard point x2" x2 "$dir/five_bar.ini"
measured "four_bar_path, crank" crank configs/four_bar_path.ini
measured "buggy over the step, k_f" k_f configs/step_descent.ini
