#!/usr/bin/env bash
# Designs a second that a page of `mbopt report RUN --live` shows while a slider moves, in Chromium, and the times until it shows one move, and all of it; positions a
# second of the playground's picture while a point is dragged:
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
    const told = () => document.querySelector('.try-status').textContent;
    const shows = (what) => new Promise((done) => document.addEventListener('mbopt-design', function seen(e) {
      if (what && !told().startsWith(what)) return;
      document.removeEventListener('mbopt-design', seen);
      done(performance.now());
    }));
    const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    const slider = document.querySelector('.try-design input[aria-label=\"$2\"]');
    while (slider.disabled) await pause(20);
    await pause(3000);
    const middle = Number(slider.value);
    const move = (value) => { slider.value = value; slider.dispatchEvent(new Event('input')); };
    let shown = 0, frames = 0, whole = 0, arrows = 0;
    document.addEventListener('mbopt-design', () => {
      shown++;
      whole += !told().startsWith('Coarse');
      arrows += told().startsWith('Computed');
    });
    const drag = (ms) => new Promise((done) => {
      const from = performance.now();
      shown = frames = whole = arrows = 0;
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
    const row = [shown, whole, arrows, frames].map((n) => (n / s).toFixed(n < 100 ? 1 : 0));
    slider.dispatchEvent(new Event('pointerup'));
    await pause(3000);
    const one = shows(), all = shows('Computed'), from = performance.now();
    move(middle + 10);
    return '| $1 | ' + row.join(' | ') + ' | ' + [await one, await all].map((t) => (t - from).toFixed(0)).join(' | ') + ' |';
  })()"
}

# A hard point of the five-bar as a variable.
sed "s|= \.\./problems|= $PWD/problems|" configs/five_bar.ini >"$dir/five_bar.ini"
printf '\n[design x2]\nlower = 0.4\nupper = 0.6\n' >>"$dir/five_bar.ini"
echo "| | designs a second | of which with the steps of the run file | and with arrows | frames a second | one move, first [ms] | all [ms] |"
echo "|---|---|---|---|---|---|---|"
measured "five_bar, hard point x2" x2 "$dir/five_bar.ini"
measured "four_bar_path, crank" crank configs/four_bar_path.ini
measured "buggy over the step, k_f" k_f configs/step_descent.ini

# dragged NAME RUN POINT: the point goes round in a circle of 2 cm, to the next place at every frame, as the picture tells the page about a pointer.
dragged() {
  python3 tests/cli/browser_promise.py "$browser" "$dir/profile" "$MBOPT_WEB/index.html" "(async () => {
    const at = (id) => document.getElementById(id);
    const event = (name, act) => new Promise((done) => (document.addEventListener(name, done, { once: true }), act && act()));
    const pause = (ms) => new Promise((done) => setTimeout(done, ms));
    while (at('runs').disabled || !at('runs').options.length) await pause(50);
    await event('mbopt-looked', () => {
      at('runs').value = '/configs/$2.ini';
      at('runs').dispatchEvent(new Event('change'));
    });
    await event('mbopt-looked', () => at('views').children[2].click());
    await pause(1000);
    const tell = (data) => dispatchEvent(new MessageEvent('message', { source: at('picture').contentWindow, data }));
    let positions = 0, frames = 0;
    document.addEventListener('mbopt-placed', () => positions++);
    tell({ grab: 'point $3' });
    const move = (now) => tell({ move: { d: [0.02 * Math.sin(now / 300), 0.02 * Math.cos(now / 300), 0], grain: 1e-4 } });
    const drag = (ms) => new Promise((done) => {
      const from = performance.now();
      positions = frames = 0;
      const each = (now) => {
        frames++;
        move(now);
        if (now - from < ms) requestAnimationFrame(each);
        else done((now - from) / 1000);
      };
      requestAnimationFrame(each);
    });
    await drag(1000);
    const s = await drag(5000);
    const row = [positions, frames].map((n) => (n / s).toFixed(0));
    await pause(500);
    const from = performance.now();
    await event('mbopt-placed', () => move(from + 300));
    const one = performance.now() - from;
    tell({ end: 'cancel' });
    return '| $1 | ' + row.join(' | ') + ' | ' + one.toFixed(1) + ' |';
  })()"
}
echo
echo "| | positions a second | frames a second | one position [ms] |"
echo "|---|---|---|---|"
dragged "five_bar, point B" five_bar B
dragged "four_bar_path, point C" four_bar_path C
dragged "spatial_four_bar, point C" spatial_four_bar C
dragged "buggy over the step, front_left.A" step_descent front_left.A
