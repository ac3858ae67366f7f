/* Physics of forces: values by hand, potentials, conservation, and designs outside of a coefficient's range. */
#include "force/force.h"
#include "model.h"

/* ---- one element alone ---- */

/* An element at given arguments x, xd with coefficients c. */
static mbd_element_input input(const mbd_force_ops *ops, const mbd_arg_state *s, const double *c) {
  return (mbd_element_input){.s = s, .t = 0, .c = c, .variant = ops->variant, .law = ops->law};
}

/* Minus the gradient of the potential is the force at rest. */
static void check_potential(const mbd_force_ops *ops, const mbd_arg_state *at, const double *c, double scale) {
  const double h = 1e-5;
  mbd_arg_state s = *at;
  mbd_element_input in = input(ops, &s, c);
  double f[ELEMENT_ARG_MAX][3];
  memset(s.xd, 0, sizeof s.xd);
  ops->f(&in, f);
  for (int a = 0; a < ops->narg; a++) {
    for (int i = 0; i < 3; i++) {
      double x = s.x[a][i];
      s.x[a][i] = x + h;
      double plus = ops->potential(&in);
      s.x[a][i] = x - h;
      double minus = ops->potential(&in);
      s.x[a][i] = x;
      CHECK_NEAR(ops->info.name, f[a][i], -(plus - minus) / (2 * h), scale, 1e-8);
    }
  }
}

/* ---- stops ---- */

static void test_stop_values(void) {
  const double c[] = {2, 300, 1000, 40, 0.2}; /* engage, k, k3, damping, onset */
  const mbd_force_ops *bump = mbd_force_find("bump_stop"), *rebound = mbd_force_find("rebound_stop");
  mbd_arg_state s = {.x = {{0, 0, 2.1}}, .xd = {{0, 0, -3}}};
  const mbd_element_input in = input(bump, &s, c), out = input(rebound, &s, c);
  double f[ELEMENT_ARG_MAX][3];
  bump->f(&in, f);
  CHECK_CLOSE("bump stop, not reached", f[0][2], 0, 0);
  rebound->f(&out, f); /* in the middle of the onset: r(1/2) = 2.1875/32 */
  CHECK_CLOSE("rebound stop, half way in", f[0][2], -(300 * 0.2 * 2.1875 / 32 + 1 - 40 * 0.5 * 3), 1e-12);
  s.x[0][2] = 1.5; /* overlap 0.5, beyond the onset: the line k (e - w/2) */
  bump->f(&in, f);
  CHECK_CLOSE("bump stop pushes apart", f[0][2], 300 * 0.4 + 1000 * 0.125 + 40 * 3, 1e-12);
  CHECK_CLOSE("energy", bump->potential(&in), 300 * (0.5 * 0.3 / 2 + 0.04 * 5 / 36) + 1000 * 0.0625 / 4, 1e-12);
  rebound->f(&out, f);
  CHECK_CLOSE("rebound stop, not reached", f[0][2], 0, 0);
  for (int i = 0; i < 8; i++) {
    const mbd_arg_state at = {.x = {{0.3 + 0.4 * i, -0.2, 0.5}}};
    check_potential(bump, &at, c, 1000);
    check_potential(rebound, &at, c, 1000);
  }
}

/* A weight falls on a stop from 0.3 m above it. */
static const char *const falling =
    "schema = 1\n[model]\nname = falling\n[scalars]\nw = 0.05\n"
    "[body weight]\nmass = 2\ncom = 0, 0, 1\ninertia = 1, 1, 1\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground\n[point P]\nat = 0, 0, 1\nbodies = ground, weight\n"
    "[vector up]\nalong = 0, 0, 1\nbodies = ground, weight\n"
    "[joint guide]\ntype = prismatic\nbodies = ground, weight\npoint = P\naxis = up\n"
    "[force stop]\ntype = bump_stop\npoints = O, P@weight\nengage = 0.7\nstiffness = 800\ncubic_stiffness = 2e4\n"
    "onset = w\n[start]\nhold.guide.distance = 0\n";

static void test_stop_energy(void) {
  static const char *const names[] = {"energy.total", "guide.distance", "stop.force"};
  test_model b = model_open_text(falling);
  double start[3], y[3], drift[2] = {0};
  model_outputs_at_end(&b, 3, names, 1e-6, 1e-6, start, NULL);
  for (int k = 0; k < 2; k++) {
    double lowest = 0;
    for (int i = 1; i <= 8; i++) { /* down, in the stop, and back up */
      model_outputs_at_end(&b, 3, names, 0.1 * i, k ? 1e-3 : 2e-3, y, NULL);
      drift[k] = fmax(drift[k], fabs(y[0] - start[0]));
      lowest = fmin(lowest, y[1]);
      CU_ASSERT((y[2] < 0) == (y[1] < -0.3));
    }
    CU_ASSERT(lowest < -0.35);
  }
  CHECK_NEAR("energy", drift[1], 0, 2 * 9.81 * 0.3, 2e-4);
  CHECK_CLOSE("order of the drift", log2(drift[0] / drift[1]), 2, 0.3);
  model_close(&b);
}

/* ---- anti-roll bar ---- */

/* Two equal arms without gravity, joined by a bar: in bounce it does nothing, in roll it is a spring of 2k for each:
 * theta = 0.01 cos(w t), w^2 = 2k/J. */
static const char *const two_arms =
    "schema = 1\n[model]\nname = arms\ngravity = 0, 0, 0\njoints = named\n"
    "[body left]\nmass = 0\ncom = 0, 1, 0\ninertia = 0.5, 1, 1\n"
    "[body right]\nmass = 0\ncom = 0, -1, 0\ninertia = 0.5, 1, 1\n"
    "[point L]\nat = 0, 0.4, 0\nbodies = ground, left\n[point R]\nat = 0, -0.4, 0\nbodies = ground, right\n"
    "[vector x]\nalong = 1, 0, 0\nbodies = ground, left, right\n"
    "[joint JL]\ntype = revolute\nbodies = ground, left\npoint = L\naxis = x\n"
    "[joint JR]\ntype = revolute\nbodies = ground, right\npoint = R\naxis = x\n"
    "[force bar]\ntype = anti_roll_bar\ncoordinates = JL.angle, JR.angle\nstiffness = 25\n"
    "[start]\nhold.JL.angle = 0.01\nhold.JR.angle = ";

static void test_anti_roll_bar(void) {
  static const char *const names[] = {"JL.angle", "JR.angle", "bar.force", "energy.total"};
  double y[4];
  test_model b = model_open_parts(two_arms, "0.01\n");
  model_outputs_at_end(&b, 4, names, 0.3, 1e-3, y, NULL);
  CHECK_CLOSE("bounce", y[0], 0.01, 1e-15);
  CHECK_CLOSE("bounce", y[2], 0, 1e-13);
  model_close(&b);
  b = model_open_parts(two_arms, "-0.01\n");
  model_outputs_at_end(&b, 4, names, 0.3, 1e-3, y, NULL);
  CHECK_CLOSE("roll", y[0], 0.01 * cos(10 * 0.3), 1e-6);
  CHECK_CLOSE("roll", y[1], -0.01 * cos(10 * 0.3), 1e-6);
  CHECK_CLOSE("torque", y[2], 25 * (y[0] - y[1]), 1e-14);
  CHECK_CLOSE("energy", y[3], 25 * 0.02 * 0.02 / 2, 1e-9);
  model_close(&b);
}

/* ---- wheel torque ---- */

/* A wheel on a free carrier, axle across. The drive spins both up against each other without changing their sum; the
 * brake brings the relative spin to rest and takes the energy. */
static const char *const wheel =
    "schema = 1\n[model]\nname = wheel\ngravity = 0, 0, 0\njoints = named\n"
    "[body knuckle]\nmass = 3\ncom = 0, 0, 0\ninertia = 0.2, 0.3, 0.4\n"
    "[body wheel]\nmass = 5\ncom = 0, 0.1, 0\ninertia = 0.3, 0.6, 0.3\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, knuckle\n[point W]\nat = 0, 0.1, 0\nbodies = knuckle, wheel\n"
    "[vector y]\nalong = 0, 2, 0\nbodies = ground, knuckle, wheel\n"
    "[joint carrier]\ntype = revolute\nbodies = ground, knuckle\npoint = O\naxis = y\n"
    "[joint axle]\ntype = revolute\nbodies = knuckle, wheel\npoint = W\naxis = y\n"
    "[curve on]\ntype = polynomial\ncoefficients = 4\n[curve off]\ntype = polynomial\ncoefficients = 0\n"
    "[force motor]\ntype = wheel_torque\nbodies = knuckle, wheel\naxle = y@knuckle\nspin_speed = 0.1\n";

static void test_wheel_torque(void) {
  static const char *const names[] = {"knuckle.rate.y", "wheel.rate.y", "motor.torque", "motor.speed"};
  double y[4];
  test_model b = model_open_parts(wheel, "drive = on\n[start]\nhold.axle.angle = 0\nhold.carrier.angle = 0\n");
  model_outputs_at_end(&b, 4, names, 0.3, 1e-3, y, NULL);
  CHECK_CLOSE("wheel", y[1], 4 * 0.3 / 0.6, 1e-9);
  CHECK_CLOSE("reaction", y[0], -4 * 0.3 / 0.3, 1e-9);
  CHECK_CLOSE("torque", y[2], 4, 0);
  CHECK_CLOSE("spin", y[3], y[1] - y[0], 1e-12);
  model_close(&b);
  /* brake from a spin of 10 relative to the knuckle: 1/J = 1/0.3 + 1/0.6 = 5, so 4 N m takes 0.5 s */
  b = model_open_parts(wheel,
                       "brake = on\n[start]\nhold.axle.angle = 0\nrate.axle.angle = 10\nhold.carrier.angle = 0\n");
  model_outputs_at_end(&b, 4, names, 0.25, 1e-3, y, NULL);
  CHECK_CLOSE("half the spin is left", y[3], 5, 1e-2);
  CHECK_CLOSE("torque against the spin", y[2], -4 * y[3] / hypot(y[3], 0.1), 1e-12);
  CHECK_CLOSE("angular momentum", 0.3 * y[0] + 0.6 * y[1], 0.6 * 10, 1e-9);
  model_outputs_at_end(&b, 4, names, 1, 1e-3, y, NULL);
  CHECK_CLOSE("at rest relative to the knuckle", y[3], 0, 1e-4);
  CHECK_CLOSE("angular momentum", 0.3 * y[0] + 0.6 * y[1], 0.6 * 10, 1e-9);
  model_close(&b);
}

/* ---- bushing ---- */

/* Arguments first .. first + 2: the global axes turned by `angle` about the unit vector u (Rodrigues), turning at w. */
static void set_axes(mbd_arg_state *s, int first, const double u[3], double angle, const double w[3]) {
  double c = cos(angle), si = sin(angle);
  for (int k = 0; k < 3; k++) {
    double *e = s->x[first + k], *ed = s->xd[first + k];
    int p = (k + 1) % 3, q = (k + 2) % 3;
    for (int i = 0; i < 3; i++) { e[i] = (1 - c) * u[k] * u[i] + c * (i == k); }
    e[p] += si * u[q]; /* sin u x e_k */
    e[q] -= si * u[p];
    for (int i = 0; i < 3; i++) { ed[i] = w[(i + 1) % 3] * e[(i + 2) % 3] - w[(i + 2) % 3] * e[(i + 1) % 3]; }
  }
}

static void add_moment(const double x[3], const double f[3], double n[3]) {
  for (int i = 0; i < 3; i++) { n[i] += x[(i + 1) % 3] * f[(i + 2) % 3] - x[(i + 2) % 3] * f[(i + 1) % 3]; }
}

static void test_bushing_values(void) {
  const double c[] = {1000, 2000, 3000, 10, 20, 30, 40, 50, 60, 1, 2, 3};
  const mbd_force_ops *bushing = mbd_force_find("bushing");
  mbd_arg_state s = {.x = {{0.01, 0.02, -0.03}}};
  double f[ELEMENT_ARG_MAX][3];
  static const double none[3] = {0, 0, 0};
  for (int axis = 0; axis < 3; axis++) { /* turned by 0.2 about one axis: the moment is -kr sin cos */
    const double u[3] = {axis == 0, axis == 1, axis == 2};
    double n[3] = {0, 0, 0};
    set_axes(&s, 1, u, 0, none);
    set_axes(&s, 4, u, 0.2, none);
    mbd_element_input in = input(bushing, &s, c);
    bushing->f(&in, f);
    for (int i = 0; i < 3; i++) { CHECK_CLOSE("force on the second body", f[0][i], -c[i] * s.x[0][i], 1e-12); }
    for (int a = 4; a < 7; a++) { add_moment(s.x[a], f[a], n); }
    for (int i = 0; i < 3; i++) {
      CHECK_CLOSE("moment on the second body", n[i], i == axis ? -c[6 + i] * sin(0.2) * cos(0.2) : 0, 1e-13);
    }
    check_potential(bushing, &s, c, 1000);
  }
}

/* Whatever the position and the motion: forces and moments of both bodies balance. */
static void test_bushing_balance(void) {
  const double c[] = {1000, 2000, 3000, 10, 20, 30, 40, 50, 60, 1, 2, 3};
  const mbd_force_ops *bushing = mbd_force_find("bushing");
  for (int q = 0; q < 10; q++) {
    const double u[3] = {0.6, 0, 0.8}, v[3] = {0, -0.28, 0.96}, w[3] = {sin(q), 2, cos(2. * q)},
                 wf[3] = {1, cos(q), -3};
    mbd_arg_state s = {.x = {{0.1 * cos(q), 0.2, -0.1}}, .xd = {{1, sin(3. * q), -2}}};
    double f[ELEMENT_ARG_MAX][3], n[3] = {0, 0, 0};
    set_axes(&s, 1, u, 0.5 * q, w);
    set_axes(&s, 4, v, 0.9 * q + 0.3, wf);
    mbd_element_input in = input(bushing, &s, c);
    bushing->f(&in, f);
    for (int a = 0; a < 7; a++) { add_moment(s.x[a], f[a], n); }
    for (int i = 0; i < 3; i++) { CHECK_NEAR("sum of moments", n[i], 0, 1000, 1e-15); }
  }
}

/* Two free balls of inertia 0.1, held together by a bushing between their surfaces. */
static void test_bushing_conserves(void) {
  static const char *const text =
      "schema = 1\n[model]\nname = pair\ngravity = 0, 0, 0\n"
      "[body A]\nmass = 2\ncom = 0, 0, 0\ninertia = 0.1, 0.1, 0.1\n"
      "[body B]\nmass = 3\ncom = 0.5, 0, 0\ninertia = 0.1, 0.1, 0.1\n"
      "[point P]\nat = 0.2, 0.1, 0\nbodies = A, B\n[point GA]\nat = 0, 0, 0\nbodies = A\n"
      "[point GB]\nat = 0.5, 0, 0\nbodies = B\n"
      "[vector e]\nalong = 1, 1, 0\nbodies = A, B, ground\n[vector n]\nalong = 0, 0, 2\nbodies = A, B, ground\n"
      "[force bush]\ntype = bushing\npoints = P@A, P@B\naxes = e, n\nstiffness = 500, 400, 300\n"
      "angular_stiffness = 8, 6, 5\n"
      "[start]\nhold.B.x = 0.02\nrate.B.x = 0.1\nrate.B.y = 0.4\nhold.B.y = 0\nhold.B.e1 = 0\nrate.B.e1 = 0.6\n"
      "hold.A.e3 = 0\nrate.A.e3 = 0.3\n";
  static const char *const names[] = {"GA.position.x", "GA.position.y", "GA.velocity.x", "GA.velocity.y",
                                      "GB.position.x", "GB.position.y", "GB.velocity.x", "GB.velocity.y",
                                      "A.rate.z",      "B.rate.z",      "energy.total",  "bush.moment_x"};
  test_model b = model_open_text(text);
  double y[3][12], momentum[3], drift[2], turn[2];
  CU_ASSERT_EQUAL_FATAL(mbd_model_njoint(b.m), 2); /* both float: what they share is there for the bushing */
  model_outputs_at_end(&b, 12, names, 1e-6, 1e-6, y[0], NULL);
  model_outputs_at_end(&b, 12, names, 0.5, 2e-3, y[1], NULL);
  model_outputs_at_end(&b, 12, names, 0.5, 1e-3, y[2], NULL);
  for (int k = 0; k < 3; k++) { /* about z, at the origin */
    const double *q = y[k];
    momentum[k] = 2 * (q[0] * q[3] - q[1] * q[2]) + 3 * (q[4] * q[7] - q[5] * q[6]) + 0.1 * (q[8] + q[9]);
    CHECK_CLOSE("momentum", 2 * q[2] + 3 * q[6], 3 * 0.1, 5e-5); /* to the order of the scheme, as below */
  }
  for (int k = 0; k < 2; k++) {
    drift[k] = fabs(y[k + 1][10] - y[0][10]);
    turn[k] = fabs(momentum[k + 1] - momentum[0]);
  }
  CU_ASSERT(fabs(y[2][11]) > 0.01);
  CHECK_NEAR("energy", drift[1], 0, y[0][10], 2e-5);
  CHECK_NEAR("angular momentum", turn[1], 0, fabs(momentum[0]), 2e-5);
  CHECK_CLOSE("order of the energy drift", log2(drift[0] / drift[1]), 2, 0.3);
  CHECK_CLOSE("order of the momentum drift", log2(turn[0] / turn[1]), 2, 0.3);
  model_close(&b);
}

/* A width that a design makes negative is no stop: the optimizer hears of it as of any other failed design. */
/* ---- roll feedback ---- */

/* A body that leans to the right by 0.3 rad, its left vector of length 2, rolls on at 0.5 rad/s; the torque steers right. */
static void test_roll_feedback(void) {
  const double c[] = {30, 8, 5, 2}, roll = 0.3, rate = 0.5; /* k1, k2, k3, k4 */
  const mbd_force_ops *ops = mbd_force_find("roll_feedback");
  mbd_arg_state s = {.x = {{0.1, 0, 0}, {0, 2 * cos(roll), 2 * sin(roll)}},
                     .xd = {{-0.4, 0, 0}, {0, -2 * rate * sin(roll), 2 * rate * cos(roll)}}};
  mbd_element_input in = input(ops, &s, c);
  double f[ELEMENT_ARG_MAX][3], g_x[ELEMENT_ARG_MAX][3], g_xd[ELEMENT_ARG_MAX][3];
  const double T = -(30 * 0.3 + 8 * 0.5 + 5 * 0.1 - 2 * 0.4);
  ops->f(&in, f);
  CHECK_CLOSE("steers into the fall", f[0][0], T, 1e-14);
  CU_ASSERT(f[0][1] == 0 && f[0][2] == 0 && f[1][0] == 0 && f[1][1] == 0 && f[1][2] == 0);
  const double expected[] = {T, roll, rate, roll}; /* torque, roll, rate, error: no reference */
  for (int k = 0; k < ops->nscalar; k++) {
    memset(g_x, 0, sizeof g_x), memset(g_xd, 0, sizeof g_xd);
    CHECK_CLOSE(ops->scalar_name[k], ops->scalar(&in, k, g_x, g_xd), expected[k], 1e-14);
  }
}

static void test_ranges_of_designs(void) {
  test_model b = model_open_text(falling);
  mbd_error err = {0};
  double *theta = calloc((size_t)mbd_model_ncoef(b.m), sizeof *theta);
  CU_ASSERT_PTR_NOT_NULL_FATAL(theta);
  for (int k = 0; k < mbd_model_ncoef(b.m); k++) {
    theta[k] = mbd_model_nominal(b.m, k);
    if (strcmp(mbd_model_coef_name(b.m, k), "force.stop.onset") == 0) { theta[k] = -0.05; }
  }
  CU_ASSERT_EQUAL(mbd_params_set(b.p, theta, &err), MBD_OUT_OF_DOMAIN);
  CHECK_CONTAINS(err.text, "coefficient 'force.stop.onset' = -0.05, expected >= 1e-09");
  free(theta);
  model_close(&b);
}

TEST_MAIN(TEST(test_stop_values), TEST(test_stop_energy), TEST(test_anti_roll_bar), TEST(test_wheel_torque),
          TEST(test_bushing_values), TEST(test_bushing_balance), TEST(test_bushing_conserves), TEST(test_roll_feedback),
          TEST(test_ranges_of_designs))
