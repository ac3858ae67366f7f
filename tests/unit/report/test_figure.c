/* Figures: names come out as they are, every kind is drawn in every format, refusals say why. */
#include <unistd.h>

#include "files/json.h"
#include "report/figure.h"
#include "report/gnuplot.h"
#include "test.h"

static char folder[] = "/tmp/mbopt_plots_XXXXXX";

static int there(void) {
  char *out;
  size_t n;
  mbd_error err;
  const char script[] = "print 1\nset print '-'\nprint 2\n";
  if (gnuplot_run(script, &out, &n, &err) != MBD_OK) { return 0; }
  free(out);
  return 1;
}

/* As CHECK_CONTAINS, without showing a whole picture. */
static void has(int kind, const char *picture, const char *text) {
  if (!strstr(picture, text)) { printf("\n  kind %d: no \"%s\" in the picture\n", kind, text); }
  CU_ASSERT_PTR_NOT_NULL(strstr(picture, text));
}

#define NAMES "\"k_f\", \"c^f\", \"it's <a> & {b}\""
/* One of every kind: curves; rows with names and a mark; a band, levels and ticks; parts; contours; points in colours; parallel coordinates; steps. */
static const char *const specs[] = {
    "{\"x\": {\"label\": \"x_1\", \"unit\": \"m\"}, \"y\": {\"label\": \"objective\", \"log\": true}, \"series\": ["
    "{\"name\": \"k_f^2 it's <a> & {b}\", \"kind\": \"both\", \"x\": [0, 1, 2, 3], \"y\": [1, 10, 100, 1000]},"
    "{\"name\": \"down\", \"x\": [0, 1, 2, 3], \"y\": [1000, null, 10, 0.1]}]}",
    "{\"x\": {\"label\": \"between\", \"unit\": \"%\", \"range\": [-6, 106], \"ticks\": [{\"v\": 0, \"label\": "
    "\"lower\"},"
    "{\"v\": 100, \"label\": \"upper\"}]}, \"y\": {\"label\": \"variable\", \"names\": [" NAMES
    "]}, \"series\": ["
    "{\"name\": \"way\", \"unlisted\": true, \"mute\": true, \"colour\": \"before\", \"x\": [3, 9, null, 5], \"y\": "
    "[0, 0, 0, 1]},"
    "{\"name\": \"at a bound\", \"kind\": \"points\", \"colour\": \"bound\", \"x\": [9, 100], \"y\": [0, 2]}]}",
    "{\"x\": {\"label\": \"t\", \"unit\": \"s\"}, \"y\": {\"label\": \"y\", \"unit\": \"-\"}, \"series\": [{\"name\": "
    "\"band\","
    "\"kind\": \"band\", \"colour\": \"after\", \"x\": [0, 1], \"y\": [0, 1], \"upper\": [1, 3]}, {\"name\": "
    "\"model\", \"colour\": 3,"
    "\"x\": [0, 1], \"y\": [0.5, 2]}], \"levels\": [{\"y\": 2.5, \"kind\": \"bound\", \"text\": \"near\"}, {\"y\": "
    "900, \"kind\":"
    "\"target\", \"text\": \"far\"}, {\"x\": 0.5, \"kind\": \"target\", \"text\": \"upright\"}]}",
    "{\"kind\": \"parts\", \"y\": {\"label\": \"eigenvalue\"}, \"rows\": [1e-9, 2.5, 4000], \"columns\": [" NAMES
    "],"
    "\"parts\": [[0.6, 0.8, 0], [-0.8, 0.6, 0], [0, 0, 1]]}",
    "{\"kind\": \"map\", \"x\": {\"label\": \"x_1\", \"unit\": \"m\"}, \"y\": {\"label\": \"y\"}, \"z\": {\"label\": "
    "\"objective\","
    "\"log\": true}, \"grid\": [4, 3], \"best\": 5, \"points\": {\"x\": [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3], \"y\": "
    "[0, 0, 0, 0, 1, 1, 1, 1,"
    "2, 2, 2, 2], \"z\": [4, 3, 5, 6, 2, 1, 3, 5, 4, 2, null, 6]}}",
    "{\"kind\": \"map\", \"x\": {\"label\": \"x_1\", \"unit\": \"m\"}, \"y\": {\"label\": \"y\"}, \"z\": {\"label\": "
    "\"objective\","
    "\"log\": true}, \"best\": 0, \"points\": {\"x\": [0, 1, 2, 3], \"y\": [1000, null, 10, 0.1], \"z\": [1, 10, 100, "
    "1000]}}",
    "{\"kind\": \"parallel\", \"z\": {\"label\": \"objective\", \"log\": true}, \"axes\": [{\"label\": \"k_f\", "
    "\"range\": [1, 4]},"
    "{\"label\": \"c^f\", \"range\": [null, null]}, {\"label\": \"it's <a> & {b}\", \"range\": [3, 3]}], \"values\": "
    "[[1, 2, 3], [4, 5, 3],"
    "[2, 9, 3]], \"values_z\": [1, 10, 100]}",
    "{\"x\": {\"label\": \"ratio\", \"log\": true, \"range\": [0.97, 9]}, \"y\": {\"label\": \"share of problems "
    "solved\"}, \"series\": ["
    "{\"name\": \"one\", \"kind\": \"steps\", \"x\": [1, 2.5, 8], \"y\": [0.25, 0.5, 1]},"
    "{\"name\": \"two\", \"kind\": \"steps\", \"x\": [1, 4], \"y\": [0.5, 0.75]}]}"};
enum { N_KINDS = sizeof specs / sizeof *specs };

static mbd_status draw_text(const char *spec, figure_format format, const char *path, char **text, mbd_error *err) {
  json_t *o = json_loads(spec, 0, NULL);
  CU_ASSERT_PTR_NOT_NULL_FATAL(o);
  const mbd_status status = figure_draw(o, format, path, text, err);
  json_decref(o);
  return status;
}

static char *svg_of(const char *spec) {
  mbd_error err = {0};
  char *text = NULL;
  must(draw_text(spec, FIGURE_SVG, NULL, &text, &err), &err);
  return text;
}

static char *svg(int kind) {
  return svg_of(specs[kind]);
}

static void test_texts(void) {
  static const char *const part[N_KINDS][4] = {{"k_f^2 it's &lt;a> &amp; {b}", "down", "x_1 [m]", "objective"},
                                               {"k_f", "it's &lt;a> &amp; {b}", "at a bound", "upper"},
                                               {"band", "near", "upright", "t [s]"},
                                               {"it's &lt;a> &amp; {b}", "1e-09", "4e+03", "+0.800"},
                                               {"x_1 [m]", "objective", "best", "y"},
                                               {"x_1 [m]", "objective", "best", "y"},
                                               {"k_f", "c^f", "it's &lt;a> &amp; {b}", "objective"},
                                               {"one", "two", "ratio", "share of problems solved"}};
  for (int k = 0; k < N_KINDS; k++) {
    char *text = svg(k);
    for (int i = 0; i < 4; i++) { has(k, text, part[k][i]); }
    free(text);
  }
}

/* Series that are not listed, and levels far away, which would leave curves flat, have no name in the key; "-" is no unit. */
static void test_left_out(void) {
  char *text = svg(1);
  CU_ASSERT_PTR_NULL(strstr(text, "way"));
  free(text);
  text = svg(2);
  CU_ASSERT_PTR_NULL(strstr(text, ">far<"));
  CU_ASSERT_PTR_NULL(strstr(text, "[-]"));
  free(text);
}

/* Where the text ">WORD<" stands in the picture. */
static void place_of(const char *picture, const char *word, double place[2]) {
  char text[40];
  snprintf(text, sizeof text, ">%s<", word);
  const char *at = strstr(picture, text);
  while (at && at > picture && strncmp(at, "translate(", 10) != 0) { at--; }
  CU_ASSERT_PTR_NOT_NULL_FATAL(at);
  place[0] = atof(at + 10), place[1] = atof(strchr(at, ',') + 1);
}

/* Windows, bands, lines and crosses are drawn and named, those alike once; far away ones leave the curve its size; a unit has one length on equal axes. */
static void test_shapes(void) {
  static const char spec[] =
      "{\"x\": {\"label\": \"x\"}, \"y\": {\"label\": \"y\"}, %s \"series\": [{\"name\": \"a\", \"x\": [10, 13], "
      "\"y\": [20, 21]}], "
      "\"shapes\": [{\"kind\": \"window\", \"points\": [[11, 0], [12, 0]], \"text\": \"counts\"}, {\"kind\": \"band\", "
      "\"points\": "
      "[[10, 20.4], [13, 20.4], [13, 20.6], [10, 20.6]], \"text\": \"allowed\"}, {\"kind\": \"bound\", \"points\": "
      "[[11, 20.4], "
      "[12, 20.4]], \"text\": \"limit\"}, {\"kind\": \"bound\", \"points\": [[11, 20.6], [12, 20.6]], \"text\": "
      "\"limit\"}, {\"kind\": "
      "\"target\", \"points\": [[11.5, 20.5]], \"text\": \"wanted\"}, {\"kind\": \"target\", \"points\": [[10, 900], "
      "[13, 900]], "
      "\"text\": \"far\"}]}";
  char equal[1200], free_axes[1200];
  double from[2], to[2], up[2], down[2];
  snprintf(equal, sizeof equal, spec, "\"equal\": true,"), snprintf(free_axes, sizeof free_axes, spec, "");
  char *text = svg_of(equal);
  static const char *const part[] = {">counts<", ">allowed<", ">limit<", ">wanted<"};
  for (int i = 0; i < 4; i++) {
    has(0, text, part[i]);
    const char *first = strstr(text, part[i]);
    CU_ASSERT_PTR_NULL(first ? strstr(first + 1, part[i]) : NULL);
  }
  has(0, text, "fill-opacity = '0.080000'"), has(0, text, "fill-opacity = '0.120000'");
  place_of(text, "11", from), place_of(text, "12", to), place_of(text, "20.4", down), place_of(text, "20.6", up);
  CHECK_NEAR("length of a unit", (down[1] - up[1]) / 0.2, to[0] - from[0], to[0] - from[0], 0.01);
  free(text);
  text = svg_of(free_axes);
  place_of(text, "20.4", down), place_of(text, "20.6", up);
  CU_ASSERT(down[1] - up[1] > 30); /* 900 is not on the axis */
  free(text);
}

/* The first name is on top, and a line is interrupted where a number is missing. */
static void test_rows(void) {
  const char *const rows =
      "{\"x\": {\"label\": \"x\"}, \"y\": {\"label\": \"y\", \"names\": [\"first\", \"second\"]}, \"series\": ["
      "{\"name\": \"a\", \"x\": [0, 1, %s 2, 3], \"y\": [0, 0, %s 1, 1]}]}";
  double first[2], second[2];
  char whole[400], broken[400];
  snprintf(whole, sizeof whole, rows, "", ""), snprintf(broken, sizeof broken, rows, "null, null,", "0, 0,");
  char *text = svg_of(whole), *other = svg_of(broken);
  place_of(text, "first", first), place_of(text, "second", second);
  CU_ASSERT(first[1] < second[1]);
  CU_ASSERT(strcmp(text, other) != 0);
  free(text), free(other);
}

/* Numbers that differ late have tics that differ; names that are longer than an axis stand above it, whole. */
static void test_readable(void) {
  const char *const name = "front_left.very_long_name_of_a_body.angular_acceleration.x [rad/s^2]";
  char *text = svg_of(
      "{\"x\": {\"label\": \"t\", \"unit\": \"s\"}, \"y\": {\"label\": "
      "\"front_left.very_long_name_of_a_body.angular_acceleration.x\","
      "\"unit\": \"rad/s^2\"}, \"series\": [{\"name\": \"a\", \"x\": [0, 1, 2, 3], \"y\": [100000.001, 100000.002, "
      "100000.004,"
      "100000.003]}]}");
  has(0, text, ">100000.001<");
  has(0, text, ">100000.002<");
  has(0, text, name);
  const char *at = strstr(text, name);
  while (at > text && strncmp(at, "<g ", 3) != 0) { at--; } /* how the text is placed */
  CU_ASSERT(strncmp(at, "<g ", 3) == 0);
  const size_t n = strcspn(at, ">");
  const char *turned = strstr(at, "rotate(");
  CU_ASSERT(!turned || (size_t)(turned - at) > n);
  free(text);
}

/* A map of n points (i, i) with values z. */
static char *map_of(int n, const double *z, int log) {
  mbd_error err = {0};
  char *text = NULL;
  json_t *x = json_array();
  for (int i = 0; i < n; i++) { json_array_append_new(x, json_integer(i)); }
  json_t *o =
      json_pack("{s:s, s:{s:s}, s:{s:s}, s:{s:s, s:b}, s:{s:O, s:o, s:o}}", "kind", "map", "x", "label", "x", "y",
                "label", "y", "z", "label", "z", "log", log, "points", "x", x, "y", x, "z", json_numbers(z, n));
  must(figure_draw(o, FIGURE_SVG, NULL, &text, &err), &err);
  json_decref(o);
  return text;
}

/* Values 0 .. 39 and one far away: colours end where the others do, and the label says so. Twice as far as they reach is not far. */
static void test_colours(void) {
  enum { N = 41 };
  double z[N];
  for (int i = 0; i < N; i++) { z[i] = i; }
  for (int far = 0; far < 2; far++) {
    z[N - 1] = far ? 5000 : 75;
    char *text = map_of(N, z, 0);
    CU_ASSERT_EQUAL(strstr(text, "z (up to 5000)") != NULL, far);
    free(text);
  }
}

/* Runs that all found one optimum: what differs by rounding is no range of colours. */
static void test_one_optimum(void) {
  enum { N = 8 };
  double z[N];
  for (int i = 0; i < N; i++) { z[i] = 0.0016337116200115 * (1 + i * 1e-15); }
  z[N - 1] *= 1 + 1e-12;
  for (int log = 0; log < 2; log++) {
    char *text = map_of(N, z, log);
    CU_ASSERT_PTR_NULL(strstr(text, "up to"));
    free(text);
  }
}

/* As of runs that all failed, and of numbers that a logarithmic axis cannot show. */
static void test_nothing_to_draw(void) {
  static const char *const none[] = {
      "{\"x\": {\"label\": \"x\"}, \"y\": {\"label\": \"y\"}, \"series\": [{\"name\": \"a\", \"x\": [0, 1], \"y\": "
      "[null, null]},"
      "{\"name\": \"b\", \"x\": [], \"y\": []}]}",
      "{\"x\": {\"label\": \"x\"}, \"y\": {\"label\": \"y\", \"log\": true}, \"series\": [{\"name\": \"a\", \"x\": [0, "
      "1], \"y\": [0, -1]}]}",
      "{\"kind\": \"map\", \"x\": {}, \"y\": {}, \"z\": {}, \"grid\": [2, 2], \"points\": {\"x\": [0, 1, 0, 1], \"y\": "
      "[0, 0, 1, 1], \"z\": "
      "[null, null, null, null]}}",
      "{\"kind\": \"parallel\", \"axes\": [{\"label\": \"a\", \"range\": [0, 1]}], \"z\": {}, \"values\": [[1]], "
      "\"values_z\": [null]}",
      "{\"kind\": \"parts\", \"y\": {}, \"rows\": [], \"columns\": [], \"parts\": []}"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    mbd_error err = {0};
    char *text = NULL;
    CU_ASSERT_EQUAL(draw_text(none[i], FIGURE_SVG, NULL, &text, &err), MBD_NOT_FINITE);
    CHECK_CONTAINS(err.text, "no number to be drawn");
    CU_ASSERT_PTR_NULL(text);
  }
}

/* One number is enough; a surface may be a plain. */
static void test_little_to_draw(void) {
  static const char *const map =
      "{\"kind\": \"map\", \"x\": {\"log\": true}, \"y\": {}, \"z\": {\"log\": true}, %s \"points\":"
      "{\"x\": [1, 2, 1, 2], \"y\": [1, 1, 2, 2], \"z\": %s}}";
  static const char *const little[] = {"[null, 2, null, null]", "[3, 3, 3, 3]"};
  char spec[400];
  free(
      svg_of("{\"x\": {\"log\": true}, \"y\": {\"log\": true}, \"series\": [{\"name\": \"a\", \"x\": [1, 2], \"y\": "
             "[null, 2]}]}"));
  for (int k = 0; k < 4; k++) {
    snprintf(spec, sizeof spec, map, k < 2 ? "\"grid\": [2, 2]," : "", little[k % 2]);
    char *text = svg_of(spec);
    CU_ASSERT_PTR_NOT_NULL(text);
    free(text);
  }
}

/* A logarithmic axis from 15 to 40 has no power of ten; one from 1 to 1.4 only one. */
static void test_short_logarithm(void) {
  char *text = svg_of(
      "{\"x\": {\"log\": true}, \"y\": {}, \"series\": [{\"name\": \"a\", \"x\": [15, 25, 40], \"y\": [1, 2, 3]}]}");
  has(0, text, ">15<");
  has(0, text, ">30<");
  free(text);
  text = svg_of(
      "{\"x\": {\"log\": true}, \"y\": {}, \"series\": [{\"name\": \"a\", \"x\": [1, 1.2, 1.4], \"y\": [1, 2, 3]}]}");
  has(0, text, ">1.1<");
  has(0, text, ">1.3<");
  free(text);
}

static void file_name(const char *name, int number, const char *expected) {
  char *got = figure_file_name(strdup(name), number);
  CU_ASSERT_STRING_EQUAL(got, expected);
  free(got);
}

static void test_file_names(void) {
  char name[400] = "", cut[200] = "";
  memset(name, 'x', 399), memset(cut, 'x', 180);
  name[399] = '\0';
  file_name("psi1_../a b/\xc3\xbc.csv", 1, "psi1_.._a_b___.csv");
  file_name("a-b_C.9", 2, "a-b_C.9_2");
  file_name(name, 1, cut);
  CU_ASSERT_PTR_NULL(figure_file_name(NULL, 2));
}

static void head(const char *path, char text[9]) {
  FILE *in = fopen(path, "rb");
  memset(text, 0, 9);
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  CU_ASSERT_EQUAL(fread(text, 1, 8, in), 8);
  fclose(in);
  unlink(path);
}

static void test_files(void) {
  static const char *const begins[] = {"<?xml", "\x89PNG\r\n\x1a\n", "%PDF-"};
  char path[100], got[9];
  for (int k = 0; k < N_KINDS; k++) {
    for (int i = FIGURE_SVG; i <= FIGURE_PDF; i++) {
      mbd_error err = {0};
      snprintf(path, sizeof path, "%s/%d.%s", folder, k, figure_format_name((figure_format)i));
      must(draw_text(specs[k], (figure_format)i, path, NULL, &err), &err);
      head(path, got);
      CU_ASSERT(strncmp(got, begins[i], strlen(begins[i])) == 0);
    }
  }
}

static void test_refusals(void) {
  mbd_error err = {0};
  figure_format f;
  char *out = NULL;
  size_t n;
  const char wrong[] = "set terminal svg\nplot nothing\n", nowhere[] = "set terminal svgg\n";
  CU_ASSERT_EQUAL(gnuplot_run(wrong, &out, &n, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "undefined variable: nothing");
  CU_ASSERT_EQUAL(gnuplot_run(nowhere, &out, &n, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "install the package gnuplot-nox");
  CU_ASSERT_PTR_NULL(out);
  CU_ASSERT_EQUAL(figure_format_find("pgn", &f, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "expected svg, png or pdf, did you mean 'png'?");
  CU_ASSERT_EQUAL(draw_text(specs[0], FIGURE_PNG, NULL, &out, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "svg, not png");
  CU_ASSERT_EQUAL(draw_text(specs[0], FIGURE_PNG, "/nowhere/x.png", NULL, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "/nowhere/x.png cannot be written");
}

static void test_missing(void) {
  char *path = strdup(getenv("PATH")), *out = NULL;
  size_t n;
  mbd_error err = {0};
  setenv("PATH", folder, 1);
  CU_ASSERT_EQUAL(gnuplot_run("", &out, &n, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "install the package gnuplot-nox");
  setenv("PATH", path, 1);
  free(path);
}

int main(void) {
  if (!mkdtemp(folder)) { return 2; }
  const test_entry all[] = {TEST(test_missing),         TEST(test_file_names),      TEST(test_texts),
                            TEST(test_left_out),        TEST(test_shapes),          TEST(test_rows),
                            TEST(test_readable),        TEST(test_files),           TEST(test_refusals),
                            TEST(test_colours),         TEST(test_short_logarithm), TEST(test_one_optimum),
                            TEST(test_nothing_to_draw), TEST(test_little_to_draw)};
  const int n = (int)(sizeof all / sizeof all[0]), drawn = there();
  if (!drawn) { printf("no gnuplot: nothing is drawn; install the package gnuplot-nox\n"); }
  const int failed = test_run(__FILE__, all, drawn ? n : 2);
  rmdir(folder);
  return failed;
}
