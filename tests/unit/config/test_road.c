/* Rough roads: the spectral density in octave bands, the mean, numbers that are the same on every machine, and what is refused. */
#include <math.h>

#include "edited.h"
#include "model.h"

static const char model_text[] =
    "schema = 1\n"
    "[scalars]\n"
    "n = 2401\n"
    "rough = 256e-6\n"
    "gain = 1\n"
    "[body wheel]\n"
    "mass = 1\n"
    "com = 0, 0, 0\n"
    "inertia = 1, 1, 1\n"
    "[vector up]\n"
    "along = 0, 0, 1\n"
    "bodies = ground, wheel\n"
    "[joint axle]\n"
    "type = prismatic\n"
    "bodies = ground, wheel\n"
    "axis = up\n"
    "[curve road]\n"
    "type = spline\n"
    "points = n\n"
    "from = 0\n"
    "to = 200\n"
    "road_class = C\n";

enum { N = 2401, LENGTH = 200 };

/* The road of the text with more lines. */
static void heights(const char *from, const char *to, double *y) {
  char text[2000];
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  int n = 0;
  edit(text, sizeof text, model_text, from, to);
  must(read_model(text, &m, &err), &err);
  must(mbo_model_file_points(m, "road", &n, &err), &err);
  CU_ASSERT_EQUAL_FATAL(n, N);
  for (int i = 0; i < n; i++) { y[i] = mbo_model_file_ordinate(m, "road", i + 1); }
  mbo_model_file_destroy(m);
}

/* Mean square of the waves of y with first to last periods on the length, by their Fourier coefficients. */
static double mean_square(const double *y, int first, int last) {
  double sum = 0;
  for (int k = first; k <= last; k++) {
    double a = 0, b = 0;
    for (int i = 0; i < N - 1; i++) {
      const double angle = 2 * acos(-1) * (double)((long)k * i % (N - 1)) / (N - 1);
      a += y[i] * cos(angle), b += y[i] * sin(angle);
    }
    sum += 2 * (a * a + b * b) / ((N - 1.0) * (N - 1.0));
  }
  return sum;
}

/* Octaves from 2^j/L to 2^(j+1)/L, of L/2 waves and more, against the integral of Gd(n) = Gd(n0) (n/n0)^-w from half a wave below the first to
 * half a wave above the last; the midpoints of the waves differ from it by (w + w^2) / (24 k^2) at wave k. */
static void check_density(const double *y, double roughness, double w) {
  const double n0 = 0.1;
  for (int k = 8; k < 512; k *= 2) {
    const double a = (k - 0.5) / LENGTH, b = (2 * k - 0.5) / LENGTH;
    const double expected = roughness * pow(n0, w) / (w - 1) * (pow(a, 1 - w) - pow(b, 1 - w));
    CHECK_CLOSE("octave", mean_square(y, k, 2 * k - 1) / expected, 1, 0.3 / (k * k));
  }
}

static void test_density(void) {
  static const double of_class[] = {16e-6, 64e-6, 256e-6, 1024e-6, 4096e-6, 16384e-6, 65536e-6, 262144e-6};
  double y[N], z[N], mean = 0;
  heights("", "", y);
  check_density(y, 256e-6, 2);
  for (int i = 0; i < N - 1; i++) { mean += y[i] / (N - 1); }
  CHECK_CLOSE("mean", mean, 0, 1e-15);
  /* Waves outside of the band are not there: 0.011 cycles/m are 2.2 waves, 2.83 are 566. */
  CHECK_CLOSE("below the band", mean_square(y, 1, 2), 0, 1e-30);
  CHECK_CLOSE("above the band", mean_square(y, 567, 600), 0, 1e-30);
  CU_ASSERT(mean_square(y, 3, 3) > 1e-5);
  CU_ASSERT(mean_square(y, 566, 566) > 1e-10);
  /* A class is four times as rough as the one before; another waviness. */
  for (int c = 0; c < 8; c++) {
    char line[] = "road_class = A\n";
    line[13] = (char)('A' + c);
    heights("road_class = C\n", line, z);
    CHECK_NEAR("class", z[7], y[7] * sqrt(of_class[c] / 256e-6), fabs(z[7]), 1e-14);
  }
  heights("road_class = C\n", "roughness = rough/2\nwaviness = 2.5\n", z);
  check_density(z, 128e-6, 2.5);
}

/* The sums of the waves, by another program (Python, 17 digits), with splitmix64's numbers. */
static void test_numbers(void) {
  double y[N], z[N];
  heights("", "", y);
  CHECK_CLOSE("first", y[0], -0.019931556143798893, 1e-15);
  CHECK_CLOSE("at 1000/12 m", y[1000], 0.006267624847967472, 1e-15);
  CHECK_CLOSE("last is first", y[N - 1], y[0], 1e-17);
  heights("road_class = C\n", "road_class = C\nseed = 2\n", z);
  CHECK_CLOSE("second seed", z[1000], -7.2244031583717e-05, 1e-15);
  heights("road_class = C\n", "road_class = C\nvalue = 0.1 + x/1000 + gain*noise\n", z);
  CHECK_CLOSE("value", z[1200], 0.1 + 0.1 + y[1200], 1e-16);
  heights("road_class = C\n", "road_class = C\nband = 2/200, 3/200\n", z);
  CHECK_CLOSE("ends of the band are in it", mean_square(z, 2, 3) / mean_square(z, 1, 20), 1, 1e-13);
  CU_ASSERT(mean_square(z, 2, 2) > 1e-5 && mean_square(z, 3, 3) > 1e-5);
}

/* The height may be scaled by a design variable, the roughness not. */
static void test_vary(void) {
  static const char *const gain[] = {"gain"}, *const rough[] = {"rough"};
  char text[2000];
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  edit(text, sizeof text, model_text, "road_class = C", "roughness = rough\nvalue = gain*noise");
  must(read_model(text, &m, &err), &err);
  CU_ASSERT_EQUAL(mbo_model_file_vary(m, 1, rough, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "determines the points of curve 'road', so it cannot vary");
  must(mbo_model_file_vary(m, 1, gain, &err), &err);
  mbo_model_file_destroy(m);
}

static void test_broken(void) {
  static const broken_case cases[] = {
      {"= C", "= K", ":22: [curve road] road_class = K: 'K', expected a class of ISO 8608: A, B, C, D, E, F, G or H"},
      {"= C", "= CC", "'CC', expected a class of ISO 8608"},
      {"road_class = C", "roughness = -rough", "roughness = -rough: the value is -0.000256, expected > 0 [m^3]"},
      {"road_class", "road_clas", "did you mean 'road_class'?"},
      {"= C\n", "= C\nroughness = 1e-6\n", "expected either 'road_class' or 'roughness', not both"},
      {"= C\n", "= C\nseed = 1.5\n", ":23: [curve road] seed = 1.5: the value is 1.5, expected a whole number from 0"},
      {"= C\n", "= C\nband = 1\n", "1 frequencies, expected 2: lowest and highest [cycles/m]"},
      {"= C\n", "= C\nband = 1, 0.5\n", "from 1 to 0.5, expected two frequencies > 0 [cycles/m], the lower one first"},
      {"= C\n", "= C\nband = 0.0011, 0.0012\n", "is 200 m long a whole number of times, expected a longer road"},
      {"n = 2401", "n = 2264", ":19: [curve road] points = n: points are 0.0883783 m apart, and the shortest wave is "},
      {"n = 2401", "n = 2264", "0.353357 m long; expected 4 points a wave, at least points = 2265"},
      {"= C\n", "= C\nvalue = 2*x\n", "value = 2*x: expected noise in it, the height of the rough road"},
      {"gain = 1", "noise = 1", "noise is the height of a rough road here, but also a scalar; expected another name"},
      {"to = 200", "to = -200", "the road is -200 m long, expected 'to' above 'from'"},
      {"to = 200\nroad_class = C", "to = 200\nseed = 2", "belongs to a rough road, expected 'road_class' or"},
      {"points = n\nfrom = 0\nto = 200", "coefficients = 1, 2\nknots = 0, 1",
       "road_class = C: a rough road belongs to 'points', not to 'coefficients'"},
      {"to = 200", "to = 20000\nband = 1, 2.83", "expected 4 points a wave"},
      {"schema = 1\n", "schema = 1\n[model]\nunits = mm\n", "a rough road is in metres; expected its curve in a file"},
  };
  check_broken_models(model_text, sizeof cases / sizeof cases[0], cases);
}

TEST_MAIN(TEST(test_density), TEST(test_numbers), TEST(test_vary), TEST(test_broken))
