/* Smooth maxima and minima over time of a motion that is known: a carriage driven as  s = c0 + c1 sin(c2 t + c3). */
#include "model.h"
#include "slide.h"

static const double pi = 3.14159265358979323846;
static const double mean = 0.3, amplitude = 0.5, duration = 4, step = 1e-3; /* four periods of one second */

static const char carriage[] =
    "schema = 1\n"
    "[model]\n"
    "title = a carriage driven to and fro\n" CARRIAGE_ON_A_RAIL
    "[curve swing]\n"
    "type = harmonic\n"
    "coefficients = 0.3, 0.5, 2*pi, 0\n"
    "[constraint drive]\n"
    "type = driven_coordinate\n"
    "coordinate = slide.distance\n"
    "motion = swing\n";

/* Values of n terms, each a psi of its own, of the carriage's place. */
static void simulate(int n, mbd_term *term, double *psi) {
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c;
  test_model q = model_open_text(carriage);
  const int place = model_output(&q, "slide.distance");
  mbd_case_init(&c);
  c.duration = duration;
  c.step = step;
  for (int i = 0; i < n; i++) { term[i].psi = i, term[i].output = place; }
  must(mbd_sim_create(q.m, &c, q.o, n, term, n, 0, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 0, NULL, psi, NULL, NULL, NULL, NULL, &err), &err);
  mbd_sim_destroy(s), model_close(&q);
}

/* Modified Bessel function of the first kind: the mean of exp(x sin) over a period. */
static double bessel_i0(double x) {
  double term = 1, sum = 1;
  for (int k = 1; k < 500; k++) { term *= x * x / (4.0 * k * k), sum += term; }
  return sum;
}

enum { SHARPER = 5 };
static const double sharpness[SHARPER] = {1, 10, 100, 1000, 1e5};

/* From below, within ln(duration/tau)/sharpness, where tau is the time spent within 1/sharpness of the maximum, less that
 * distance itself; sharper is closer; and equal to the closed form, mean + ln(I0(sharpness amplitude))/sharpness. */
static void test_peak(void) {
  mbd_term t[SHARPER];
  double psi[SHARPER];
  const double top = mean + amplitude;
  for (int i = 0; i < SHARPER; i++) { t[i] = (mbd_term){.form = "peak", .weight = 1, .sharpness = sharpness[i]}; }
  simulate(SHARPER, t, psi);
  for (int i = 0; i < SHARPER; i++) {
    const double p = sharpness[i], a = acos(fmax(-1, 1 - 1 / (p * amplitude))), tau = duration * a / pi;
    CU_ASSERT(psi[i] < top);
    CU_ASSERT(top - psi[i] <= (log(duration / tau) + 1) / p);
    if (i > 0) { CU_ASSERT(top - psi[i] < top - psi[i - 1]); }
    if (p <= 1000) { CHECK_CLOSE("closed form", psi[i], mean + log(bessel_i0(p * amplitude)) / p, 1e-11); }
  }
  CHECK_CLOSE("the sharpest", psi[SHARPER - 1], top, 1e-4);
}

/* A trough is the peak turned over; the peak of the absolute value is the larger of both, up to ln 2/sharpness. */
static void test_mirrors(void) {
  const double p = 200;
  mbd_term t[] = {
      {.form = "peak", .weight = 1, .target = mean, .sharpness = p},
      {.form = "trough", .weight = 1, .target = mean, .sharpness = p},
      {.form = "peak_abs", .weight = 1, .target = mean, .sharpness = p},
      {.form = "trough", .weight = 1, .sharpness = p},
      {.form = "peak_abs", .weight = 1, .sharpness = p},
      {.form = "peak", .weight = 1, .sharpness = p},
      {.form = "peak_abs", .weight = 1, .target = 10, .sharpness = p},
      {.form = "peak", .weight = -3, .target = mean, .sharpness = p},
  };
  enum { N = sizeof t / sizeof t[0] };
  double psi[N];
  simulate(N, t, psi);
  CHECK_CLOSE("trough and peak about the middle", psi[1], -psi[0], 1e-12);
  CHECK_CLOSE("both sides", psi[2], psi[0] + log(2) / p, 1e-12);
  CU_ASSERT(psi[3] > mean - amplitude); /* a minimum is approached from above */
  CHECK_CLOSE("trough", psi[3], psi[1] + mean, 1e-12);
  CHECK_CLOSE("the far side does not count", psi[4], psi[5], 1e-12);
  CHECK_CLOSE("a value that is always negative", psi[6], 10 - psi[3], 1e-11);
  CHECK_CLOSE("weight", psi[7], -3 * psi[0], 1e-12);
}

TEST_MAIN(TEST(test_peak), TEST(test_mirrors))
