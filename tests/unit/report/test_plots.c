/* Figures: names come out as they are, every kind is drawn in every format, refusals say why. */
#include <math.h>
#include <unistd.h>

#include "report/gnuplot.h"
#include "report/plots.h"
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

static const double x4[] = {0, 1, 2, 3}, up[] = {1, 10, 100, 1000}, down[] = {1e3, NAN, 10, 0.1}, zero[4];
static const char *const names[] = {"k_f", "c^f", "it's <a> & {b}"};

/* As CHECK_CONTAINS, without showing a whole picture. */
static void has(int kind, const char *picture, const char *text) {
  if (!strstr(picture, text)) { printf("\n  kind %d: no \"%s\" in the picture\n", kind, text); }
  CU_ASSERT_PTR_NOT_NULL(strstr(picture, text));
}

/* One of every kind. */
static mbd_status draw(int kind, figure_target *t, mbd_error *err) {
  static const double lower[] = {0, 0, -INFINITY}, upper[] = {10, 4, 1}, start[] = {5, 1, 0}, result[] = {7.5, 0, 0.5};
  static const double eigen[] = {1e-9, 2.5, 4e3}, directions[] = {0.6, 0.8, 0, -0.8, 0.6, 0, 0, 0, 1};
  static const double grid[] = {4, 3, 5, 6, 2, 1, 3, 5, 4, 2, NAN, 6}, value[] = {1, 2, 3, 4, 5, 6, 1, 9, 3};
  static const double share[] = {0.25, 0.5, 1}, ratio[] = {1, 2.5, 8}, few[] = {0.5, 0.75}, early[] = {1, 4};
  const plot_curve curves[] = {{"k_f^2 it's <a> & {b}", PLOT_POINTS, 4, x4, up}, {"down", PLOT_LINE, 4, x4, down}};
  const plot_curve violation[] = {{"none", PLOT_LINE, 4, x4, zero}, {"down", PLOT_LINE, 4, x4, down}};
  const plot_curve profile[] = {{"one", PLOT_STEPS, 3, ratio, share}, {"two", PLOT_STEPS, 2, early, few}};
  const plot_axis x = {"x_1 [m]", 0}, y = {"y", 0}, log_z = {"objective", 1};
  switch (kind) {
    case 0: return plot_curves(t, x, log_z, 2, curves, err);
    case 1: return plot_convergence(t, "designs", "objective", 2, curves, violation, err);
    case 2: return plot_bounds(t, 3, names, lower, upper, start, result, err);
    case 3: return plot_directions(t, 3, eigen, 3, names, directions, err);
    case 4: return plot_contours(t, x, y, log_z, 4, x4, 3, x4, grid, 5, err);
    case 5: return plot_scatter(t, x, y, log_z, 4, x4, down, up, 0, err);
    case 6: return plot_parallel(t, 3, names, NULL, log_z, 3, value, up, err);
    default: return plot_profiles(t, (plot_axis){"ratio", 1}, 2, profile, err);
  }
}
enum { N_KINDS = 8 };

static char *svg(int kind) {
  mbd_error err = {0};
  figure_target t = {0};
  must(draw(kind, &t, &err), &err);
  return t.text;
}

static void test_texts(void) {
  static const char *const part[N_KINDS][4] = {{"k_f^2 it's &lt;a> &amp; {b}", "down", "x_1 [m]", "objective"},
                                               {"objective", "violation", "designs", "down"},
                                               {"k_f", "c^f", "at a bound", "upper bound"},
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

/* Without two bounds a variable has no place among the bars. */
static void test_bounds(void) {
  char *text = svg(2);
  CU_ASSERT_PTR_NULL(strstr(text, "{b}"));
  free(text);
  mbd_error err = {0};
  figure_target t = {0};
  const double none = INFINITY, one = 1;
  CU_ASSERT_EQUAL(plot_bounds(&t, 1, names, &one, &none, &one, &one, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "no design variable has two bounds");
  /* bounds decades apart: logarithmic, and said so */
  const char *const wide[] = {"stiffness", "length"};
  const double low[] = {1e3, 0.5}, high[] = {1e6, 4}, from[] = {1e4, 1}, to[] = {1e5, 2};
  must(plot_bounds(&t, 2, wide, low, high, from, to, &err), &err);
  has(2, t.text, "stiffness (log)");
  has(2, t.text, ">length<");
  free(t.text);
}

/* A second panel only where something is violated. */
static void test_violation(void) {
  mbd_error err = {0};
  figure_target t = {0};
  const plot_curve f = {"f", PLOT_LINE, 4, x4, up}, c = {"c", PLOT_LINE, 4, x4, zero};
  must(plot_convergence(&t, "designs", "objective", 1, &f, &c, &err), &err);
  CU_ASSERT_PTR_NULL(strstr(t.text, "violation"));
  has(1, t.text, ">1000<");
  free(t.text);
}

/* Numbers that differ late have tics that differ; names that are longer than an axis stand above it, whole. */
static void test_readable(void) {
  static const double t[] = {0, 1, 2, 3}, late[] = {100000.001, 100000.002, 100000.004, 100000.003};
  const char *const name = "front_left.very_long_name_of_a_body.angular_acceleration.x [rad/s^2]";
  mbd_error err = {0};
  figure_target target = {0};
  const plot_curve c = {NULL, PLOT_LINE, 4, t, late};
  must(plot_curves(&target, (plot_axis){"t [s]", 0}, (plot_axis){name, 0}, 1, &c, &err), &err);
  has(0, target.text, ">100000.001<");
  has(0, target.text, ">100000.002<");
  has(0, target.text, name);
  const char *at = strstr(target.text, name);
  while (at > target.text && strncmp(at, "<g ", 3) != 0) { at--; } /* how the text is placed */
  CU_ASSERT(strncmp(at, "<g ", 3) == 0);
  const size_t n = strcspn(at, ">");
  const char *turned = strstr(at, "rotate(");
  CU_ASSERT(!turned || (size_t)(turned - at) > n);
  free(target.text);
}

static void test_many_variables(void) {
  enum { N = 60 };
  const char *name[N];
  double lower[N], upper[N], x[N];
  for (int i = 0; i < N; i++) { name[i] = "torque", lower[i] = 0, upper[i] = 1, x[i] = i / (double)N; }
  mbd_error err = {0};
  figure_target t = {0};
  must(plot_bounds(&t, N, name, lower, upper, x, x, &err), &err);
  has(2, t.text, "number of the variable");
  CU_ASSERT_PTR_NULL(strstr(t.text, "torque"));
  free(t.text);
}

/* Values 0 .. 39 and one far away: colours end where the others do, and the label says so. Twice as far as they reach is not far. */
static void test_colours(void) {
  enum { N = 41 };
  double x[N], z[N];
  for (int i = 0; i < N; i++) { x[i] = z[i] = i; }
  for (int far = 0; far < 2; far++) {
    mbd_error err = {0};
    figure_target t = {0};
    z[N - 1] = far ? 5000 : 75;
    must(plot_scatter(&t, (plot_axis){"x", 0}, (plot_axis){"y", 0}, (plot_axis){"z", 0}, N, x, x, z, 0, &err), &err);
    CU_ASSERT_EQUAL(strstr(t.text, "z (up to 5000)") != NULL, far);
    free(t.text);
  }
}

/* Runs that all found one optimum: what differs by rounding is no range of colours. */
static void test_one_optimum(void) {
  enum { N = 8 };
  double z[N], value[3 * N];
  for (int i = 0; i < N; i++) { z[i] = 0.0016337116200115 * (1 + i * 1e-15); }
  for (int i = 0; i < 3 * N; i++) { value[i] = i * i % 7; }
  z[N - 1] *= 1 + 1e-12;
  for (int log = 0; log < 2; log++) {
    mbd_error err = {0};
    figure_target t = {0};
    must(plot_parallel(&t, 3, names, NULL, (plot_axis){"objective", log}, N, value, z, &err), &err);
    CU_ASSERT_PTR_NULL(strstr(t.text, "up to"));
    free(t.text);
  }
}

/* As of runs that all failed. */
static void test_nothing_to_draw(void) {
  const double none[] = {NAN, NAN, INFINITY, NAN};
  const plot_curve c[] = {{"a", PLOT_LINE, 4, x4, none}, {"b", PLOT_LINE, 0, NULL, NULL}};
  const plot_axis a = {"a", 1};
  mbd_error err = {0};
  figure_target t = {0};
  CU_ASSERT_EQUAL(plot_curves(&t, a, a, 2, c, &err), MBD_NOT_FINITE);
  CHECK_CONTAINS(err.text, "no number to be drawn");
  CU_ASSERT_EQUAL(plot_convergence(&t, "designs", "objective", 2, c, c, &err), MBD_NOT_FINITE);
  CU_ASSERT_EQUAL(plot_contours(&t, a, a, a, 2, x4, 2, x4, none, -1, &err), MBD_NOT_FINITE);
  CU_ASSERT_EQUAL(plot_scatter(&t, a, a, a, 4, x4, x4, none, -1, &err), MBD_NOT_FINITE);
  CU_ASSERT_EQUAL(plot_parallel(&t, 1, names, NULL, a, 4, x4, none, &err), MBD_NOT_FINITE);
  CU_ASSERT_PTR_NULL(t.text);
}

/* One number is enough; a surface may be a plain. */
static void test_little_to_draw(void) {
  static const double one[] = {NAN, 2, NAN, NAN}, plain[] = {3, 3, 3, 3};
  const plot_curve c = {"a", PLOT_POINTS, 4, x4, one};
  const plot_axis a = {"a", 1};
  for (int k = 0; k < 5; k++) {
    mbd_error err = {0};
    figure_target t = {0};
    const double *z = k % 2 ? plain : one;
    must(k == 0   ? plot_curves(&t, a, a, 1, &c, &err)
         : k <= 2 ? plot_contours(&t, a, a, a, 2, x4, 2, x4, z, 1, &err)
                  : plot_scatter(&t, a, a, a, 4, up, up, z, 1, &err),
         &err);
    CU_ASSERT_PTR_NOT_NULL(t.text);
    free(t.text);
  }
}

/* A logarithmic axis from 15 to 40 has no power of ten. */
static void test_short_logarithm(void) {
  mbd_error err = {0};
  figure_target t = {0};
  const double x[] = {15, 25, 40}, y[] = {1, 2, 3};
  must(plot_scatter(&t, (plot_axis){"x", 1}, (plot_axis){"y", 0}, (plot_axis){"z", 0}, 3, x, y, y, 0, &err), &err);
  has(5, t.text, ">15<");
  has(5, t.text, ">30<");
  free(t.text);
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
      figure_target t = {.format = (figure_format)i, .path = path};
      must(draw(k, &t, &err), &err);
      CU_ASSERT_PTR_NULL(t.text);
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
  figure_target t = {.format = FIGURE_PNG};
  CU_ASSERT_EQUAL(draw(0, &t, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "svg, not png");
  t.path = "/nowhere/x.png";
  CU_ASSERT_EQUAL(draw(0, &t, &err), MBD_IO_ERROR);
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
  const test_entry all[] = {TEST(test_missing),         TEST(test_texts),       TEST(test_bounds),
                            TEST(test_violation),       TEST(test_readable),    TEST(test_many_variables),
                            TEST(test_files),           TEST(test_refusals),    TEST(test_colours),
                            TEST(test_short_logarithm), TEST(test_one_optimum), TEST(test_nothing_to_draw),
                            TEST(test_little_to_draw)};
  const int n = (int)(sizeof all / sizeof all[0]), drawn = there();
  if (!drawn) { printf("no gnuplot: nothing is drawn; install the package gnuplot-nox\n"); }
  const int failed = test_run(__FILE__, all, drawn ? n : 1);
  rmdir(folder);
  return failed;
}
