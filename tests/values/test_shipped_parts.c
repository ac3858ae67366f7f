/* Parts that are in the program, each against its closed form. Linear ones: the transfer function of the linearized model, to rounding, and a simulation whose
 * error falls with the square of the step; the others by closed forms of their own; frequency weightings by the table of the standard. */
#include <complex.h>

#include "config/shipped_parts.h"
#include "mbd/linearize.h"
#include "values.h"

/* Two rotors about one axis. */
static const char rotors[] =
    "schema = 1\n[model]\njoints = named\n[scalars]\nJ = 0.5\n"
    "[body rotor]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, J\n[body rotor2]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, "
    "J/2\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, rotor, rotor2\n[vector k]\nalong = 0, 0, 1\nbodies = ground, rotor, "
    "rotor2\n"
    "[joint turn]\ntype = revolute\nbodies = ground, rotor\npoint = O\naxis = k\n"
    "[joint turn2]\ntype = revolute\nbodies = ground, rotor2\npoint = O\naxis = k\n"
    "[start]\nhold.turn.angle = 0\nhold.turn2.angle = 0\n";

static test_model open_part(const char *name, const char *input, const char *keys, const char *more) {
  char text[2000];
  snprintf(text, sizeof text, "%s[part p]\nuse = %s\nquantity.input = %s\n%s", more, name, input, keys);
  note_value(name);
  return model_open_parts(rotors, text);
}

/* ---- exp(A t) x for a matrix [n][n], by its series over short times ---- */

enum { N_MAX = 12, SHORT = 256, TERMS = 12 };

static void propagate(int n, double A[N_MAX][N_MAX], double t, double *x) {
  for (int k = 0; k < SHORT; k++) {
    double term[N_MAX], next[N_MAX];
    memcpy(term, x, (size_t)n * sizeof *x);
    for (int m = 1; m <= TERMS; m++) {
      for (int i = 0; i < n; i++) {
        next[i] = 0;
        for (int j = 0; j < n; j++) { next[i] += A[i][j] * term[j] * t / SHORT / m; }
      }
      memcpy(term, next, (size_t)n * sizeof *x);
      for (int i = 0; i < n; i++) { x[i] += term[i]; }
    }
  }
}

/* The errors of a value with steps h, h/2, h/4 fall by the order of the scheme, the trapezoidal rule. */
static void check_order(const char *name, const test_model *q, const char *output, double duration, double expected) {
  double error[3];
  for (int k = 0; k < 3; k++) {
    mbd_case c = case_lasting(duration, duration / (50 << k));
    c.tolerance = 1e-13;
    error[k] = value_after(q, &c, output, 50 << k) - expected;
  }
  const double order = log2(error[1] / error[2]);
  CHECK_CLOSE(name, order, 2, 0.1);
  CU_ASSERT(fabs(error[0]) > 1e-10);
  CHECK_CLOSE(name, (4 * error[2] - error[1]) / 3, 0, 0.05 * fabs(error[2]));
}

/* ---- linear parts: numerator and denominator, the constant first ---- */

enum { COEFFICIENTS = 6 };

static const struct {
  const char *name, *keys;
  double num[COEFFICIENTS], den[COEFFICIENTS];
} linear[] = {
    {"integrator", "scalar.gain = 4\n", {4}, {0, 1}},
    {"lag", "scalar.gain = 3\nscalar.T = 0.2\n", {3}, {1, 0.2}},
    {"lag_2", "scalar.gain = 2\nscalar.w = 5\nscalar.d = 0.3\n", {50}, {25, 3, 1}},
    {"lead_lag", "scalar.gain = 2\nscalar.T_lead = 0.3\nscalar.T_lag = 0.05\n", {2, 0.6}, {1, 0.05}},
    {"pi", "scalar.kp = 2\nscalar.ki = 3\n", {3, 2}, {0, 1}},
    /* kp + ki/s + kd s/(1 + T_d s) with 2, 3, 0.5, 0.1 over s (1 + T_d s) */
    {"pid", "scalar.kp = 2\nscalar.ki = 3\nscalar.kd = 0.5\nscalar.T_d = 0.1\n", {3, 2.3, 0.7}, {0, 1, 0.1}},
    {"relaxation", "scalar.length = 0.6\nquantity.speed = 3\n", {5}, {5, 1}},
    {"transfer_function", "scalar.b_0 = 3\nscalar.a_0 = 4\nscalar.a_1 = 2\n", {3}, {4, 2}},
    {"transfer_function",
     "scalar.n = 3\nscalar.b_0 = 2\nscalar.b_1 = -1\nscalar.b_3 = 0.25\nscalar.a_0 = 6\nscalar.a_1 = 11\nscalar.a_2 = "
     "6\nscalar.a_3 = 2\n",
     {2, -1, 0, 0.25},
     {6, 11, 6, 2}},
    /* (s + 4)/(s^2 + 5 s + 6) + 1/2 */
    {"state_space",
     "scalar.n = 2\nscalar.a_1_2 = 1\nscalar.a_2_1 = -6\nscalar.a_2_2 = -5\nscalar.b_2 = 1\nscalar.c_1 = 4\nscalar.c_2 "
     "= "
     "1\nscalar.d = 0.5\n",
     {7, 3.5, 0.5},
     {6, 5, 1}},
    {"delay", "scalar.n = 1\nscalar.T = 0.2\n", {2, -0.2}, {2, 0.2}},
    {"delay", "scalar.T = 0.5\n", {12, -3, 0.25}, {12, 3, 0.25}},
    {"delay", "scalar.n = 3\nscalar.T = 0.5\n", {120, -30, 3, -0.125}, {120, 30, 3, 0.125}},
    /* the published polynomials, at 1 rad/s */
    {"butterworth_low_pass", "scalar.n = 1\nscalar.frequency = 1/(2*pi)\n", {1}, {1, 1}},
    {"butterworth_low_pass", "scalar.frequency = 1/(2*pi)\n", {1}, {1, 1.4142135623730951, 1}},
    {"butterworth_low_pass", "scalar.n = 3\nscalar.frequency = 1/(2*pi)\n", {1}, {1, 2, 2, 1}},
    {"butterworth_low_pass",
     "scalar.n = 5\nscalar.frequency = 1/(2*pi)\n",
     {1},
     {1, 3.2360679774997898, 5.2360679774997898, 5.2360679774997898, 3.2360679774997898, 1}},
    {"butterworth_high_pass", "scalar.n = 1\nscalar.frequency = 1/(2*pi)\n", {0, 1}, {1, 1}},
    {"butterworth_high_pass", "scalar.frequency = 1/(2*pi)\n", {0, 0, 1}, {1, 1.4142135623730951, 1}},
    {"butterworth_high_pass", "scalar.n = 3\nscalar.frequency = 1/(2*pi)\n", {0, 0, 0, 1}, {1, 2, 2, 1}},
    {"butterworth_high_pass",
     "scalar.n = 4\nscalar.frequency = 1/(2*pi)\n",
     {0, 0, 0, 0, 1},
     {1, 2.6131259297527530, 3.4142135623730950, 2.6131259297527530, 1}},
};
enum { N_LINEAR = sizeof linear / sizeof linear[0] };

static double complex polynomial(const double *c, double complex s) {
  double complex sum = 0;
  for (int i = COEFFICIENTS - 1; i >= 0; i--) { sum = sum * s + c[i]; }
  return sum;
}

/* Y/U at j w from the linearized model, where the input is the rate of a coordinate, which nothing moves, and the first state is the integral of the
 * output: in x' = A x + B u, y = C x + D u its row has C and D, the column of the rate has B and D. 0: not built in. */
static int response(const test_model *q, double w, double complex *H) {
  const mbd_case c = case_lasting(1, 0.1);
  mbd_error err = {0};
  mbd_sim *s;
  mbd_linear l;
  must(mbd_sim_create(q->m, &c, q->o, 0, NULL, 0, 0, &s, &err), &err);
  const mbd_status status = mbd_sim_linearize(s, q->p, &l, &err);
  mbd_sim_destroy(s);
  if (status == MBD_NOT_BUILT_IN) { return 0; }
  must(status, &err);
  const int n = l.nstate - 1, order = 2 * l.n + l.nstate, first = 2 * l.n + 1;
  const double *C = l.A + (first - 1) * order;
  double complex M[N_MAX][N_MAX + 1];
  CU_ASSERT_FATAL(n <= N_MAX);
  for (int i = 0; i < n; i++) { /* (j w - A) x = B */
    for (int k = 0; k < n; k++) { M[i][k] = (i == k ? I * w : 0) - l.A[(first + i) * order + first + k]; }
    M[i][n] = l.A[(first + i) * order + l.n];
  }
  for (int k = 0; k < n; k++) { /* Gauss-Jordan with pivots */
    int p = k;
    for (int i = k + 1; i < n; i++) { p = cabs(M[i][k]) > cabs(M[p][k]) ? i : p; }
    for (int j = 0; j <= n; j++) {
      const double complex swapped = M[k][j];
      M[k][j] = M[p][j], M[p][j] = swapped;
    }
    for (int i = 0; i < n; i++) {
      const double complex factor = i == k ? 0 : M[i][k] / M[k][k];
      for (int j = k; j <= n; j++) { M[i][j] -= factor * M[k][j]; }
    }
  }
  *H = C[l.n];
  for (int k = 0; k < n; k++) { *H += C[first + k] * M[k][n] / M[k][k]; }
  mbd_linear_free(&l);
  return 1;
}

static const char probe[] = "[state probe]\nrate = p.output\n";

static void test_transfer_functions(void) {
  for (int k = 0; k < N_LINEAR; k++) {
    test_model q = open_part(linear[k].name, "turn.angle.rate", linear[k].keys, probe);
    for (int i = 0; i < 4; i++) {
      const double w = (double[]){0.3, 1, 4, 30}[i];
      const double complex H = polynomial(linear[k].num, I * w) / polynomial(linear[k].den, I * w);
      double complex got;
      if (!response(&q, w, &got)) { continue; }
      CHECK_NEAR(linear[k].name, creal(got), creal(H), cabs(H), 1e-12);
      CHECK_NEAR(linear[k].name, cimag(got), cimag(H), cabs(H), 1e-12);
    }
    model_close(&q);
  }
}

/* The response to u = sin 3 t from rest: in controller form x_i' = x_(i+1), a_n x_n' = u - sum a_i x_i, y = sum b_i x_(i+1) + b_n x_n', with the
 * equations of sine and cosine. */
static double to_sine(const double *num, const double *den, double t) {
  int n = COEFFICIENTS - 1;
  double A[N_MAX][N_MAX] = {{0}}, x[N_MAX] = {0}, y = 0;
  while (den[n] == 0) { n--; }
  for (int i = 0; i < n - 1; i++) { A[i][i + 1] = 1; }
  for (int i = 0; i < n; i++) { A[n - 1][i] = -den[i] / den[n]; }
  A[n - 1][n] = 1 / den[n], A[n][n + 1] = 3, A[n + 1][n] = -3;
  x[n + 1] = 1;
  propagate(n + 2, A, t, x);
  for (int i = 0; i < n; i++) { y += num[i] * x[i]; }
  for (int i = 0; i <= n; i++) { y += num[n] * A[n - 1][i] * x[i]; }
  return y;
}

static void test_responses(void) {
  for (int k = 0; k < N_LINEAR; k++) {
    test_model q = open_part(linear[k].name, "sin(3*time)", linear[k].keys, "");
    check_order(linear[k].name, &q, "p.output", 0.9, to_sine(linear[k].num, linear[k].den, 0.9));
    model_close(&q);
  }
}

/* A start from equilibrium begins settled: where the input is constant, the output is that times H(0). */
static void test_settled(void) {
  mbd_case c = case_lasting(0.2, 0.01);
  c.start = MBD_START_EQUILIBRIUM;
  for (int k = 0; k < N_LINEAR; k++) {
    if (linear[k].den[0] == 0) { continue; } /* an integral part begins at its start */
    test_model q = open_part(linear[k].name, "1.7", linear[k].keys, "");
    const double expected = 1.7 * linear[k].num[0] / linear[k].den[0];
    CHECK_CLOSE(linear[k].name, value_after(&q, &c, "p.output", 0), expected, 1e-12);
    CHECK_CLOSE(linear[k].name, value_after(&q, &c, "p.output", 20), expected, 1e-11);
    model_close(&q);
  }
}

/* ---- limits ---- */

static void test_saturation(void) {
  static const double values[][2] = {{0.5, 0.5}, {0.9, 0.9},     {1, 0.975},        {1.1, 1},
                                     {2, 1},     {-1.85, -1.85}, {-1.95, -1.94375}, {-2.3, -2}};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    char input[32];
    /* b = rounding (upper - lower)/2 = 0.1 at both limits */
    snprintf(input, sizeof input, "%.17g", values[i][0]);
    test_model q = open_part("saturation", input, "scalar.lower = -2\nscalar.rounding = 0.2/3\n", "");
    CHECK_CLOSE("saturation", value_now(&q, "p.output"), values[i][1], 1e-14);
    model_close(&q);
  }
}

/* e = 1, far beyond the limit: T_t i' = T_t ki e + upper - kp e - i, with `add` in place of a fourth of kp e,
 * so i = 0.5 (1 - exp(-t/T_t)). */
static void test_windup(void) {
  test_model q = open_part(
      "pi", "1", "quantity.add = 0.5\nscalar.kp = 1.5\nscalar.ki = 3\nscalar.upper = 1\nscalar.T_t = 0.5\n", "");
  check_order("pi", &q, "p.integral", 0.4, 0.5 * (1 - exp(-0.8)));
  CHECK_CLOSE("limit", value_now(&q, "p.output"), 1, 1e-14);
  model_close(&q);
}

/* T s' = (a sin w t)^2 - s for the mean square s, from zero. */
static void test_running_rms(void) {
  const double a = 3, w = 8, T = 0.6, t = 0.7, d = exp(-t / T), k = 2 * w * T;
  const double s = a * a / 2 * (1 - d - (cos(2 * w * t) + k * sin(2 * w * t) - d) / (1 + k * k));
  test_model q = open_part("running_rms", "3*sin(8*time)", "scalar.T = 0.6\n", "");
  check_order("running_rms", &q, "p.output", t, sqrt(s + 1e-12));
  model_close(&q);
}

/* ---- actuators ---- */

/* L i' = u - R i - k g w, (0.5 + g^2 J) w' = g k i with the states i, w, 1 */
static void test_electric_motor(void) {
  const double R = 2, L = 0.1, k = 0.3, g = 4, u = 12, t = 0.5, inertia = 0.5 + g * g * 0.01;
  double A[N_MAX][N_MAX] = {{-R / L, -k * g / L, u / L}, {g * k / inertia}}, x[N_MAX] = {0, 0, 1};
  test_model q = open_part(
      "electric_motor", "12",
      "coordinate.shaft = turn.angle\nscalar.R = 2\nscalar.L = 0.1\nscalar.k = 0.3\nscalar.gear = 4\nscalar.J = 0.01\n",
      "");
  propagate(3, A, t, x);
  check_order("electric_motor", &q, "p.current", t, x[0]);
  check_order("electric_motor", &q, "turn.angle.rate", t, x[1]);
  const mbd_case c = case_lasting(t, t / 100);
  const double i = value_after(&q, &c, "p.current", 100), w = value_after(&q, &c, "turn.angle.rate", 100);
  CHECK_CLOSE("torque", value_after(&q, &c, "p.drive.force", 100), g * k * i, 1e-12);
  CHECK_CLOSE("back EMF", value_after(&q, &c, "p.back_emf", 100), k * g * w, 1e-12);
  CHECK_CLOSE("loss", value_after(&q, &c, "p.loss", 100), R * i * i, 1e-12);
  /* what goes in goes to heat, to the shaft and into the field of the winding */
  const double field = L * i * value_after(&q, &c, "p.current.rate", 100);
  CHECK_CLOSE("power", value_after(&q, &c, "p.input_power", 100), R * i * i + g * k * i * w + field, 1e-11);
  model_close(&q);
}

static const char sled[] =
    "schema = 1\n[model]\njoints = named\n[body sled]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[point A]\nat = -1, 0, 0\nbodies = ground\n[point B]\nat = 0, 0, 0\nbodies = sled\n"
    "[vector x]\nalong = 1, 0, 0\nbodies = ground, sled\n"
    "[joint slide]\ntype = prismatic\nbodies = ground, sled\naxis = x\n"
    "[start]\nhold.slide.distance = 0\nrate.slide.distance = 3\n"
    "[part p]\nuse = damper_lag\npoint.from = A\npoint.to = B\nscalar.damping = 20\nscalar.stiffness = 100\n";

/* m v' = -F, F' = (c v - F) k/c with the states v, F */
static void test_damper_lag(void) {
  double A[N_MAX][N_MAX] = {{0, -1 / 2.0}, {100, -100 / 20.0}}, x[N_MAX] = {3, 0};
  test_model q = model_open_parts(sled, ""), law = model_open_parts(sled, "quantity.law = 7*p.element.speed^3\n");
  note_value("damper_lag");
  propagate(2, A, 0.3, x);
  check_order("damper_lag", &q, "p.element.force", 0.3, x[1]);
  check_order("damper_lag", &q, "slide.distance.rate", 0.3, x[0]);
  CHECK_CLOSE("law", value_now(&law, "p.law"), 7 * 27, 1e-12); /* its unit is any */
  CHECK_CLOSE("law", value_now(&law, "p.force.rate"), 7 * 27 * 100 / 20.0, 1e-11);
  model_close(&q), model_close(&law);
}

/* J w' = u/2 = (kp v + ki e)/2 with v = 2 - w, e' = v: of test_states.c with kp = 6, ki = 16. The second wheel has half the inertia. */
static void test_speed_control(void) {
  static const char control[] =
      "[part p]\nuse = speed_control\nquantity.wish = 2\nquantity.speed = turn.angle.rate\nscalar.n = 2\nscalar.kp = "
      "6\n"
      "scalar.ki = 16\ncoordinate.wheel1 = turn.angle\ncoordinate.wheel2 = turn2.angle\n";
  const double t = 0.5, w = 2 - 2 * exp(-3 * t) * (cos(sqrt(7.0) * t) - 3 / sqrt(7.0) * sin(sqrt(7.0) * t));
  test_model q = model_open_parts(rotors, control);
  note_value("speed_control");
  check_order("speed_control", &q, "turn.angle.rate", t, w);
  check_order("speed_control", &q, "turn2.angle.rate", t, 2 * w);
  CHECK_CLOSE("torque of a wheel", value_now(&q, "p.drive2.force"), 6, 1e-12);
  model_close(&q);
}

/* ---- frequency weightings: ISO 2631-1:1997, table 3, at the nominal centres of third octaves ---- */

static const double centre[] = {0.1,  0.125, 0.16, 0.2, 0.25, 0.315, 0.4,  0.5, 0.63, 0.8, 1,    1.25, 1.6, 2,  2.5,
                                3.15, 4,     5,    6.3, 8,    10,    12.5, 16,  20,   25,  31.5, 40,   50,  63, 80};

/* A thousand times the factor, with a unit of the last digit; the largest deviation is 0.7 of it. For W_d at 10 Hz, 201.7 by the formulas of the same standard, the table has 212. */
static const struct {
  const char *name;
  int first; /* number of the centre of the first */
  double factor[24], digit;
} weighting[] = {
    {"iso_2631_wk",
     7,
     {418,  459, 477, 482, 484, 494, 531, 631, 804, 967, 1039, 1054,
      1036, 988, 902, 768, 636, 513, 405, 314, 246, 186, 132},
     1},
    {"iso_2631_wd",
     7,
     {853, 944, 992, 1011, 1008, 968, 890, 776, 642, 512, 409, 323, 253, 201.7, 161, 125, 100, 80},
     1},
    {"iso_2631_wd", 25, {63.2, 49.4, 38.8, 29.5, 21.1}, 0.1},
    {"iso_2631_wf", 0, {695, 895, 1006, 992, 854, 619, 384, 224}, 1},
};

static void test_weightings(void) {
  for (int k = 0; k < 4; k++) {
    test_model q = open_part(weighting[k].name, "turn.angle.rate", "", probe);
    for (int i = 0; weighting[k].factor[i] > 0; i++) {
      const double w = 2 * acos(-1) * centre[weighting[k].first + i];
      double complex H; /* of the velocity */
      if (!response(&q, w, &H)) { continue; }
      CHECK_CLOSE(weighting[k].name, 1000 * cabs(H) / w, weighting[k].factor[i], weighting[k].digit);
    }
    model_close(&q);
  }
}

/* An acceleration of which no velocity is at hand goes in as its integral: here the same, to rounding, as by newmark velocities are such. */
static void test_weighting_of_acceleration(void) {
  static const char more[] =
      "[force f]\ntype = expression\ncoordinate = turn.angle\nvalue = J*sin(20*time)\n"
      "[quantity speed]\nvalue = integral(turn.angle.acceleration)\n";
  static const char *const input[] = {"turn.angle.rate", "speed"};
  const mbd_case c = case_lasting(0.5, 0.01);
  double y[2];
  for (int i = 0; i < 2; i++) {
    test_model q = open_part("iso_2631_wk", input[i], "", more);
    y[i] = value_after(&q, &c, "p.output", 50);
    model_close(&q);
  }
  CHECK_CLOSE("weighted acceleration", y[1], y[0], 1e-12);
  CU_ASSERT(fabs(y[0]) > 0.01);
}

/* W_k of Annex A, at s = 2 pi j f */
static double complex wk(double f) {
  const double pi = acos(-1), Q = sqrt(0.5);
  const double complex s = 2 * pi * f * I, s1 = s / (2 * pi * 0.4), s2 = s / (2 * pi * 100), s4 = s / (2 * pi * 12.5),
                       s5 = s / (2 * pi * 2.37), s6 = s / (2 * pi * 3.35);
  return s1 * s1 / (1 + s1 / Q + s1 * s1) / (1 + s2 / Q + s2 * s2) * (1 + s4) / (1 + s4 / 0.63 + s4 * s4) *
         (1 + s5 / 0.91 + s5 * s5) / (1 + s6 / 0.91 + s6 * s6) * pow(2.37 / 3.35, 2);
}

/* A record of five sines, whose accelerations have the amplitudes a: the mean square of what is weighted is the sum of |a W|^2/2. Its period is 2 s, and after 8 s
 * 1e-6 of the transient is left. */
static void test_record(void) {
  static const double f[] = {0.5, 1.5, 3, 5, 8.5}, a[] = {0.8, 0.5, 1.1, 0.7, 0.4};
  char input[400] = "0";
  double mean_square = 0, psi;
  for (int i = 0; i < 5; i++) {
    const size_t n = strlen(input);
    snprintf(input + n, sizeof input - n, " +\\\n  %.17g/(2*pi*%g)*sin(2*pi*%g*time + %d)", a[i], f[i], f[i], i);
    mean_square += pow(a[i] * cabs(wk(f[i])), 2) / 2;
  }
  test_model q = open_part("iso_2631_weighting", input, "", "");
  mbd_case c = case_lasting(10, 5e-4);
  const mbd_term t = {.output = model_output(&q, "p.output"),
                      .form = "rms",
                      .weight = 1,
                      .from = {MBD_MOMENT_TIME, 0, 8},
                      .until = {MBD_MOMENT_TIME, 0, 10}};
  mbd_error err = {0};
  mbd_sim *s;
  must(mbd_sim_create(q.m, &c, q.o, 1, &t, 1, 0, &s, &err), &err);
  must(mbd_sim_run(s, q.p, 0, NULL, &psi, NULL, NULL, NULL, NULL, &err), &err);
  printf("\n  weighted rms %.9g, in the frequency domain %.9g ", psi, sqrt(mean_square));
  CHECK_NEAR("rms", psi, sqrt(mean_square), psi, 1e-4);
  mbd_sim_destroy(s), model_close(&q);
}

/* ---- driver: a car as a point of 2 kg whose path has the curvature that is wanted; its speed stays, since the force is across ---- */

static test_model open_car(double x, double y, double vx, double vy, const char *keys) {
  static const char car[] =
      "[body car]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point C]\nat = 0, 0, 0\nbodies = car\n"
      "[start]\nhold.C.x = x0\nhold.C.y = y0\nrate.C.x = u\nrate.C.y = w\n"
      "[quantity speed]\nvalue = hypot(C.velocity.x, C.velocity.y)\n"
      "[force bend]\ntype = expression\npoint = C\nframe = ground\n"
      "value = -2*speed*p.curvature*C.velocity.y, 2*speed*p.curvature*C.velocity.x, 0\n"
      "[part p]\nuse = preview_driver\nquantity.x = C.position.x\nquantity.y = C.position.y\n"
      "quantity.vx = C.velocity.x\nquantity.vy = C.velocity.y\n";
  char text[3000];
  const int n = snprintf(text, sizeof text,
                         "schema = 1\n[model]\njoints = named\ngravity = 0, 0, 0\n"
                         "[scalars]\nx0 = %.17g\ny0 = %.17g\nu = %.17g\nw = %.17g\n%s%s",
                         x, y, vx, vy, car, keys);
  CU_ASSERT_FATAL(n < (int)sizeof text);
  note_value("preview_driver");
  return model_open_text(text);
}

/* On the path (3 s, 4 s), so that |t| = 5, the car stays; a place on it that is 0.4 m too far ahead at the start comes back with exp(-k_s t).
 * At rest 1 m beside it with the point ahead at 2.4 m, u = 2 gain e/d^2 is wanted, which the round corner of the limit 0.2 lowers by (u - 0.18)^2/0.08. */
static void test_driver_straight(void) {
  static const char path[] =
      "quantity.hx = 0.6\nquantity.hy = 0.8\nscalar.lag = 0.25\nscalar.gain = 0.7\nscalar.k_s = 3\nscalar.start = "
      "0.08\n[curve path_x]\ntype = polynomial\ncoefficients = 0, 3\n"
      "[curve path_y]\ntype = polynomial\ncoefficients = 0, 4\n";
  const double t = 0.5;
  const mbd_case c = case_lasting(t, t / 50);
  test_model q = open_car(0, 0, 6, 8, path);
  check_order("place on the path", &q, "p.s", t, (10 * t + 0.4 * exp(-3 * t)) / 5);
  CHECK_CLOSE("error", value_after(&q, &c, "p.error", 50), 0, 1e-14);
  CHECK_CLOSE("wanted", value_after(&q, &c, "p.curvature", 50), 0, 1e-14);
  model_close(&q);
  q = open_car(0.8, -0.6, 0, 0, path);
  CHECK_CLOSE("error", value_now(&q, "p.error"), -1, 1e-14);
  const double u = 1.4 / (2.4 * 2.4 + 1);
  CHECK_CLOSE("limit", value_now(&q, "p.limit.output"), u - (u - 0.18) * (u - 0.18) / 0.08, 1e-14);
  CHECK_CLOSE("lag", value_now(&q, "p.curvature.rate"), value_now(&q, "p.limit.output") / 0.25, 1e-13);
  model_close(&q);
}

/* On a circle of radius R a car is on a circle of radius rho, ahead of its place on the path by the angle delta:
 *   place      cos delta + k_s rho/v sin delta = R/rho, since s' = v/rho
 *   curvature  1/rho = 2 gain (rho - R cos alpha)/(R^2 + rho^2 - 2 R rho cos alpha),   alpha = distance/R - delta
 * so that rho is the root of (2 gain - 1) rho^2 + 2 (1 - gain) R cos alpha rho - R^2. */
static void check_circle(double gain) {
  const double R = 20, v = 8, distance = 0.6 * v + 3, k_s = 4, g = 2 * gain - 1;
  double rho = R, delta = 0;
  for (int i = 0; i < 200; i++) {
    const double half = (1 - gain) * R * cos(distance / R - delta);
    rho = (sqrt(half * half + g * R * R) - half) / g;
    delta = asin((R / rho - cos(delta)) * v / (k_s * rho));
  }
  char keys[1000];
  snprintf(keys, sizeof keys,
           "quantity.hx = C.velocity.x/speed\nquantity.hy = C.velocity.y/speed\nscalar.k_s = 4\nscalar.preview = 0.6\n"
           "scalar.shortest = 3\nscalar.gain = %.17g\nscalar.curvature_start = %.17g\n"
           "[curve path_x]\ntype = harmonic\ncoefficients = 0, 20, 1, pi/2\n"
           "[curve path_y]\ntype = harmonic\ncoefficients = 0, 20, 1, 0\n",
           gain, 1 / rho);
  test_model q = open_car(rho * cos(delta), rho * sin(delta), -v * sin(delta), v * cos(delta), keys);
  CHECK_CLOSE("curvature", value_now(&q, "p.limit.output"), 1 / rho, 1e-14);
  CHECK_CLOSE("place", value_now(&q, "p.s.rate"), v / rho, 1e-14);
  CHECK_CLOSE("error", value_now(&q, "p.error"), R - rho * cos(delta), 1e-13);
  if (gain ==
      1) { /* on the path; steps turn the car and its place by angles that differ by h^2, so the error is of order h^4 */
    const mbd_case c = case_lasting(1.5, 0.0075);
    CHECK_CLOSE("on the path", rho, R, 1e-14);
    CHECK_CLOSE("error", value_after(&q, &c, "p.error", 200), 0, 1e-10);
  } else {
    CU_ASSERT(fabs(rho - R) > 0.1);
    check_order("error", &q, "p.error", 1.5, R - rho * cos(delta));
  }
  model_close(&q);
}

static void test_driver_circle(void) {
  check_circle(1);
  check_circle(0.8);
  check_circle(1.3);
}

/* ---- a test for each ---- */

/* ---- rolling ---- */

/* A ball on a table that turns at the rate W: the velocity of its centre turns at 2/7 W, so that it runs on a circle (Milne, Vectorial Mechanics,
 * 1948). With mass m, m v' = F, 2/5 m R^2 w' = -R z x F, and v - R w x z = W z x r:  7/5 v' = 2/5 W z x v. */
static void test_ball_on_turntable(void) {
  static const char text[] =
      "schema = 1\n[model]\njoints = named\ngravity = 0, 0, -9.81\n[scalars]\nR = 0.15\nI = 2/5*0.5*R^2\n"
      "[body slide]\nmass = 0\n[body carrier]\nmass = 0\n[body ball]\nmass = 0.5\ncom = 0.3, 0, R\ninertia = I, I, I\n"
      "[body table]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[point C]\nat = 0.3, 0, R\nbodies = carrier, ball\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, table\n[vector x]\nalong = 1, 0, 0\nbodies = ground, slide\n"
      "[vector y]\nalong = 0, 1, 0\nbodies = slide, carrier\n[vector z]\nalong = 0, 0, 1\nbodies = ground, table\n"
      "[joint a]\ntype = prismatic\nbodies = ground, slide\naxis = x\n"
      "[joint b]\ntype = prismatic\nbodies = slide, carrier\naxis = y\n"
      "[joint s]\ntype = spherical\nbodies = carrier, ball\npoint = C\n"
      "[joint t]\ntype = revolute\nbodies = ground, table\npoint = O\naxis = z\n"
      "[constraint motor]\ntype = expression\nvalue = t.angle.rate - 3\n"
      "[part rolls]\nuse = rolling_ball\nbody.plane = table\nscalar.radius = R\n"
      "[start]\nhold.a.distance = 0\nrate.a.distance = 0.2\nhold.b.distance = 0\nrate.b.distance = 0.3\n"
      "hold.t.angle = 0\nhold.s.e1 = 0\nhold.s.e2 = 0\nhold.s.e3 = 0\n";
  const double w = 3 * 2 / 7.0, T = 1, s = sin(w * T) / w, c = (1 - cos(w * T)) / w;
  test_model q = model_open_text(text);
  note_value("rolling_ball");
  check_order("rolling_ball", &q, "C.position.x", T, 0.3 + 0.2 * s - 0.3 * c);
  check_order("rolling_ball", &q, "C.position.y", T, 0.2 * c + 0.3 * s);
  model_close(&q);
}

/* The steady turn of a disc (tests/golden/test_rolling_disc.c) on a belt that runs at 0.7 m/s: as seen from the belt it is that on a plane at rest. */
static void test_disc_on_belt(void) {
  static const char text[] =
      "schema = 1\n[model]\njoints = named\ngravity = 0, 0, -9.81\n[scalars]\nI = 0.5*0.1^2/4\n"
      "w = (4^2*sin(-0.4)*cos(-0.4)/4 - 9.81/0.1*sin(-0.4))/(6*cos(-0.4))\n"
      "[body belt]\nmass = 1\ncom = 0, 0, 0\ninertia = 1, 1, 1\n[body frame]\nmass = 0\n[body fork]\nmass = 0\n"
      "[body disc]\nmass = 0.5\ncom = 0, 0, 0.1\ninertia = I, 2*I, I\n"
      "[point P]\nat = 0, 0, 0\nbodies = belt, frame, fork\n[point C]\nat = 0, 0, 0.1\nbodies = fork, disc\n"
      "[point A]\nat = 0, 0.3, 0.1\nbodies = disc\n[vector up]\nalong = 0, 0, 1\nbodies = belt, frame\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = ground, belt, frame, fork\n"
      "[vector axle]\nalong = 0, 1, 0\nbodies = fork, disc\n"
      "[joint runs]\ntype = prismatic\nbodies = ground, belt\naxis = x\n"
      "[joint contact]\ntype = planar\nbodies = belt, frame\npoint = P\naxis = up\n"
      "[joint lean]\ntype = revolute\nbodies = frame, fork\npoint = P\naxis = x\n"
      "[joint axle]\ntype = revolute\nbodies = fork, disc\npoint = C\naxis = axle\n"
      "[constraint motor]\ntype = expression\nvalue = runs.distance.rate - 0.7\n"
      "[part rolls]\nuse = rolling_disc\nbody.plane = belt\n"
      "[start]\nhold.runs.distance = 0\nhold.contact.angle = 0\nrate.contact.angle = 4\nhold.lean.angle = -0.4\n"
      "rate.lean.angle = 0\nhold.axle.angle = 0\nrate.axle.angle = w - 4*sin(-0.4)\n";
  const double q = -0.4, W = 4, w = (W * W / 4 * sin(q) * cos(q) - 98.1 * sin(q)) / (6 * cos(q));
  const double r = 0.1 * (w - W * sin(q)) / W, T = 0.5;
  const mbd_case start = case_lasting(0.1, 0.01);
  test_model model = model_open_text(text);
  note_value("rolling_disc");
  check_order("rolling_disc", &model, "P@frame.position.x", T, 0.7 * T + r * sin(W * T));
  check_order("rolling_disc", &model, "P@frame.position.y", T, r * (1 - cos(W * T)));
  CHECK_CLOSE("rolling_disc", value_after(&model, &start, "rolls.across.multiplier", 0), -0.5 * W * w * 0.1, 1e-12);
  model_close(&model);
}

/* A wheel on a road z = a cos k x: its centre, R above the road along the normal, has the speed v = R times the angular velocity, so that
 * (m + J/R^2) v^2/2 + m g z_c stays. With s = z', the contact moves by xd = v/(sqrt(1 + s^2) - R s'/(1 + s^2)) and the wheel turns against
 * the road by sqrt(1 + s^2) xd/R. */
enum { A_ROAD, K_ROAD, R_ROAD, ROAD_NUMBERS };

static double height_of_centre(const double *road, double x) {
  const double s = -road[A_ROAD] * road[K_ROAD] * sin(road[K_ROAD] * x);
  return road[A_ROAD] * cos(road[K_ROAD] * x) + road[R_ROAD] / sqrt(1 + s * s);
}

/* xd of the contact, where the speed at x = 0 is v0. */
static double rate_of_contact(const double *road, double v0, double x) {
  const double m = 1.1, J = 0.05, a = road[A_ROAD], k = road[K_ROAD], R = road[R_ROAD];
  const double s = -a * k * sin(k * x), bend = -a * k * k * cos(k * x);
  const double fall = height_of_centre(road, 0) - height_of_centre(road, x);
  const double v = sqrt(v0 * v0 + 2 * m * 9.81 * fall / (m + J / (R * R)));
  return v / (sqrt(1 + s * s) - R * bend / (1 + s * s));
}

static void test_wheel_on_road(void) {
  static const char text[] =
      "schema = 1\n[model]\njoints = named\ngravity = 0, 0, -9.81\n"
      "[body wheel]\nmass = 1.1\ncom = 0, 0, 0.3\ninertia = 0.03, 0.05, 0.03\n"
      "[curve slope]\ntype = expression\nvalue = -0.1*3*sin(3*x)\n[part p]\nuse = rolling_on_road\n"
      "[start]\nhold.p.along.distance = 0\nrate.p.along.distance = 1.5\nhold.p.up.distance = 0\n"
      "hold.p.slope.angle = 0\nhold.p.spin.angle = 0\n";
  static const double road[ROAD_NUMBERS] = {0.1, 3, 0.3};
  enum { STEPS = 2000 };
  const double T = 0.5, h = T / STEPS, v0 = 1.5 * (1 + 0.3 * 0.9);
  double x = 0, arc = 0;
  for (int i = 0; i < STEPS; i++) { /* the method of Runge and Kutta, with Simpson's rule for the arc */
    const double k1 = rate_of_contact(road, v0, x), k2 = rate_of_contact(road, v0, x + h / 2 * k1);
    const double k3 = rate_of_contact(road, v0, x + h / 2 * k2), k4 = rate_of_contact(road, v0, x + h * k3);
    const double next = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    const double s0 = 0.3 * sin(3 * x), s1 = 0.3 * sin(1.5 * (x + next)), s2 = 0.3 * sin(3 * next);
    arc += (next - x) / 6 * (sqrt(1 + s0 * s0) + 4 * sqrt(1 + s1 * s1) + sqrt(1 + s2 * s2));
    x = next;
  }
  test_model q = model_open_text(text);
  note_value("rolling_on_road");
  check_order("rolling_on_road", &q, "p.along.distance", T, x);
  check_order("rolling_on_road", &q, "p.up.distance", T, 0.1 * (cos(3 * x) - 1));
  check_order("rolling_on_road", &q, "p.slope.angle", T, atan(0.3 * sin(3 * x)));
  check_order("rolling_on_road", &q, "p.spin.angle", T, arc / 0.3);
  model_close(&q);
}

/* Suspensions and their characteristics: test_suspensions.c. */
static const char *const of_wheels[] = {
    "wheel_characteristics", "steering_axis",   "axle_characteristics", "wheel_rate", "contact_load", "wheel_slopes",
    "axle_compliance",       "double_wishbone", "macpherson",           "five_link",  "trailing_arm"};
/* Rigid axles: test_rigid_axle.c; elements of axles and drive lines: test_elements.c. */
static const char *const of_axles[] = {"rigid_axle",
                                       "rigid_axle_characteristics",
                                       "watt_linkage",
                                       "wheel_carrier",
                                       "kingpin",
                                       "drag_link",
                                       "measured_damper",
                                       "leaf_spring",
                                       "leaf_links",
                                       "two_stage_stop",
                                       "stabilizer",
                                       "stabilizer_bushings",
                                       "cardan_joint",
                                       "cardan_shaft",
                                       "constant_velocity_joint",
                                       "constant_velocity_shaft"};

/* Vehicles: tests/unit/import/test_chrono.c. */
static const char *const of_vehicles[] = {"road_wheel", "spring_and_damper", "multi_link", "three_link",  "pitman_arm",
                                          "rotary_arm", "guided_axle",       "bell_crank", "relay_crank", "rack"};

/* Cams and gears: test_cams.c; balance: test_balance.c. */
static const char *const of_linkages[] = {"roller_follower", "flat_follower", "rocker_follower",  "noncircular_gears",
                                          "flywheel",        "harmonic",      "balancing_spring", "force_balance"};

/* Curves at an argument: half and whole of a step, a ramp, the quarters of a sine that is held at its second peak; a brake; a speed; the middle of the lanes and
 * of the ways between them; a quarter of a circle. */
static void test_manoeuvres(void) {
  static const struct {
    const char *curve;
    double x, value;
  } at[] = {{"step_steer", 0.9, 0},
            {"step_steer", 1.05, 0.015},
            {"step_steer", 1.1, 0.03},
            {"ramp_steer", 2.05, 0.01},
            {"ramp_steer", 9, 0.03},
            {"steer_held", 1.75, 0.015},
            {"held", 0, 0.03},
            {"sine_with_dwell", 1, 0},
            {"sine_with_dwell", 1.5, 0.03},
            {"sine_with_dwell", 2, 0},
            {"sine_with_dwell", 2.5, -0.03},
            {"sine_with_dwell", 2.8, -0.03},
            {"sine_with_dwell", 3, -0.03},
            {"sine_with_dwell", 3.5, 0},
            {"sine_with_dwell", 4, 0},
            {"brake", 4.1, 0.5},
            {"brake", 5, 1},
            {"speed", 1, 20},
            {"speed", 11.05, 22},
            {"lane_x", 12, 12},
            {"lane_y", 10, 0},
            {"lane_y", 30, 1.75},
            {"lane_y", 45, 3.5},
            {"lane_y", 70, 3.5},
            {"lane_y", 82.5, 1.75},
            {"lane_y", 110, 0},
            {"circle_x", 12, 12},
            {"circle_x", 20 + 50 * M_PI, 120},
            {"circle_y", 20 + 50 * M_PI, 100}};
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    char text[400];
    snprintf(text, sizeof text,
             "[part m]\nuse = manoeuvres\nscalar.frequency = 0.5\n[quantity seen]\ncurve = m.%s\nvalue = %.17g + "
             "0*turn.angle\n",
             at[i].curve, at[i].x);
    test_model q = model_open_parts(rotors, text);
    const mbd_case c = case_lasting(0.1, 0.1);
    CHECK_CLOSE(at[i].curve, value_after(&q, &c, "seen", 1), at[i].value, 1e-13);
    model_close(&q);
  }
  note_value("manoeuvres");
}

/* The formula as the benchmark writes it, at loads, slips and cambers: linear, beyond the peak on either side, and above the load where it ends. */
static void test_calspan_tyre(void) {
  static const double at[][3] = {{3829.6, 0.02, 0}, {3829.6, -0.05, 0.03}, {3593.6, 0.09, -0.05},
                                 {6000, 0.3, 0},    {2000, -0.4, 0.1},     {15000, 0.02, 0}};
  const double A0 = 2625, A1 = 14.47, A2 = 12930, A3 = 2.29, A4 = 18175;
  for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
    const double F = fmin(at[i][0], A2), f = (-4.64e-5 * F + 1.216 + 2.18e-11 * F * F) * 1.0274;
    const double aphi = -A2 * A3 * (A4 - F) * F / (A4 * (A1 * F * (F - A2) - A0 * A2)) * at[i][2];
    const double b = (A1 * F * (F - A2) - A0 * A2) / (A2 * f * F) * (at[i][1] + aphi);
    const double g = fabs(b) < 3 ? b - b * fabs(b) / 3 + b * b * b / 27 : copysign(1, b), Fy = f * F * g;
    char text[300];
    snprintf(text, sizeof text,
             "[part p]\nuse = calspan_tyre\nquantity.load = %.17g + 0*turn.angle\nquantity.slip_angle = %.17g\n"
             "quantity.camber = %.17g\n",
             at[i][0], at[i][1], at[i][2]);
    test_model q = model_open_parts(rotors, text);
    CHECK_NEAR("side", value_now(&q, "p.side"), Fy, 1000, 1e-13);
    CHECK_NEAR("moment", value_now(&q, "p.moment"), (-1.71e-5 * F + 1.71e-5 * fabs(Fy)) * Fy, 100, 1e-13);
    model_close(&q);
  }
  note_value("calspan_tyre");
}

static void test_all_parts(void) {
  for (size_t i = 0; i < sizeof of_wheels / sizeof *of_wheels; i++) { note_value(of_wheels[i]); }
  for (size_t i = 0; i < sizeof of_axles / sizeof *of_axles; i++) { note_value(of_axles[i]); }
  for (size_t i = 0; i < sizeof of_vehicles / sizeof *of_vehicles; i++) { note_value(of_vehicles[i]); }
  for (size_t i = 0; i < sizeof of_linkages / sizeof *of_linkages; i++) { note_value(of_linkages[i]); }
  for (int i = 0; shipped_part_name(i); i++) { EXPECT_VALUE("part of mbopt", shipped_part_name(i), NULL); }
}

TEST_MAIN(TEST(test_transfer_functions), TEST(test_responses), TEST(test_settled), TEST(test_saturation),
          TEST(test_windup), TEST(test_running_rms), TEST(test_electric_motor), TEST(test_damper_lag),
          TEST(test_speed_control), TEST(test_weightings), TEST(test_weighting_of_acceleration), TEST(test_record),
          TEST(test_driver_straight), TEST(test_driver_circle), TEST(test_ball_on_turntable), TEST(test_disc_on_belt),
          TEST(test_wheel_on_road), TEST(test_manoeuvres), TEST(test_calspan_tyre), TEST(test_all_parts))
