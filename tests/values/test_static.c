/* Static cases by hand: a shallow truss up to its limit point, columns that buckle, a beam of bushings, doors with more hinges than they
 * need; and the end of a damped motion. */
#include "mbd/referee.h"
#include "values.h"

/* Terminal values y [n] of these outputs, and their derivatives by scalar number `by` of the model by direct differentiation and by the
 * adjoint, if slope is there. Returns what the run did; its warnings' text in `warned`. */
typedef struct outcome {
  mbd_status status;
  mbd_error err;
  char warned[512];
  double y[4], direct[4], back[4];
} outcome;

static outcome run_case(const char *model, const mbd_case *c, int by, int n, const char *const *name) {
  outcome o = {0};
  test_model q = model_open_text(model);
  test_directions to = directions_of_scalars(&q);
  const int nc = mbd_model_ncoef(q.m), count = to.start[by + 1] - to.start[by];
  const mbd_adjoint_options all = {0};
  double *gtheta = calloc((size_t)(n * nc), sizeof *gtheta);
  mbd_term term[4];
  mbd_dparams *d;
  mbd_sim *s;
  for (int i = 0; i < n; i++) {
    term[i] = (mbd_term){.psi = i, .output = model_output(&q, name[i]), .form = "terminal", .weight = 1};
  }
  must(mbd_dparams_create(q.m, &d, &o.err), &o.err);
  mbd_dparams_set(d, q.p, count, to.index + to.start[by], to.value + to.start[by]);
  must(mbd_sim_create(q.m, c, q.o, n, term, n, 1, &s, &o.err), &o.err);
  o.status = mbd_sim_run(s, q.p, 1, &d, o.y, o.direct, NULL, NULL, NULL, &o.err);
  const mbd_warning *w = mbd_sim_warning(s, 0);
  if (w) { snprintf(o.warned, sizeof o.warned, "%s", w->text); }
  if (o.status == MBD_OK) {
    must(mbd_sim_adjoint(s, q.p, &all, o.y, gtheta, NULL, NULL, &o.err), &o.err);
    for (int i = 0; i < n; i++) {
      for (int k = to.start[by]; k < to.start[by + 1]; k++) { o.back[i] += gtheta[i * nc + to.index[k]] * to.value[k]; }
    }
  }
  mbd_sim_destroy(s), mbd_dparams_destroy(d);
  directions_free(&to), free(gtheta), model_close(&q);
  return o;
}

static mbd_case static_case(double duration, double step) {
  mbd_case c = case_lasting(duration, step);
  c.analysis = "static";
  return c;
}

/* ---- a shallow truss ---- */

/* Two springs from supports at a distance h = 1 m on either side to a knee at the height b = 0.3 m that goes up and down, pushed down by
 * F. At the height y, with L^2 = h^2 + y^2 and L0^2 = h^2 + b^2,
 *   F = 2 k (L0/L - 1) y,   dF/dy = 2 k (L0 h^2/L^3 - 1),   which is zero, F largest, at L^3 = L0 h^2 */
static const char truss[] =
    "schema = 1\n[model]\nname = truss\ngravity = 0, 0, 0\njoints = named\n[scalars]\nk = 1000\nrate = %.17g\n"
    "[body knee]\nmass = 2\ncom = 0, 0, 0\ninertia = 1, 1, 1\n"
    "[point L]\nat = -1, 0, 0\nbodies = ground\n[point R]\nat = 1, 0, 0\nbodies = ground\n"
    "[point G]\nat = 0, 0, 0.3\nbodies = ground, knee\n[point K]\nat = 0, 0, 0.3\nbodies = knee\n"
    "[vector up]\nalong = 0, 0, 1\nbodies = ground, knee\n"
    "[joint guide]\ntype = prismatic\nbodies = ground, knee\npoint = G\naxis = up\n"
    "[force left]\ntype = spring\npoints = L, K\nstiffness = k\nfree_length = hypot(1, 0.3)\n"
    "[force right]\ntype = spring\npoints = R, K\nstiffness = k\nfree_length = hypot(1, 0.3)\n"
    "[force damper]\ntype = torsion_spring\ncoordinate = guide.distance\ndamping = 20\n"
    "[curve load]\ntype = polynomial\ncoefficients = %s\n"
    "[force push]\ntype = point_force\npoint = K\ndirection = 0, 0, -1\nforce = load\n";

static double truss_load(double y) {
  return 2000 * (hypot(1, 0.3) / hypot(1, y) - 1) * y;
}

static const char *const truss_outputs[] = {"K.position.z", "left.force", "K.velocity.norm", "K.acceleration.z"};

/* Largest difference seen: 1e-14. */
static void test_truss(void) {
  const double y = 0.2, F = truss_load(y), L = hypot(1, y), L0 = hypot(1, 0.3);
  const double slope = -F / 1000 / (2000 * (L0 / (L * L * L) - 1)); /* dF = 0 */
  const mbd_case c = static_case(1, 0.1);
  char text[3000];
  snprintf(text, sizeof text, truss, F, "0, rate");
  const outcome o = run_case(text, &c, 0, 4, truss_outputs);
  must(o.status, &o.err);
  CHECK_CLOSE("height", o.y[0], y, 1e-12);
  CHECK_CLOSE("force", o.y[1], 1000 * (L - L0), 1e-9);
  CHECK_CLOSE("by stiffness", o.direct[0], slope, 1e-13);
  CHECK_CLOSE("by stiffness, adjoint", o.back[0], slope, 1e-13);
  CHECK_CLOSE("force by stiffness", o.direct[1], L - L0 + 1000 * y / L * slope, 1e-12);
  for (int i = 2; i < 4; i++) { CU_ASSERT(o.y[i] == 0 && o.direct[i] == 0 && o.back[i] == 0); }
}

/* Second derivative of the height: with F = 2 k g(y), from 2 g + 2 k g' y' = 0, where g = (L0/L - 1) y, g'' = -3 L0 y/L^5. */
static void test_second(void) {
  const double y = 0.2, F = truss_load(y), L = hypot(1, y), L0 = hypot(1, 0.3), k = 1000;
  const double g1 = L0 / (L * L * L) - 1, g2 = -3 * L0 * y / pow(L, 5), slope = -F / (2 * k * k * g1);
  const double reference = -(2 * g1 * slope + k * g2 * slope * slope) / (k * g1);
  const mbd_case c = static_case(1, 0.25);
  const mbd_adjoint_options all = {0};
  mbd_error err = {0};
  mbd_referee *r;
  char text[3000];
  snprintf(text, sizeof text, truss, F, "0, rate");
  test_model q = model_open_text(text);
  test_directions to = directions_of_scalars(&q);
  const mbd_term term = {.output = model_output(&q, truss_outputs[0]), .form = "terminal", .weight = 1};
  const int nc = mbd_model_ncoef(q.m), n = to.start[1];
  double psi, sum = 0, *gtheta = calloc(2 * (size_t)nc, sizeof *gtheta), *dgtheta = gtheta + nc;
  must(mbd_referee_create(mbo_model_file_spec(q.file), &c, 1, truss_outputs, 1, &term, 1, &r, &err), &err);
  must(mbd_referee_second(r, to.theta, &all, n, to.index, to.value, &psi, gtheta, dgtheta, &err), &err);
  for (int i = 0; i < n; i++) { sum += dgtheta[to.index[i]] * to.value[i]; }
  CHECK_NEAR("by stiffness twice", sum, reference, fabs(reference), 1e-11);
  mbd_referee_destroy(r);
  directions_free(&to), free(gtheta), model_close(&q);
}

/* The load grows beyond its limit: the run ends there, whatever its nodes. */
static void test_limit_point(void) {
  const double L = cbrt(hypot(1, 0.3)), limit = truss_load(sqrt(L * L - 1));
  static const double step[] = {0.001, 0.05, 0.5};
  char text[3000];
  snprintf(text, sizeof text, truss, 60.0, "0, rate");
  for (int i = 0; i < 3; i++) {
    const mbd_case c = static_case(1, step[i]);
    const outcome o = run_case(text, &c, 0, 1, truss_outputs);
    CU_ASSERT_EQUAL(o.status, MBD_SINGULAR);
    CHECK_CONTAINS(o.err.text, "limit point");
    CHECK_CONTAINS(o.err.text, "'guide.distance'");
    CHECK_CLOSE("time of the limit", o.err.time, limit / 60, 1e-6 * step[i] + 1e-9);
  }
}

/* A constant load that begins with the run: after ten seconds the swing has gone down by e^-50. */
static void test_end_of_motion(void) {
  mbd_case c = case_lasting(10, 0.01);
  char text[3000];
  snprintf(text, sizeof text, truss, 5.0, "rate");
  const outcome moving = run_case(text, &c, 0, 2, truss_outputs);
  c = static_case(1, 1);
  const outcome still = run_case(text, &c, 0, 2, truss_outputs);
  must(moving.status, &moving.err), must(still.status, &still.err);
  for (int i = 0; i < 2; i++) {
    CHECK_CLOSE("at the end", moving.y[i], still.y[i], 1e-9);
    CHECK_CLOSE("its derivative", moving.direct[i], still.direct[i], 1e-9);
  }
}

/* ---- a column ---- */

/* A stiff column of length 2 m on a spring of 100 N m/rad, crooked by c, under P = 100 t N:  100 (a - c) = P 2 sin a. Without crook it
 * stands upright, and is unstable above P = 50 N. */
static const char column[] =
    "schema = 1\n[model]\nname = column\ngravity = 0, 0, 0\njoints = named\n[scalars]\nk = 100\n"
    "[body column]\nmass = 1\ncom = 0, 0, 1\ninertia = 1, 1, 0.1\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, column\n[point T]\nat = 0, 0, 2\nbodies = column\n"
    "[vector y]\nalong = 0, 1, 0\nbodies = ground, column\n"
    "[joint base]\ntype = revolute\nbodies = ground, column\npoint = O\naxis = y\n"
    "[force spring]\ntype = torsion_spring\ncoordinate = base.angle\nstiffness = k\nfree_angle = %.17g\n"
    "[curve load]\ntype = polynomial\ncoefficients = 0, 100\n"
    "[force push]\ntype = point_force\npoint = T\ndirection = 0, 0, -1\nforce = load\n";

static const char *const lean[] = {"base.angle"};

static void test_column(void) {
  char text[2000];
  for (int i = 0; i < 4; i++) { /* nearly straight, few nodes: the way bends sharply between two of them */
    const double crook[] = {0.1, -0.1, 1e-3, -1e-5}, step[] = {0.05, 0.1, 0.3, 1};
    const mbd_case c = static_case(1, step[i]);
    snprintf(text, sizeof text, column, crook[i]);
    const outcome o = run_case(text, &c, 0, 1, lean);
    must(o.status, &o.err);
    CU_ASSERT(o.y[0] * crook[i] > 0);
    CHECK_CLOSE("equilibrium", 100 * (o.y[0] - crook[i]) - 200 * sin(o.y[0]), 0, 1e-9);
    CHECK_CLOSE("by stiffness", o.direct[0] * (100 - 200 * cos(o.y[0])), crook[i] - o.y[0], 1e-9);
    CU_ASSERT(!o.warned[0]);
  }
}

static void test_buckling(void) {
  char text[2000];
  snprintf(text, sizeof text, column, 0.0);
  mbd_case c = static_case(1, 0.07);
  const outcome o = run_case(text, &c, 0, 1, lean);
  must(o.status, &o.err);
  CU_ASSERT(o.y[0] == 0);
  CHECK_CONTAINS(o.warned, "unstable from t = 0.5 s on");
  CHECK_CONTAINS(o.warned, "'base.angle'");
  c = static_case(1, 0.25); /* a node where the stiffness is zero */
  const outcome at = run_case(text, &c, 0, 1, lean);
  CU_ASSERT_EQUAL(at.status, MBD_SINGULAR);
  CHECK_CONTAINS(at.err.text, "the stiffness vanishes along 'base.angle'");
}

/* A clamped [beam] of 1 m under a load on its tip that rises to twice that of Euler, pi^2 E I/(4 L^2), which four shapes have to 1e-7. */
static void test_euler(void) {
  static const char euler[] =
      "schema = 1\n[model]\nname = euler\ngravity = 0, 0, 0\njoints = named\n[scalars]\nmodulus = 2e11\n"
      "[beam column]\nfrom = O\nto = T\nup = x\nsection = rectangle\nheight = 0.01\nwidth = 0.02\nE = modulus\n"
      "density = 7800\nshapes = 4, 0, 0\n"
      "[point O]\nat = 0, 0, 0\nbodies = ground, column\n[point T]\nat = 0, 0, 1\nbodies = column.tip\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = column\n"
      "[joint clamp]\ntype = weld\nbodies = ground, column\npoint = O\n"
      "[curve load]\ntype = polynomial\ncoefficients = 0, 2*pi^2/4*2e11*0.02*0.01^3/12\n"
      "[force push]\ntype = point_force\npoint = T\ndirection = 0, 0, -1\nforce = load\n";
  static const char *const name[] = {"column.tip.deflection_up"};
  const mbd_case c = static_case(1, 0.07);
  const outcome o = run_case(euler, &c, 0, 1, name);
  const char *found = strstr(o.warned, "unstable from t = ");
  must(o.status, &o.err);
  CU_ASSERT_PTR_NOT_NULL_FATAL(found);
  CHECK_CLOSE("Euler's load", strtod(found + strlen("unstable from t = "), NULL), 0.5, 1e-4);
  CHECK_CONTAINS(o.warned, "'column.up1'");
  CHECK_CONTAINS(o.warned, "(buckling)");
}

/* ---- a beam ---- */

/* Three links of 0.5 m, each in a bushing on the one before, bent by a moment M about y at the tip: every bushing bears it, and none a
 * force. Its elastic energy is kr sin^2 a/2, so that each turns by the angle a with kr sin a cos a = M about y, where the tip goes down and
 * back. */
static void test_beam(void) {
  static const char beam[] =
      "schema = 1\n[model]\nname = beam\ngravity = 0, 0, 0\njoints = named\n[scalars]\nkr = 40\n"
      "[body b1]\nmass = 1\ncom = 0.25, 0, 0\ninertia = 1, 1, 1\n[body b2]\nmass = 1\ncom = 0.75, 0, 0\n"
      "inertia = 1, 1, 1\n[body b3]\nmass = 1\ncom = 1.25, 0, 0\ninertia = 1, 1, 1\n"
      "[point P0]\nat = 0, 0, 0\nbodies = ground, b1\n[point P1]\nat = 0.5, 0, 0\nbodies = b1, b2\n"
      "[point P2]\nat = 1, 0, 0\nbodies = b2, b3\n[point P3]\nat = 1.5, 0, 0\nbodies = b3\n"
      "[vector x]\nalong = 1, 0, 0\nbodies = ground, b1, b2, b3\n[vector y]\nalong = 0, 1, 0\nbodies = ground, b1, b2, "
      "b3\n"
      "[force j0]\ntype = bushing\npoints = P0@ground, P0@b1\naxes = x, y\nstiffness = 1e5, 1e5, 1e5\n"
      "angular_stiffness = 90, kr, 90\n"
      "[force j1]\ntype = bushing\npoints = P1@b1, P1@b2\naxes = x, y\nstiffness = 1e5, 1e5, 1e5\n"
      "angular_stiffness = 90, kr, 90\n"
      "[force j2]\ntype = bushing\npoints = P2@b2, P2@b3\naxes = x, y\nstiffness = 1e5, 1e5, 1e5\n"
      "angular_stiffness = 90, kr, 90\n"
      "[curve load]\ntype = polynomial\ncoefficients = 0, 10\n"
      "[force bend]\ntype = body_torque\nbody = b3\ndirection = 0, 1, 0\ntorque = load\n";
  static const char *const name[] = {"P3.position.x", "P3.position.z", "j0.moment_y"};
  const mbd_case c = static_case(1, 0.25);
  const outcome o = run_case(beam, &c, 0, 3, name);
  must(o.status, &o.err);
  const double a = asin(2 * 10.0 / 40) / 2, da = -10.0 / 1600 / cos(2 * a);
  double x = 0, z = 0, dx = 0, dz = 0;
  for (int i = 1; i <= 3; i++) {
    x += 0.5 * cos(i * a), z -= 0.5 * sin(i * a);
    dx -= 0.5 * i * sin(i * a) * da, dz -= 0.5 * i * cos(i * a) * da;
  }
  CHECK_CLOSE("x", o.y[0], x, 1e-12);
  CHECK_CLOSE("z", o.y[1], z, 1e-12);
  CHECK_CLOSE("moment", fabs(o.y[2]), 40 * sin(a), 1e-10);
  CHECK_CLOSE("x by stiffness", o.direct[0], dx, 1e-12);
  CHECK_CLOSE("z by stiffness", o.back[1], dz, 1e-12);
}

/* Nothing holds the knee without springs; at its place it could be anywhere. */
static void test_floating(void) {
  const mbd_case c = static_case(1, 0.5);
  char text[3000], *at;
  snprintf(text, sizeof text, truss, 0.0, "rate");
  while ((at = strstr(text, "stiffness = k")) != NULL) { memcpy(at, "damping = 2  ", 13); }
  const outcome o = run_case(text, &c, 0, 1, truss_outputs);
  CU_ASSERT_EQUAL(o.status, MBD_SINGULAR);
  CHECK_CONTAINS(o.err.text, "nothing determines the rest position of 'guide.distance'");
}

/* ---- more closures than are needed ---- */

/* A door of mass m on four hinges at one axis, of which the tree has the first, of type `tree`; the others, of type `closing`, are closures of
 * five equations each. Its centre of mass is 0.5 m from the axis; gravity pulls by gy along -y and by 9.81 m/s^2 along the axis. */
static const char door[] =
    "schema = 1\n[model]\nname = door\ngravity = 0, -gy, -9.81\njoints = named\n"
    "[scalars]\nk = %.17g\nm = %.17g\ngy = %.17g\ngap = %g\n"
    "[body door]\nmass = m\ncom = 0.5, 0, 1\ninertia = 0.3*m, 0.4*m, 0.1*m\n"
    "[point A1]\nat = 0, 0, 0.2\nbodies = ground, door\n[point A2]\nat.ground = 0, 0, 0.7\nat.door = 0, 0, 0.7 + gap\n"
    "[point A3]\nat = 0, 0, 1.3\nbodies = ground, door\n[point A4]\nat = 0, 0, 1.8\nbodies = ground, door\n"
    "[vector z]\nalong = 0, 0, 1\nbodies = ground, door\n"
    "[joint h1]\ntype = %s\nbodies = ground, door\npoint = A1\n%s"
    "[joint h2]\ntype = %s\nbodies = ground, door\npoint = A2\naxis = z\n"
    "[joint h3]\ntype = %s\nbodies = ground, door\npoint = A3\naxis = z\n"
    "[joint h4]\ntype = %s\nbodies = ground, door\npoint = A4\naxis = z\n"
    "[force closer]\ntype = torsion_spring\ncoordinate = %s\nstiffness = k\nfree_angle = 0.3\n";

typedef struct door_of {
  const char *tree, *closing, *spring_on;
  double k, m, gy, gap;
} door_of;

static const char *door_text(const door_of *d, char *text, size_t size) {
  const char *axis = strcmp(d->tree, "floating") == 0 ? "" : "axis = z\n";
  snprintf(text, size, door, d->k, d->m, d->gy, d->gap, d->tree, axis, d->closing, d->closing, d->closing,
           d->spring_on);
  return text;
}

/* Fifteen equations of rank 0, or of rank 1 and least norm by which each of three carries a third of the weight: at the angle a the closer
 * balances gravity,  k (a - 0.3) + m gy 0.5 cos a = 0, so that da/dk = -(a - 0.3)/(k - m gy 0.5 sin a). With the hinges as slides the spring
 * carries the weight: k (z - 0.3) + m g = 0. Largest difference seen: 2e-14. */
static void test_redundant_hinges(void) {
  static const char *const turning[] = {"h1.angle", "h1.reaction_force.z", "h2.reaction_force.z",
                                        "h4.reaction_force.z"};
  static const char *const sliding[] = {"h1.distance", "closer.force"};
  const mbd_case c = static_case(1, 0.5);
  const double a = -0.5, k = 10, m = 20, gy = (0.3 - a) * k / (0.5 * m * cos(a)), weight = m * 9.81;
  char text[3000];
  for (int cylindrical = 0; cylindrical < 2; cylindrical++) {
    const door_of d = {cylindrical ? "cylindrical" : "revolute", "revolute", "h1.angle", k, m, gy, 0};
    const outcome o = run_case(door_text(&d, text, sizeof text), &c, 0, 4, turning);
    const double slope = -(a - 0.3) / (k - 0.5 * m * gy * sin(a));
    must(o.status, &o.err);
    CHECK_CLOSE("angle", o.y[0], a, 1e-12);
    CHECK_CLOSE("angle by stiffness", o.direct[0], slope, 1e-12);
    CHECK_CLOSE("angle by stiffness, adjoint", o.back[0], slope, 1e-12);
    CHECK_CLOSE("first hinge", o.y[1], cylindrical ? 0 : weight, 1e-10);
    for (int i = 2; i < 4; i++) { CHECK_CLOSE("hinge", o.y[i], cylindrical ? weight / 3 : 0, 1e-10); }
    for (int i = 1; i < 4; i++) { CHECK_CLOSE("by stiffness", fmax(fabs(o.direct[i]), fabs(o.back[i])), 0, 1e-10); }
  }
  for (int cylindrical = 0; cylindrical < 2; cylindrical++) {
    const door_of d = {cylindrical ? "cylindrical" : "prismatic", "prismatic", "h1.distance", 500, m, 0.7, 0};
    const outcome o = run_case(door_text(&d, text, sizeof text), &c, 0, 2, sliding);
    must(o.status, &o.err);
    CHECK_CLOSE("distance", o.y[0], 0.3 - weight / 500, 1e-12);
    CHECK_CLOSE("distance by stiffness", o.direct[0], weight / (500 * 500.0), 1e-12);
    CHECK_CLOSE("distance by stiffness, adjoint", o.back[0], weight / (500 * 500.0), 1e-12);
    CHECK_CLOSE("spring", o.y[1], -weight, 1e-10);
  }
}

/* Hinges at other distances on the door than on its frame. */
static void test_contradicting_hinges(void) {
  static const char *const angle[] = {"h1.angle"};
  const mbd_case c = static_case(1, 0.5);
  const door_of d = {"revolute", "revolute", "h1.angle", 10, 20, 0, 1e-3};
  char text[3000];
  const outcome o = run_case(door_text(&d, text, sizeof text), &c, 0, 1, angle);
  CU_ASSERT_EQUAL(o.status, MBD_NO_ASSEMBLY);
  CHECK_CONTAINS(o.err.text, "equation 'h2.coincident.z' is left at 0.001 m, which closes the loop ground - door");
}

/* Eight rods from points of the axis of a hinge, none of which determines anything: k a = m g 0.5 cos a. */
static void test_redundant_rods(void) {
  static const char *const turning[] = {"h.angle", "h.reaction_force.z", "rod3.tension"};
  const mbd_case c = static_case(1, 0.5);
  const double a = 0.2, k = 2 * 9.81 * 0.5 * cos(a) / a, slope = -a / (k + 2 * 9.81 * 0.5 * sin(a));
  char text[4000];
  int n = snprintf(
      text, sizeof text,
      "schema = 1\n[model]\nname = rods\ngravity = 0, 0, -9.81\njoints = named\n[scalars]\nk = %.17g\n"
      "[body b]\nmass = 2\ncom = 0.5, 0, 0\ninertia = 1, 1, 1\n[point O]\nat = 0, 0, 0\nbodies = ground, b\n"
      "[vector y]\nalong = 0, 1, 0\nbodies = ground, b\n"
      "[joint h]\ntype = revolute\nbodies = ground, b\npoint = O\naxis = y\n[point T]\nat = 1, 0, 0\nbodies = b\n"
      "[force spring]\ntype = torsion_spring\ncoordinate = h.angle\nstiffness = k\nfree_angle = 0\n",
      k);
  for (int i = 0; i < 8; i++) {
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "[point G%d]\nat = 0, %g, 0\nbodies = ground\n"
                  "[constraint rod%d]\ntype = distance\npoints = G%d, T\ndistance = hypot(1, %g)\n",
                  i, 0.2 * (i + 1), i, i, 0.2 * (i + 1));
  }
  const outcome o = run_case(text, &c, 0, 3, turning);
  must(o.status, &o.err);
  CHECK_CLOSE("angle", o.y[0], a, 1e-12);
  CHECK_CLOSE("angle by stiffness", o.direct[0], slope, 1e-12);
  CHECK_CLOSE("angle by stiffness, adjoint", o.back[0], slope, 1e-12);
  CHECK_CLOSE("hinge", o.y[1], 2 * 9.81, 1e-10);
  CHECK_CLOSE("rod", o.y[2], 0, 1e-10);
}

/* Without a closer the door rests at any angle: that is told whatever rounding leaves of its stiffness, where the closures share its weight,
 * and where it has none; by a static case, and by a motion that starts from equilibrium. */
static void test_neutral_doors(void) {
  static const struct {
    const char *tree, *angle;
  } doors[] = {{"revolute", "h1.angle"}, {"cylindrical", "h1.angle"}, {"floating", "h1.e3"}};
  static const double mass[] = {0, 1e-3, 1, 20};
  char text[3200], expected[200];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 4; k++) {
      const door_of d = {
          doors[i].tree, "revolute", i == 2 ? "h1.z" : "h1.angle", i == 2 ? 10 * (k % 2) : 0, mass[k], 0, 0};
      mbd_case c = static_case(1, 1);
      snprintf(expected, sizeof expected, "nothing determines the rest position of '%s'", doors[i].angle);
      const outcome o = run_case(door_text(&d, text, sizeof text), &c, 0, 1, &doors[i].angle);
      CU_ASSERT_EQUAL(o.status, MBD_SINGULAR);
      CU_ASSERT_EQUAL(o.err.time, 0);
      CHECK_CONTAINS(o.err.text, expected);
      CHECK_CONTAINS(o.err.text, "or drives that say where it is (drive.COORDINATE = NUMBER)");
      c = case_lasting(0.01, 0.01);
      c.start = MBD_START_EQUILIBRIUM;
      const size_t n = strlen(text);
      snprintf(text + n, sizeof text - n, "[start]\nhold.%s = 0.1\nsettle = %s\n", doors[i].angle, doors[i].angle);
      const outcome from = run_case(text, &c, 0, 1, &doors[i].angle);
      CU_ASSERT_EQUAL(from.status, MBD_SINGULAR);
      CHECK_CONTAINS(from.err.text, expected);
      CHECK_CONTAINS(from.err.text, "or held quantities, not in 'settle', that say where it is");
    }
  }
}

TEST_MAIN(TEST(test_truss), TEST(test_second), TEST(test_limit_point), TEST(test_end_of_motion), TEST(test_column),
          TEST(test_buckling), TEST(test_euler), TEST(test_beam), TEST(test_floating), TEST(test_redundant_hinges),
          TEST(test_contradicting_hinges), TEST(test_redundant_rods), TEST(test_neutral_doors))
