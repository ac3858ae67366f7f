/* Eigenvalues of linearized motion against closed forms: oscillators, a damped pendulum, a body with Euler parameters, a
 * loop with redundant closure equations, a spinning top. */
#include "mbd/linearize.h"
#include "model.h"

/* bodies NULL: how they move is not wanted. */
static mbd_linear linearize_bodies(const char *text, double **bodies) {
  mbd_error err = {0};
  mbd_sim *s;
  mbd_case c;
  mbd_linear l;
  test_model q = model_open_text(text);
  mbd_case_init(&c);
  must(mbd_sim_create(q.m, &c, q.o, 0, NULL, 0, 0, &s, &err), &err);
  mbd_status status = bodies ? mbd_sim_linearize_bodies(s, q.p, &l, bodies, &err) : mbd_sim_linearize(s, q.p, &l, &err);
  if (status == MBD_NOT_BUILT_IN) { /* nothing more can be tested */
    printf("\n  %s\n", err.text);
    exit(strstr(err.text, "LAPACK") ? 77 : 1); /* ctest: skipped */
  }
  must(status, &err);
  mbd_sim_destroy(s), model_close(&q);
  return l;
}

static mbd_linear linearize(const char *text) {
  return linearize_bodies(text, NULL);
}

/* Eigenvalues 2i, 2i+1 are the pair re +- j im. */
static void check_pair(const char *name, const mbd_linear *l, int i, double re, double im, double tol) {
  CHECK_CLOSE(name, l->re[2 * i], re, tol);
  CHECK_CLOSE(name, l->im[2 * i], im, tol);
  CHECK_CLOSE(name, l->re[2 * i + 1], re, tol);
  CHECK_CLOSE(name, l->im[2 * i + 1], -im, tol);
}

/* Hangs at rest: J thdd + c thd + m g (l/2) th = 0 with J = m l^2/3. Two decaying modes where c is large. */
static const char pendulum[] =
    "schema = 1\n[model]\ntitle = pendulum\ngravity = 0, 0, -9.81\n"
    "[body bar]\nmass = 2\ncom = 0, 0, -0.75\ninertia = 2*1.5^2/12, 2*1.5^2/12, 0\n"
    "[point hinge]\nat = 0, 0, 0\nbodies = ground, bar\n"
    "[vector axis]\nalong = 0, 1, 0\nbodies = ground, bar\n"
    "[force damper]\ntype = torsion_spring\ncoordinate = ground-bar.angle\ndamping = %g\n"
    "[start]\nhold.ground-bar.angle = 0\n";

static void test_pendulum(void) {
  static const double dampings[] = {0, 1.2, 30};
  for (int i = 0; i < 3; i++) {
    char text[2000];
    snprintf(text, sizeof text, pendulum, dampings[i]);
    mbd_linear l = linearize(text);
    const double J = 2 * 1.5 * 1.5 / 3, half = dampings[i] / (2 * J), w2 = 2 * 9.81 * 0.75 / J, D = half * half - w2;
    CU_ASSERT_EQUAL_FATAL(l.n, 1);
    CU_ASSERT(l.acceleration < 1e-14 && l.jerk < 1e-14);
    if (D < 0) {
      check_pair("pendulum", &l, 0, -half, sqrt(-D), 1e-14);
    } else {
      CHECK_CLOSE("slow", l.re[0], -half + sqrt(D), 1e-13);
      CHECK_CLOSE("fast", l.re[1], -half - sqrt(D), 1e-13);
      CU_ASSERT(l.im[0] == 0 && l.im[1] == 0);
    }
    CHECK_CLOSE("shape", l.shape[0], 1, 1e-15);
    mbd_linear_free(&l);
  }
}

/* How the bar moves: a turn about y takes its centre of mass, 0.75 below the hinge, along -x. The angle moves by 1; the
 * second of a pair has the opposite imaginary part. */
static void test_how_bodies_move(void) {
  char text[2000];
  double *b;
  snprintf(text, sizeof text, pendulum, 1.2);
  mbd_linear l = linearize_bodies(text, &b);
  CU_ASSERT_FATAL(l.n == 1 && b);
  CHECK_CLOSE("size", hypot(b[4], b[6 + 4]), 1, 1e-14);
  for (int i = 0; i < 4; i++) {
    CHECK_CLOSE("swings", b[6 * i], -0.75 * b[6 * i + 4], 1e-15);
    CU_ASSERT(b[6 * i + 1] == 0 && b[6 * i + 2] == 0 && b[6 * i + 3] == 0 && b[6 * i + 5] == 0);
  }
  CHECK_CLOSE("pair, real", b[12 + 4], b[4], 0);
  CHECK_CLOSE("pair, imaginary", b[18 + 4], -b[6 + 4], 0);
  mbd_linear_free(&l), free(b);
  snprintf(text, sizeof text, pendulum, 30.0);
  l = linearize_bodies(text, &b);
  CU_ASSERT_FATAL(l.im[0] == 0 && b);
  CHECK_CLOSE("size", fabs(b[4]), 1, 1e-14);
  CU_ASSERT(b[6 + 4] == 0);
  mbd_linear_free(&l), free(b);
}

/* Held by nothing: where it is upright it falls, and the state is no equilibrium halfway. */
static void test_state_that_moves(void) {
  char text[2000];
  snprintf(text, sizeof text, pendulum, 0.0);
  char *hold = strstr(text, "angle = 0");
  strcpy(hold, "angle = pi/2\n");
  mbd_linear l = linearize(text);
  CHECK_CLOSE("acceleration at the side", l.acceleration, 9.81 * 0.75 * 2 / (2 * 1.5 * 1.5 / 3), 1e-13);
  CU_ASSERT(l.accelerated == 0);
  mbd_linear_free(&l);
  strcpy(hold, "angle = pi\n");
  l = linearize(text);
  CHECK_CLOSE("falls", l.re[0], sqrt(9.81 * 0.75 * 2 / (2 * 1.5 * 1.5 / 3)), 1e-13);
  CHECK_CLOSE("or comes from there", l.re[1], -l.re[0], 1e-13);
  mbd_linear_free(&l);
}

/* In a loop the dependent coordinates follow: the plate moves along x by as much as the ends of the rods, and does not turn. */
static void check_loop(const mbd_linear *l, const double *b) {
  const double left = hypot(b[4], b[18 + 4]); /* bodies in tree order: left, right, plate */
  CU_ASSERT(left > 0.1);
  for (int part = 0; part < 2; part++) {
    const double *rod = b + 18 * part, *plate = rod + 12;
    CHECK_CLOSE("rod", rod[0], -0.4 * rod[4], 1e-9);
    CHECK_CLOSE("plate", plate[0], -0.8 * rod[4], 1e-9);
    for (int i = 1; i < 6; i++) { CHECK_CLOSE("plate", plate[i], 0, 1e-9); }
  }
  CU_ASSERT(l->n == 1);
}

/* Three equal masses on a line between four equal springs: w_k = 2 sqrt(k/m) sin(k pi/8). */
static void test_chain(void) {
  mbd_linear l = linearize(
      "schema = 1\n[model]\ntitle = chain\ngravity = 0, 0, 0\njoints = named\n"
      "[body a]\nmass = 2\ncom = 1, 0, 0\ninertia = 1, 1, 1\n"
      "[body b]\nmass = 2\ncom = 2, 0, 0\ninertia = 1, 1, 1\n"
      "[body c]\nmass = 2\ncom = 3, 0, 0\ninertia = 1, 1, 1\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = ground, a, b, c\n"
      "[joint ja]\ntype = prismatic\nbodies = ground, a\naxis = x\n"
      "[joint jb]\ntype = prismatic\nbodies = ground, b\naxis = x\n"
      "[joint jc]\ntype = prismatic\nbodies = ground, c\naxis = x\n"
      "[point L]\nat = 0, 0, 0\nbodies = ground\n[point R]\nat = 4, 0, 0\nbodies = ground\n"
      "[point A]\nat = 1, 0, 0\nbodies = a\n[point B]\nat = 2, 0, 0\nbodies = b\n[point C]\nat = 3, 0, 0\nbodies = c\n"
      "[force s1]\ntype = spring\npoints = L, A\nstiffness = 50\nfree_length = 1\n"
      "[force s2]\ntype = spring\npoints = A, B\nstiffness = 50\nfree_length = 1\n"
      "[force s3]\ntype = spring\npoints = B, C\nstiffness = 50\nfree_length = 1\n"
      "[force s4]\ntype = spring\npoints = C, R\nstiffness = 50\nfree_length = 1\n");
  CU_ASSERT_EQUAL_FATAL(l.n, 3);
  for (int k = 1; k <= 3; k++) {
    const int at = 2 * (k - 1); /* undamped: by their frequencies */
    check_pair("chain", &l, k - 1, 0, 2 * sqrt(50.0 / 2) * sin(k * acos(-1) / 8), 1e-10);
    CU_ASSERT(l.re[at] == 0 && l.re[at + 1] == 0);
    const double *shape = l.shape + 3 * at, outer = k == 2 ? 1 : sqrt(0.5); /* 1 sqrt2 1; 1 0 1 */
    CHECK_CLOSE("outer mass", shape[0], outer, 1e-10);
    CHECK_CLOSE("inner mass", shape[1], k == 2 ? 0 : 1, 1e-10);
    CHECK_CLOSE("outer mass", shape[2], outer, 1e-10);
  }
  mbd_linear_free(&l);
}

/* A bar of 2 kg, J = 0.1 about its centre 0.5 m below a hinge on a cart of 3 kg that rolls freely. As it swings the momentum along x stays zero,
 * 5 x = 2 0.5 angle: x = 0.2 m/rad. Alone, x moves all of 5 kg by 1, and the angle 2 kg with the inertia 0.1 + 2 0.25 = 0.6 kg m^2, by sqrt(0.3).
 * The free motion, 0 twice, moves x alone. */
static void test_shares(void) {
  mbd_linear l = linearize(
      "schema = 1\n[model]\ntitle = cart\ngravity = 0, 0, -9.81\njoints = named\n"
      "[body cart]\nmass = 3\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
      "[body bar]\nmass = 2\ncom = 0, 0, -0.5\ninertia = 0.1, 0.1, 0.1\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = ground, cart\n[vector y]\nalong = 0, 1, 0\nbodies = cart, bar\n"
      "[point O]\nat = 0, 0, 0\nbodies = cart, bar\n"
      "[joint rail]\ntype = prismatic\nbodies = ground, cart\naxis = x\n"
      "[joint hinge]\ntype = revolute\nbodies = cart, bar\npoint = O\naxis = y\n"
      "[start]\nhold.rail.distance = 0\nhold.hinge.angle = 0\n");
  int swings = 0;
  CU_ASSERT_EQUAL_FATAL(l.n, 2);
  for (int i = 0; i < 4; i++) {
    const int swing = fabs(l.im[i]) > 1;
    swings += swing;
    CU_ASSERT(l.residual[i] < 1e-12);
    CHECK_CLOSE("shape of x", l.shape[2 * i], swing ? 0.2 : 1, 1e-12);
    CHECK_CLOSE("shape of the angle", l.shape[2 * i + 1], swing, 1e-7);
    CHECK_CLOSE("share of x", l.share[2 * i], swing ? 0.2 / sqrt(0.3) : 1, 1e-12);
    CHECK_CLOSE("share of the angle", l.share[2 * i + 1], swing, 1e-7);
  }
  CU_ASSERT_EQUAL(swings, 2);
  mbd_linear_free(&l);
}

/* A body that hangs in a spherical joint, at an attitude that is not that of zero Euler parameters: two swings about
 * the horizontal axes and a free turn about the vertical one. */
static void test_spherical(void) {
  mbd_linear l = linearize(
      "schema = 1\n[model]\ntitle = spherical pendulum\ngravity = 0, 0, -9.81\njoints = named\nframe = body\n"
      "[body bar]\nmass = 3\ncom = 0.5, 0, 0\ninertia = 0.1, 0.2, 0.3\n"
      "[point O]\nat.ground = 0, 0, 0\nat.bar = 0, 0, 0\n"
      "[joint ball]\ntype = spherical\nbodies = ground, bar\npoint = O\n"
      "[start]\nhold.ball.e1 = 0\nhold.ball.e2 = sqrt(0.5)\nhold.ball.e3 = 0\nguess.ball.e0 = 1\n");
  const double a = sqrt(3 * 9.81 * 0.5 / (0.2 + 0.75)), b = sqrt(3 * 9.81 * 0.5 / (0.3 + 0.75));
  int seen_a = 0, seen_b = 0, zero = 0;
  CU_ASSERT_EQUAL_FATAL(l.n, 3);
  CU_ASSERT(l.acceleration < 1e-13);
  for (int i = 0; i < 6; i++) {
    CHECK_CLOSE("undamped", l.re[i], 0, 1e-7); /* a double zero splits by the root of rounding */
    seen_a += fabs(l.im[i] - a) < 1e-12, seen_b += fabs(l.im[i] - b) < 1e-12, zero += fabs(l.im[i]) < 1e-7;
  }
  CU_ASSERT(seen_a == 1 && seen_b == 1 && zero == 2);
  mbd_linear_free(&l);
}

/* A plate on two equal parallel rods, with a joint cut and closure equations that repeat each other in space. It moves on
 * a circle without turning: (m L^2 + 2 J) thdd + (m g L + 2 m_r g l_r) th = 0. The multipliers' rounding shows. */
static void test_loop(void) {
  double *b;
  mbd_linear l = linearize_bodies(
      "schema = 1\n[model]\ntitle = swing\ngravity = 0, 0, -9.81\n"
      "[body left]\nmass = 0.5\ncom = 0, 0, -0.4\ninertia = 0.03, 0.03, 0.001\n"
      "[body right]\nmass = 0.5\ncom = 1, 0, -0.4\ninertia = 0.03, 0.03, 0.001\n"
      "[body plate]\nmass = 4\ncom = 0.5, 0, -0.9\ninertia = 0.4, 0.5, 0.6\n"
      "[point A]\nat = 0, 0, 0\nbodies = ground, left\n[point B]\nat = 1, 0, 0\nbodies = ground, right\n"
      "[point C]\nat = 0, 0, -0.8\nbodies = left, plate\n[point D]\nat = 1, 0, -0.8\nbodies = right, plate\n"
      "[vector y]\nalong = 0, 1, 0\nbodies = ground, left, right, plate\n"
      "[start]\nhold.ground-left.angle = 0\n",
      &b);
  const double L = 0.8, J = 0.03 + 0.5 * 0.4 * 0.4;
  CU_ASSERT_EQUAL_FATAL(l.n, 1);
  check_pair("swing", &l, 0, 0, sqrt((4 * 9.81 * L + 2 * 0.5 * 9.81 * 0.4) / (4 * L * L + 2 * J)), 1e-9);
  CU_ASSERT(l.acceleration < 1e-9);
  CU_ASSERT_FATAL(b != NULL);
  check_loop(&l, b);
  mbd_linear_free(&l), free(b);
}

/* A sleeping top, upright and spinning by W about an axis that no force depends on:
 *   A lam^2 - j C W lam - m g l = 0 for the complex angle, so lam = j (C W +- sqrt(C^2 W^2 - 4 A m g l))/(2 A) */
static void test_sleeping_top(void) {
  mbd_linear l = linearize(
      "schema = 1\n[model]\ntitle = sleeping top\ngravity = 0, 0, -9.81\njoints = named\n"
      "[body ring]\nmass = 0\ncom = 0, 0, 0\ninertia = 0, 0, 0\n"
      "[body top]\nmass = 2\ncom = 0, 0, 0.3\ninertia = 0.05, 0.05, 0.1\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, ring, top\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = ground\n[vector y]\nalong = 0, 1, 0\nbodies = ring\n"
      "[vector z]\nalong = 0, 0, 1\nbodies = ring, top\n"
      "[joint tilt]\ntype = cardan\nbodies = ground, ring\npoint = O\naxis = x\naxis2 = y\n"
      "[joint spin]\ntype = revolute\nbodies = ring, top\npoint = O\naxis = z\n"
      "[start]\nhold.tilt.angle1 = 0\nhold.tilt.angle2 = 0\nhold.spin.angle = 0\nrate.spin.angle = 60\n");
  const double A = 0.05 + 2 * 0.3 * 0.3, CW = 0.1 * 60, root = sqrt(CW * CW - 4 * A * 2 * 9.81 * 0.3);
  const double slow = (CW - root) / (2 * A), fast = (CW + root) / (2 * A);
  int seen_slow = 0, seen_fast = 0;
  CU_ASSERT_EQUAL_FATAL(l.n, 3);
  CU_ASSERT(l.acceleration < 1e-12 && l.jerk < 1e-10);
  for (int i = 0; i < 6; i++) {
    CHECK_CLOSE("stable", l.re[i], 0, 1e-12);
    seen_slow += fabs(l.im[i] - slow) < 1e-12 * fast, seen_fast += fabs(l.im[i] - fast) < 1e-12 * fast;
  }
  CU_ASSERT(seen_slow == 1 && seen_fast == 1);
  mbd_linear_free(&l);
}

TEST_MAIN(TEST(test_pendulum), TEST(test_how_bodies_move), TEST(test_state_that_moves), TEST(test_chain),
          TEST(test_shares), TEST(test_spherical), TEST(test_loop), TEST(test_sleeping_top))
