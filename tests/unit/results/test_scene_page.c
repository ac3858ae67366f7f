/* The animation in a real browser, headless Chromium: it paints, plays, turns, zooms and seeks, and says nothing in the console.
 * Without Chromium this is skipped. */
#include <unistd.h>

#include "report/assets.h"
#include "scene_test.h"
#include "test.h"

static char folder[] = "/tmp/mbo_scene_XXXXXX";
static const char *browser; /* the program */

/* Frames come by a timer, whose time the browser hastens; then everything that a user can do is done, and what it did is
 * written down. */
static const char tools[] =
    "window.requestAnimationFrame = (f) => setTimeout(() => f(performance.now()), 16);\n"
    "const copy = document.createElement('canvas').getContext('2d', { willReadFrequently: true });\n"
    "const pixels = (c) => {\n"
    "  Object.assign(copy.canvas, { width: c.width, height: c.height }); /* and blank */\n"
    "  copy.drawImage(c, 0, 0);\n"
    "  return copy.getImageData(0, 0, c.width, c.height).data;\n"
    "};\n"
    "const counted = (a, is) => { let n = 0; for (let i = 0; i < a.length; i += 4) { n += is(i); } return n; };\n"
    "const painted = (c) => { const a = pixels(c); return counted(a, (i) => a[i + 3] > 0); };\n"
    "const apart = (a, b) => counted(a, (i) => a[i] !== b[i]);\n"
    "const clock = () => parseFloat(document.querySelector('output').textContent);\n"
    "const tell = (seen) => { document.title = Object.entries(seen).map(([k, v]) => `${k}=${v}`).join(' ') + ' end'; "
    "};\n";

static const char probe[] =
    "function report(animation) {\n"
    "  const [c, d] = document.querySelectorAll('canvas');\n"
    "  const button = document.querySelector('button');\n"
    "  const change = (act) => { const was = pixels(c); act(); return apart(was, pixels(c)); };\n"
    "  const pointer = (type, x) => c.dispatchEvent(\n"
    "      new PointerEvent(type, { pointerId: 1, clientX: x, clientY: 100, bubbles: true }));\n"
    "  const key = (k) => c.dispatchEvent(new KeyboardEvent('keydown', { key: k, cancelable: true }));\n"
    "  const seen = { canvases: document.querySelectorAll('canvas').length, played: clock() };\n"
    "  button.click(); /* pause */\n"
    "  animation.seek(0);\n"
    "  seen.painted = painted(c);\n"
    "  seen.differ = d ? apart(pixels(c), pixels(d)) : 0;\n"
    "  c.setPointerCapture = () => {}; /* there is no pointer */\n"
    "  seen.drag = change(() => (pointer('pointerdown', 100), pointer('pointermove', 140), pointer('pointerup', "
    "140)));\n"
    "  seen.idle = change(() => pointer('pointermove', 200));\n"
    "  seen.far = change(() => c.dispatchEvent(new WheelEvent('wheel', { deltaY: -200 })));\n"
    "  c.focus();\n"
    "  seen.wheel = change(() => c.dispatchEvent(new WheelEvent('wheel', { deltaY: -200 })));\n"
    "  seen.keys = change(() => (key('ArrowLeft'), key('-')));\n"
    "  const pick = (e, value) => change(() => { e.value = value; e.dispatchEvent(new Event('change')); });\n"
    "  seen.forces = pick(document.querySelector('[aria-label=\"Forces as arrows\"]'), 'all');\n"
    "  seen.alone = change(() => document.querySelector('.mbs-legend button').click());\n"
    "  seen.hidden = document.querySelectorAll('.mbs-legend input:not(:checked)').length;\n"
    "  seen.shown = change(() => document.querySelector('.mbs-legend li:last-child button').click());\n"
    "  const over = [...document.querySelectorAll('.mbs-bar label')].pop();\n"
    "  const beside = d ? pixels(d) : null;\n"
    "  over.click();\n"
    "  seen.over = d ? apart(beside, pixels(d)) : over.hidden ? 0 : -1;\n"
    "  seen.seek = change(() => animation.seek(0.4));\n"
    "  seen.step = change(() => key('.'));\n"
    "  seen.time = clock();\n"
    "  setTimeout(() => {\n"
    "    seen.paused = clock() - seen.time;\n"
    "    key(' ');\n"
    "    seen.label = button.textContent;\n"
    "    tell(seen);\n"
    "  }, 300);\n"
    "}\n";

/* What is painted of shapes, of rails and of instantaneous centres: pixels that differ without them. */
static const char probe_of_shapes[] =
    "function report(animation) {\n"
    "  const c = document.querySelector('canvas'), one = first.cases[0];\n"
    "  const change = (act) => { const was = pixels(c); act(); return apart(was, pixels(c)); };\n"
    "  const without = (part) => { animation.show(one); return change(() => animation.show({ ...one, [part]: [] })); "
    "};\n"
    "  animation.pause();\n"
    "  const seen = { n: one.shapes.length, shapes: without('shapes'), rails: without('rails') };\n"
    "  animation.show(one);\n"
    "  const box = [...document.querySelectorAll('.mbs-bar label')].find((l) => /centres/.test(l.textContent));\n"
    "  const of = mbopt_centres.of;\n"
    "  let computed = 0; /* centres are computed when they are asked for, and once */\n"
    "  mbopt_centres.of = (m) => ((computed += 1), of(m));\n"
    "  animation.show(one), animation.seek(0.2);\n"
    "  seen.early = computed;\n"
    "  seen.centres = change(() => box.click());\n"
    "  animation.seek(0.3);\n"
    "  seen.once = computed;\n"
    "  animation.show({ ...one, missing: ['cover'] });\n"
    "  const told = document.querySelector('.mbs-missing');\n"
    "  seen.told = Number(!told.hidden && told.textContent.includes('shape cover.'));\n"
    "  animation.show(one);\n"
    "  seen.silent = Number(told.hidden);\n"
    "  tell(seen);\n"
    "}\n";

static json_t *scene_of(const char *name, double factor) {
  char path[600];
  mbo_run_config *c;
  mechanism *m;
  json_t *scene;
  mbd_error err = {0};
  double rho[16];
  snprintf(path, sizeof path, MBOPT_SOURCE_DIR "/configs/%s.ini", name);
  must(mbo_run_config_read(path, 0, NULL, &c, &err), &err);
  must(mechanism_create(c, &m, &err), &err);
  for (int i = 0; i < m->n && i < 16; i++) { rho[i] = factor * m->start[i]; }
  must(scene_create(m, m->n <= 16 ? rho : m->start, 100, &scene, &err), &err);
  mechanism_destroy(m);
  mbo_run_config_destroy(c);
  return scene;
}

static char *text_of(const json_t *scene) {
  return json_dumps(scene, JSON_COMPACT | JSON_REAL_PRECISION(9));
}

/* before and, unless factor is 0, after */
static void write_page(const char *path, const char *name, double factor, const char *report) {
  json_t *before = scene_of(name, 1), *after = factor != 0 ? scene_of(name, factor) : NULL;
  char *first = text_of(before), *second = after ? text_of(after) : NULL;
  FILE *out = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  fprintf(
      out,
      "<!doctype html><html lang=en><meta charset=utf-8><title>-</title><style>%s</style><body><div id=scene></div>\n"
      "<script>%s%s</script>\n"
      "<script>%s</script><script>%s</script><script>%s</script><script>%s</script><script>%s</script><script>%s</"
      "script>"
      "<script>%s</script>\n"
      "<script>const first = %s, animation = mbopt_scene(document.getElementById('scene'), first, %s);\n"
      "setTimeout(() => report(animation), 700);</script></html>\n",
      mbo_asset_scene_css.text, tools, report, mbo_asset_common_js.text, mbo_asset_page_js.text,
      mbo_asset_vectors_js.text, mbo_asset_share_js.text, mbo_asset_shapes_js.text, mbo_asset_centres_js.text,
      mbo_asset_scene_js.text, first, second ? second : "null");
  fclose(out);
  free(first), free(second);
  json_decref(before), json_decref(after);
}

/* The text of a file; "" if it is not there. */
static char *read_all(const char *path) {
  FILE *in = fopen(path, "r");
  size_t n = 0;
  char *text = calloc(1, 1 << 22);
  if (in) {
    n = fread(text, 1, (1 << 22) - 1, in);
    fclose(in);
  }
  text[n] = '\0';
  return text;
}

/* Number after " key=" in the title. */
static double seen(const char *title, const char *key) {
  char expected[40];
  snprintf(expected, sizeof expected, "%s=", key);
  const char *at = strstr(title, expected);
  return at ? atof(at + strlen(expected)) : NAN;
}

/* Opens the page in the browser; title: what the probe has seen. */
static void open_page(const char *name, double factor, const char *report, char *title, size_t size) {
  char page[600], command[2400], path[600];
  snprintf(page, sizeof page, "%s/%s.html", folder, name);
  write_page(page, name, factor, report);
  snprintf(command, sizeof command,
           "timeout 120 %s --headless=new --no-sandbox --disable-gpu --user-data-dir=%s/profile "
           "--window-size=800,600 "
           "--virtual-time-budget=1500 --enable-logging=stderr --dump-dom file://%s > %s/dom 2> %s/log",
           browser, folder, page, folder, folder);
  CU_ASSERT_EQUAL(system(command), 0);
  snprintf(path, sizeof path, "%s/log", folder);
  char *log = read_all(path);
  CU_ASSERT_PTR_NULL(strstr(log, "CONSOLE"));
  if (strstr(log, "CONSOLE")) { printf("\n  %.300s\n", strstr(log, "CONSOLE")); }
  snprintf(path, sizeof path, "%s/dom", folder);
  char *dom = read_all(path);
  const char *at = strstr(dom, "<title>");
  snprintf(title, size, "%.*s", (int)(at ? strcspn(at, "\n") : 0), at ? at : "");
  free(log), free(dom);
  CHECK_CONTAINS(title, " end</title>");
}

static void check_page(const char *name, double factor) {
  char title[600] = "";
  open_page(name, factor, probe, title, sizeof title);
  CU_ASSERT_EQUAL((int)seen(title, "canvases"), factor != 0 ? 2 : 1);
  CU_ASSERT(seen(title, "painted") > 10000);
  if (factor != 0) { CU_ASSERT(seen(title, "differ") > 100); }
  CU_ASSERT(seen(title, "played") > 0.1 && seen(title, "played") < 10);
  static const char *const acts[] = {"drag", "wheel", "keys", "seek", "step"};
  for (int i = 0; i < 5; i++) { CU_ASSERT(seen(title, acts[i]) > 500); }
  CU_ASSERT(seen(title, "forces") > 20); /* arrows */
  CU_ASSERT(seen(title, "alone") > 500 && seen(title, "shown") > 500 && seen(title, "hidden") >= 2);
  if (factor != 0) {
    CU_ASSERT(seen(title, "over") > 500); /* the start shines through the result */
  } else {
    CU_ASSERT_EQUAL((int)seen(title, "over"), 0); /* there is nothing to lay over */
  }
  CU_ASSERT_EQUAL((int)seen(title, "idle"), 0); /* no button is held */
  CU_ASSERT_EQUAL((int)seen(title, "far"), 0);  /* the page scrolls, as the canvas has no focus */
  CU_ASSERT(seen(title, "time") > 0.4 && seen(title, "time") < 0.6);
  CHECK_CLOSE("paused", seen(title, "paused"), 0, 0);
  CHECK_CONTAINS(title, "Pause");
}

static void test_two_designs(void) {
  check_page("five_bar", 1.2);
}

static void test_car(void) {
  check_page("step_descent", 0);
}

/* The arc of a moment, with its scale in the legend. */
static const char probe_of_moments[] =
    "function report(animation) {\n"
    "  const c = document.querySelector('canvas'), one = first.cases[0];\n"
    "  const texts = [], write = CanvasRenderingContext2D.prototype.fillText;\n"
    "  CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { texts.push(text); write.call(this, text, "
    "...at); };\n"
    "  animation.pause();\n"
    "  const forces = document.querySelector('[aria-label=\"Forces as arrows\"]');\n"
    "  forces.value = 'reactions';\n"
    "  forces.dispatchEvent(new Event('change'));\n"
    "  const was = pixels(c), legend = texts.pop();\n"
    "  animation.show({ ...one, arrows: one.arrows.filter((w) => !w.moment) });\n"
    "  const seen = { arcs: apart(was, pixels(c)), told: Number(/N, arc of radius [0-9.]+ m: [0-9.]+ N m, "
    "grid/.test(legend)), only: Number(/m: [0-9.]+ N, grid/.test(texts.pop())) };\n"
    "  tell(seen);\n"
    "}\n";

static void test_moments(void) {
  char title[600] = "";
  open_page("four_bar_motor", 0, probe_of_moments, title, sizeof title);
  CU_ASSERT(seen(title, "arcs") > 50 && seen(title, "told") == 1 && seen(title, "only") == 1);
}

static void test_bicycle(void) {
  if (test_long()) { check_page("bicycle_double_turn", 0); } /* as the car, without its loops */
}

static void test_shapes(void) {
  char title[600] = "";
  open_page("slider_crank_balance", 0, probe_of_shapes, title, sizeof title);
  CU_ASSERT_EQUAL((int)seen(title, ">n"), 5);
  CU_ASSERT(seen(title, "shapes") > 5000 && seen(title, "rails") > 300 && seen(title, "centres") > 100);
  CU_ASSERT(seen(title, "early") == 0 && seen(title, "once") == 1 && seen(title, "told") == 1 &&
            seen(title, "silent") == 1);
}

int main(void) {
  const test_entry entries[] = {TEST(test_two_designs), TEST(test_car), TEST(test_bicycle), TEST(test_moments),
                                TEST(test_shapes)};
  char command[100];
  browser = system("command -v chromium-headless-shell > /dev/null") == 0 ? "chromium-headless-shell" : "chromium";
  snprintf(command, sizeof command, "command -v %s > /dev/null", browser);
  if (system(command) != 0) {
    puts("skipped: there is no browser (Debian: chromium-headless-shell)");
    return 77;
  }
  if (!mkdtemp(folder)) { return 2; }
  const int failed = test_run(__FILE__, entries, 5);
  snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command) != 0 || failed;
}
