/* True values of smooth extrema and quantiles of motions that are known: a carriage driven by a curve, and quantities of its place, sampled coarsely. */
#include "model.h"
#include "slide.h"

static const double pi = 3.14159265358979323846;

/* A carriage driven as x = 0.3 + 0.5 sin(2 pi t + 0.4); `place` is x; `jump` goes from 0 to 1 at 0.33 s, and `tooth` falls
 * to 0 after such a jump. */
static const char carriage[] =
    "schema = 1\n"
    "[model]\n"
    "title = a carriage driven to and fro\n" CARRIAGE_ON_A_RAIL
    "[curve swing]\n"
    "type = harmonic\n"
    "coefficients = 0.3, 0.5, 2*pi, 0.4\n"
    "[curve wanted]\n"
    "type = polynomial\n"
    "coefficients = 0, 0.2\n"
    "[constraint drive]\n"
    "type = driven_coordinate\n"
    "coordinate = slide.distance\n"
    "motion = swing\n"
    "[quantity place]\n"
    "value = slide.distance\n"
    "unit = m\n"
    "[quantity jump]\n"
    "value = min(max(1e6*(time - 0.33), 0), 1)\n"
    "[quantity tooth]\n"
    "value = min(max(1e6*(time - 0.33), 0), 1)*(1 - time)\n";
static const double mean = 0.3, amplitude = 0.5, phase = 0.4;

typedef struct true_value {
  double psi, value, time, range;
  int smooths;
} true_value;

/* Runs n terms, each a psi of its own, of an output. */
static void simulate(const char *output, const char *integrator, double duration, double step, int n, mbd_term *term,
                     true_value *out) {
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c;
  double psi[16];
  test_model q = model_open_text(carriage);
  const int place = model_output(&q, output);
  mbd_case_init(&c);
  c.duration = duration, c.step = step, c.integrator = integrator;
  if (strcmp(integrator, "newmark") != 0) { c.formulation = "matrix_r"; }
  for (int i = 0; i < n; i++) { term[i].psi = i, term[i].output = place; }
  must(mbd_sim_create(q.m, &c, q.o, n, term, n, 0, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 0, NULL, psi, NULL, NULL, NULL, NULL, &err), &err);
  for (int i = 0; i < n; i++) {
    out[i] = (true_value){.psi = psi[i], .value = NAN, .time = NAN, .range = NAN};
    out[i].smooths = mbd_sim_true_value(s, i, &out[i].value, &out[i].time, &out[i].range);
  }
  mbd_sim_destroy(s), model_close(&q);
}

/* The error of the true peak, with steps so that it lies in the middle between the nodes `node` and `node` + 1. */
static double error_of_peak(const char *integrator, int node) {
  const double at = 0.25 - phase / (2 * pi), step = at / (node + 0.5), duration = 12 * node * step;
  mbd_term t = {.form = "peak", .weight = 1, .sharpness = 50, .until = {MBD_MOMENT_TIME, 0, 2 * at}};
  true_value out;
  simulate("place", integrator, duration, step, 1, &t, &out);
  CU_ASSERT(out.smooths);
  CHECK_CLOSE("when", out.time, at, 1e-3);
  return fabs(out.value - (mean + amplitude));
}

/* Between the nodes the error falls with the fourth power of the step, and in schemes of order four with the sixth. */
static void test_order(void) {
  const double coarse = error_of_peak("newmark", 4), fine = error_of_peak("newmark", 13); /* a third of the step */
  CU_ASSERT(coarse < 1e-3);
  CHECK_CLOSE("order four", log(coarse / fine) / log(3), 4, 0.2);
  const double coarse_4 = error_of_peak("runge_kutta_4", 4), fine_4 = error_of_peak("runge_kutta_4", 13);
  CU_ASSERT(coarse_4 < 1e-4);
  CHECK_CLOSE("order six", log(coarse_4 / fine_4) / log(3), 6, 0.3);
}

/* The extremes of 0.3 + 0.5 sin are 0.8 and -0.2, each with its time. */
static void test_extremes(void) {
  mbd_term t[] = {
      {.form = "peak", .weight = 1, .sharpness = 50},
      {.form = "trough", .weight = -2, .sharpness = 50},
      {.form = "range", .weight = 1, .sharpness = 50},
      {.form = "peak_abs", .weight = 1, .target = 0.5, .sharpness = 50, .smoothing = 0.1},
      {.form = "peak_abs", .weight = 1, .target = -1, .sharpness = 50},
      {.form = "mean_square", .weight = 1},
  };
  enum { N = sizeof t / sizeof t[0] };
  const double top = 0.25 - phase / (2 * pi), bottom = top + 0.5, tol = 2e-5;
  true_value v[N];
  simulate("place", "newmark", 1, 1.0 / 41, N, t, v);
  for (int i = 0; i < N - 1; i++) { CU_ASSERT(v[i].smooths); }
  CHECK_CLOSE("peak", v[0].value, 0.8, tol);
  CHECK_CLOSE("its time", v[0].time, top, 1e-3);
  CHECK_CLOSE("its range", v[0].range, 1, 2 * tol);
  CHECK_CLOSE("trough", v[1].value, -2 * -0.2, 2 * tol);
  CHECK_CLOSE("its time", v[1].time, bottom, 1e-3);
  CHECK_CLOSE("range", v[2].value, 1, 2 * tol);
  CU_ASSERT(isnan(v[2].time));
  CHECK_CLOSE("a negative one is larger", v[3].value, 0.7, tol);
  CHECK_CLOSE("its time", v[3].time, bottom, 1e-3);
  CHECK_CLOSE("from zero", v[3].range, 0.7, tol);
  CHECK_CLOSE("no sign changes", v[4].value, 1.8, tol);
  CHECK_CLOSE("not from zero", v[4].range, 1, 2 * tol);
  CU_ASSERT(!v[5].smooths && isnan(v[5].value));
}

/* In a window the extremum can be at an end, between two nodes; there x falls, so that it is below a value in the last part of it. A target curve 0.2 t is subtracted: cos(2 pi t + 0.4) = 0.2/pi at the peak. */
static void test_window(void) {
  const mbd_moment begin = {MBD_MOMENT_TIME, 0, 0.3}, end = {MBD_MOMENT_TIME, 0, 0.61};
  mbd_term t[] = {{.form = "peak", .weight = 1, .sharpness = 50, .from = begin, .until = end},
                  {.form = "trough", .weight = 1, .sharpness = 50, .from = begin, .until = end},
                  {.form = "peak", .weight = 1, .sharpness = 50, .target_curve = "wanted"},
                  {.form = "quantile", .weight = 1, .level = 0.25, .width = 0.05, .from = begin, .until = end}};
  true_value v[4];
  simulate("place", "newmark", 1, 1.0 / 41, 4, t, v);
  CHECK_CLOSE("at the beginning", v[0].value, mean + amplitude * sin(2 * pi * 0.3 + phase), 2e-5);
  CHECK_CLOSE("its time", v[0].time, 0.3, 1e-12);
  CHECK_CLOSE("at the end", v[1].value, mean + amplitude * sin(2 * pi * 0.61 + phase), 2e-5);
  CHECK_CLOSE("its time", v[1].time, 0.61, 1e-12);
  const double at = (acos(0.2 / pi) - phase) / (2 * pi);
  CHECK_CLOSE("quantile", v[3].value, mean + amplitude * sin(2 * pi * (0.61 - 0.25 * 0.31) + phase),
              2e-4); /* of the parabola in a cell: h^3 max |x'''|/(9 sqrt(3)) = 1.2e-4 */
  CHECK_CLOSE("less a curve", v[2].value, mean + amplitude * sin(2 * pi * at + phase) - 0.2 * at, 2e-5);
  CHECK_CLOSE("its time", v[2].time, at, 1e-3);
}

/* A jump and a tooth, which falls after its jump, reach no higher than at their nodes: 1, and 1 - 0.4 at the first node after the jump. */
static void test_jumps(void) {
  mbd_term t[] = {{.form = "peak", .weight = 1, .sharpness = 50}, {.form = "trough", .weight = 1, .sharpness = 50}};
  true_value v[2];
  simulate("jump", "newmark", 1, 0.1, 2, t, v);
  CHECK_CLOSE("after a jump", v[0].value, 1, 1e-15);
  CHECK_CLOSE("before it", v[1].value, 0, 1e-15);
  simulate("tooth", "newmark", 1, 0.1, 2, t, v);
  CHECK_CLOSE("after the jump of a tooth", v[0].value, 0.6, 1e-15);
  CHECK_CLOSE("its time", v[0].time, 0.4, 1e-15);
}

/* A quarter of the time 0.3 + 0.5 sin is below 0.3 - 0.5/sqrt(2), in whole periods; the mean of |0.5 sin| is 1/pi. */
static void test_distributions(void) {
  mbd_term t[] = {{.form = "quantile", .weight = 1, .level = 0.25, .width = 0.05},
                  {.form = "integral_abs", .weight = 1, .target = 0.3, .smoothing = 0.1},
                  {.form = "integral_square_above", .weight = 1, .target = 0.3, .smoothing = 0.1}};
  true_value v[3];
  simulate("place", "newmark", 2, 1.0 / 41, 3, t, v);
  CHECK_CLOSE("quantile", v[0].value, mean - amplitude / sqrt(2), 1e-4);
  CHECK_CLOSE("its range", v[0].range, 1, 1e-4);
  CHECK_CLOSE("integral of |s|", v[1].value, 2 * 2 * amplitude / pi, 1e-5);
  CHECK_CLOSE("integral of max(s, 0)^2", v[2].value, 2 * amplitude * amplitude / 4, 1e-5);
  CU_ASSERT(fabs(v[0].psi - v[0].value) > 1e-3 && fabs(v[1].psi - v[1].value) > 1e-3);
  CU_ASSERT(isnan(v[1].time) && isnan(v[1].range));
}

/* Steps that the integrator chooses have no nodes of their own: extremes are those between the Gauss points. */
static void test_own_steps(void) {
  mbd_term t = {.form = "peak", .weight = 1, .sharpness = 50};
  true_value v;
  simulate("place", "dormand_prince", 1.3, 0.1, 1, &t, &v);
  CHECK_CLOSE("peak", v.value, 0.8, 1e-4);
}

TEST_MAIN(TEST(test_order), TEST(test_extremes), TEST(test_window), TEST(test_jumps), TEST(test_distributions),
          TEST(test_own_steps))
