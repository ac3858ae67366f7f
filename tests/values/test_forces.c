/* Every force by hand: two bodies without joints and without gravity move in a general way, so that their motion equations
 * m a = F, J w' + w x J w = n show the force and the moment on each; and every output of the force. No two terms of a law are
 * equal or vanish: check_coefficients fails where a coefficient does nothing. */
#include <stdarg.h>

#include "force/force.h"
#include "values.h"

/* ---- the scene ---- */

/* Both bodies, the force "f" between them, and what it does to each by hand. */
typedef struct scene {
  const char *type;
  rigid body[2];
  wrench on[2];
  test_model q;
} scene;

static const double tol = 1e-12; /* largest seen: 1e-13 relative to the largest component */

/* The sections of the force, a format. */
static scene scene_open(const char *type, const rigid *a, const rigid *b, const char *sections, ...) {
  char text[8000];
  va_list numbers;
  scene s = {.type = type, .body = {*a, *b}};
  va_start(numbers, sections);
  vsnprintf(text, sizeof text, sections, numbers);
  va_end(numbers);
  s.q = rigid_model(2, s.body, text, NULL, "");
  return s;
}

static void scene_check(const scene *s, const char *part, double expected) {
  char of[64], name[64];
  snprintf(of, sizeof of, "%s.%s", s->type, part);
  snprintf(name, sizeof name, "f.%s", part);
  CHECK_VALUE(of, value_now(&s->q, name), expected, tol * fmax(1, fabs(expected)));
}

/* The motion equations of both bodies, and the power: that of the force and moment on each, with their velocities. */
static void scene_check_motion(const scene *s) {
  check_wrench(s->type, &s->q, &s->body[0], &s->on[0], tol);
  check_wrench(s->type, &s->q, &s->body[1], &s->on[1], tol);
  const double power = wrench_power(&s->on[0], &s->body[0]) + wrench_power(&s->on[1], &s->body[1]);
  CU_ASSERT(fabs(power) > 1e-3);
  scene_check(s, "power", power);
}

static void note_part(const char *type, const char *part) {
  char of[128];
  snprintf(of, sizeof of, "%s.%s", type, part);
  note_value(of);
}

/* Coefficients of states of the force, which tests/values/test_relaxation.c compares. */
static int is_of_state(const char *type, const char *key) {
  const mbd_force_ops *f = mbd_force_find(type);
  for (const mbd_force_state_info *state = f ? f->states : NULL; state && state->name; state++) {
    const char *const of[] = {state->key[0], state->key[1], state->start};
    for (int i = 0; i < 3; i++) {
      if (of[i] && strcmp(of[i], key) == 0) { return 1; }
    }
  }
  return 0;
}

/* Every coefficient of the force changes the motion: the comparison above has seen its size and sign. */
static void check_coefficients(const scene *s) {
  static const char prefix[] = "force.f.";
  const mbd_model *m = s->q.m;
  mbd_error err = {0};
  double *theta = calloc((size_t)mbd_model_ncoef(m) + 1, sizeof *theta);
  for (int k = 0; k < mbd_model_ncoef(m); k++) { theta[k] = mbd_model_nominal(m, k); }
  for (int k = 0; k < mbd_model_ncoef(m); k++) {
    const char *name = mbd_model_coef_name(m, k);
    const double nominal = theta[k];
    double change = 0, size = 0;
    if (strncmp(name, prefix, strlen(prefix)) != 0 || is_of_state(s->type, name + strlen(prefix))) { continue; }
    theta[k] = nominal + 1e-3 * fmax(1e-2, fabs(nominal));
    must(mbd_params_set(s->q.p, theta, &err), &err);
    for (int b = 0; b < 2; b++) {
      const wrench w = rigid_wrench(&s->q, &s->body[b]);
      for (int i = 0; i < 3; i++) {
        change = fmax(change, fmax(fabs(w.F[i] - s->on[b].F[i]), fabs(w.n[i] - s->on[b].n[i])));
        size = fmax(size, fmax(fabs(w.F[i]), fabs(w.n[i])));
      }
    }
    theta[k] = nominal;
    if (change < 1e-8 * size) { printf("\n  %s: '%s' does nothing here\n", s->type, name); }
    CU_ASSERT(change >= 1e-8 * size);
    char key[64];
    snprintf(key, sizeof key, "%s", name + strlen(prefix));
    key[strcspn(key, ".")] = '\0'; /* direction.x */
    note_part(s->type, key);
  }
  must(mbd_params_set(s->q.p, theta, &err), &err);
  free(theta);
}

static void scene_close(scene *s) {
  model_close(&s->q);
}

/* ---- along a line ---- */

static const double P[] = {0.2, -0.1, 0.15}, Q[] = {-0.3, 0.1, 0.2};
#define POINTS "[point P]\nat = 0.2, -0.1, 0.15\nbodies = A\n[point Q]\nat = -0.3, 0.1, 0.2\nbodies = B\n"

/* From P of the first body to Q of the second. */
typedef struct line {
  double s, sd, u[3], arm[2][3];
} line;

static line line_of(const scene *w) {
  line l;
  double x[2][3], v[2][3], d[3], dv[3];
  rigid_point(&w->body[0], P, x[0], v[0], l.arm[0]);
  rigid_point(&w->body[1], Q, x[1], v[1], l.arm[1]);
  for (int i = 0; i < 3; i++) { d[i] = x[1][i] - x[0][i], dv[i] = v[1][i] - v[0][i]; }
  l.s = sqrt(dot3(d, d));
  unit3(d, l.u);
  l.sd = dot3(dv, l.u);
  return l;
}

static double distance_of_points(void) {
  const scene s = {.body = {rigid_a, rigid_b}};
  return line_of(&s).s;
}

/* A tension, positive: it pulls the first body towards the second, and the second back. */
static void apply_tension(scene *s, const line *l, double tension) {
  wrench_add(&s->on[0], l->arm[0], tension, l->u);
  wrench_add(&s->on[1], l->arm[1], -tension, l->u);
}

static void check_line(const scene *s, const line *l, double tension) {
  scene_check(s, "length", l->s);
  scene_check(s, "speed", l->sd);
  scene_check(s, "force", tension);
  scene_check_motion(s);
  check_coefficients(s);
}

/* F = k (s - l0) + c sd + F_s(s) + F_v(sd),  energy k (s - l0)^2/2 */
static void test_spring(void) {
  static const char *const curves[] = {"", "force_of_length = by_length\n", "force_of_speed = by_speed\n"};
  for (int k = 0; k < 3; k++) {
    scene s = scene_open("spring", &rigid_a, &rigid_b,
                         POINTS
                         "[curve by_length]\ntype = polynomial\ncoefficients = 0.3, 0.2, 0.7\n"
                         "[curve by_speed]\ntype = polynomial\ncoefficients = 0.4, -0.3, 0, 0.6\n"
                         "[force f]\ntype = spring\npoints = P, Q\nstiffness = 7\ndamping = 1.3\nfree_length = 0.8\n%s",
                         curves[k]);
    const line l = line_of(&s);
    double F = 7 * (l.s - 0.8) + 1.3 * l.sd;
    if (k == 0) { CHECK_VALUE("spring.potential", value_now(&s.q, "energy.potential"), 3.5 * pow(l.s - 0.8, 2), tol); }
    if (k == 1) { F += 0.3 + 0.2 * l.s + 0.7 * l.s * l.s, note_part("spring", "force_of_length"); }
    if (k == 2) { F += 0.4 - 0.3 * l.sd + 0.6 * l.sd * l.sd * l.sd, note_part("spring", "force_of_speed"); }
    apply_tension(&s, &l, F);
    check_line(&s, &l, F);
    scene_close(&s);
  }
}

/* 140 times the integral of (u - x)^k/k! (x (1 - x))^3 from x = 0 to min(u, 1), by Simpson's rule, of order 4 in 1/4000: the
 * smooth step (k = 0), the ramp (1), which is its integral, and the bowl (2). */
static double smooth(int k, double u) {
  enum { N = 4000 };
  const double top = fmin(u, 1), h = top / N;
  double sum = 0;
  for (int i = 0; i <= N; i++) {
    const double x = i * h, at = pow(u - x, k) / (k == 2 ? 2 : 1) * pow(x * (1 - x), 3);
    sum += at * (i == 0 || i == N ? 1 : i % 2 ? 4 : 2);
  }
  return 140 * sum * h / 3;
}

/* With the overlap e > 0, o = -1 (bump) or 1 (rebound):  F = o (k w r(e/w) + k3 e^3) + c s(e/w) sd */
static void check_stop(const char *type, double o, double e) {
  const double w = 0.3, k = 40, k3 = 90, c = 3;
  scene s = scene_open(type, &rigid_a, &rigid_b,
                       POINTS
                       "[force f]\ntype = %s\npoints = P, Q\nengage = %.17g\nstiffness = 40\ncubic_stiffness = 90\n"
                       "damping = 3\nonset = 0.3\n",
                       type, distance_of_points() - o * e);
  const line l = line_of(&s);
  const double F = o * (k * w * smooth(1, e / w) + k3 * e * e * e) + c * smooth(0, e / w) * l.sd;
  char of[64];
  apply_tension(&s, &l, F);
  check_line(&s, &l, F);
  snprintf(of, sizeof of, "%s.potential", type);
  CHECK_VALUE(of, value_now(&s.q, "energy.potential"), k * w * w * smooth(2, e / w) + k3 * pow(e, 4) / 4, tol);
  scene_close(&s);
}

static void test_stops(void) {
  for (int far = 0; far < 2; far++) { /* within the onset, and beyond it */
    check_stop("bump_stop", -1, far ? 0.4 : 0.2);
    check_stop("rebound_stop", 1, far ? 0.4 : 0.2);
  }
  /* not reached: e = -0.1 */
  scene s = scene_open("bump_stop", &rigid_a, &rigid_b,
                       POINTS "[force f]\ntype = bump_stop\npoints = P, Q\nengage = %.17g\nstiffness = 40\n",
                       distance_of_points() - 0.1);
  scene_check(&s, "force", 0);
  scene_close(&s);
}

/* ---- on coordinates ---- */

/* F = k (z - z0) + c zd + F_z(z) + F_v(zd) against the motion of the coordinate: of z = A.y, the force -F along y. */
static void test_torsion_spring(void) {
  static const char *const curves[] = {"", "force_of_angle = by_angle\n", "force_of_speed = by_speed\n"};
  const double z = rigid_a.r[1], zd = rigid_a.v[1];
  for (int k = 0; k < 3; k++) {
    scene s = scene_open("torsion_spring", &rigid_a, &rigid_b,
                         "[curve by_angle]\ntype = polynomial\ncoefficients = 0.3, 0.2, 0.7\n"
                         "[curve by_speed]\ntype = polynomial\ncoefficients = 0.4, -0.3, 0, 0.6\n"
                         "[force f]\ntype = torsion_spring\ncoordinate = A.y\nstiffness = 7\ndamping = 1.3\n"
                         "free_angle = 0.9\n%s",
                         curves[k]);
    double F = 7 * (z - 0.9) + 1.3 * zd;
    if (k == 0) {
      CHECK_VALUE("torsion_spring.potential", value_now(&s.q, "energy.potential"), 3.5 * pow(z - 0.9, 2), tol);
    }
    if (k == 1) { F += 0.3 + 0.2 * z + 0.7 * z * z, note_part("torsion_spring", "force_of_angle"); }
    if (k == 2) { F += 0.4 - 0.3 * zd + 0.6 * zd * zd * zd, note_part("torsion_spring", "force_of_speed"); }
    s.on[0].F[1] = -F;
    scene_check(&s, "force", F);
    scene_check_motion(&s);
    check_coefficients(&s);
    scene_close(&s);
  }
}

/* F = k (z1 - z2 - d) + c (z1d - z2d), against the motion of the first coordinate, A.x, along that of the second, B.z. */
static void test_anti_roll_bar(void) {
  scene s = scene_open("anti_roll_bar", &rigid_a, &rigid_b,
                       "[force f]\ntype = anti_roll_bar\ncoordinates = A.x, B.z\nstiffness = 7\ndamping = 1.3\n"
                       "offset = 0.25\n");
  const double twist = rigid_a.r[0] - rigid_b.r[2] - 0.25, F = 7 * twist + 1.3 * (rigid_a.v[0] - rigid_b.v[2]);
  s.on[0].F[0] = -F, s.on[1].F[2] = F;
  scene_check(&s, "force", F);
  scene_check_motion(&s);
  check_coefficients(&s);
  CHECK_VALUE("anti_roll_bar.potential", value_now(&s.q, "energy.potential"), 3.5 * twist * twist, tol);
  scene_close(&s);
}

/* F = (T0 + m |N|) v/sqrt(v^2 + w^2) + c v against the rate v of A.y, with N = -4 at the start; without a load. */
static void test_joint_friction(void) {
  const double v = rigid_a.v[1];
  for (int k = 1; k >= 0; k--) { /* without a load its coefficient does nothing */
    scene s = scene_open("joint_friction", &rigid_a, &rigid_b,
                         "[curve load]\ntype = polynomial\ncoefficients = -4, 2\n[force f]\ntype = joint_friction\n"
                         "coordinate = A.y\ntorque = 0.8\nload_coefficient = 0.15\ndamping = 1.3\nwidth = 0.4\n%s",
                         k ? "load = load\n" : "");
    const double F = (0.8 + (k ? 0.15 * 4 : 0)) * v / sqrt(v * v + 0.16) + 1.3 * v;
    if (k) { note_part("joint_friction", "load"), check_coefficients(&s); }
    s.on[0].F[1] = -F;
    scene_check(&s, "force", F);
    scene_check_motion(&s);
    scene_close(&s);
  }
}

/* Rubbing alone brings it down: m v' = -T0 v/sqrt(v^2 + w^2) has G(v) = sqrt(v^2 + w^2) - w asinh(w/v) with G' = sqrt(v^2 + w^2)/v,
 * so that G(v_0) - G(v) = T0 t/m; with the kinetic energy m v^2/2, its change is the work of the friction. */
static void test_rubbing(void) {
  const double w = 0.4, T0 = 0.8, end = 0.2, v_0 = fabs(rigid_a.v[1]);
  const mbd_case c = case_lasting(end, 1e-3);
  scene s = scene_open("joint_friction", &rigid_a, &rigid_b,
                       "[force f]\ntype = joint_friction\ncoordinate = A.y\ntorque = 0.8\nwidth = 0.4\n");
  const double v = fabs(value_after(&s.q, &c, "A.y.rate", 200));
  const double G_0 = sqrt(v_0 * v_0 + w * w) - w * asinh(w / v_0), G = sqrt(v * v + w * w) - w * asinh(w / v);
  CHECK_VALUE("joint_friction", G_0 - G, T0 * end / rigid_a.mass, 1e-7);
  const double lost = value_now(&s.q, "energy.kinetic") - value_after(&s.q, &c, "energy.kinetic", 200);
  CHECK_VALUE("joint_friction", lost, rigid_a.mass * (v_0 * v_0 - v * v) / 2, 1e-8);
  scene_close(&s);
}

/* J n^2 zdd on z = A.y, beside a force of 2.5 on it: (m + J n^2) y'' = 2.5; the rotor turns with n zd. */
static void test_rotor_inertia(void) {
  scene s = scene_open("rotor_inertia", &rigid_a, &rigid_b,
                       "[curve F]\ntype = polynomial\ncoefficients = 2.5\n"
                       "[force push]\ntype = coordinate_force\ncoordinate = A.y\nforce = F\n"
                       "[force f]\ntype = rotor_inertia\ncoordinate = A.y\ninertia = 0.02\nratio = -8\n");
  const double I = 0.02 * 64, zd = rigid_a.v[1], yd2 = 2.5 / (rigid_a.mass + I);
  test_model none = rigid_model(2, s.body, "", NULL, "");
  scene_check(&s, "speed", -8 * zd);
  scene_check(&s, "energy", I * zd * zd / 2);
  scene_check(&s, "power", 0);
  const double bodies = value_now(&none, "energy.kinetic");
  CHECK_VALUE(s.type, value_now(&s.q, "energy.kinetic"), bodies + I * zd * zd / 2, tol * bodies);
  CHECK_VALUE(s.type, value_now(&s.q, "A.y.acceleration"), yd2, tol);
  s.on[0].F[1] = 2.5 - I * yd2;
  check_wrench(s.type, &s.q, &s.body[0], &s.on[0], tol);
  check_wrench(s.type, &s.q, &s.body[1], &s.on[1], tol);
  check_coefficients(&s);
  model_close(&none);
  scene_close(&s);
}

/* A rotor in a housing that rests is a body behind a gear: the arm of both models moves alike. */
static void test_rotor_is_a_body(void) {
  static const char arm[] =
      "schema = 1\n[model]\ngravity = 0, -9.81, 0\njoints = named\n"
      "[body arm]\nmass = 2\ncom = 0.4, 0.1, 0\ninertia = 0.1, 0.2, 0.3\n[point O]\nat = 0, 0, 0\nbodies = ground, "
      "arm\n"
      "[vector n]\nalong = 0, 0, 1\nbodies = ground, arm\n[joint j]\ntype = revolute\nbodies = ground, arm\npoint = O\n"
      "axis = n\n[start]\nhold.j.angle = 0.3\nrate.j.angle = 2\n";
  static const char rotor[] = "[force f]\ntype = rotor_inertia\ncoordinate = j.angle\ninertia = 0.004\nratio = -6\n";
  static const char body[] =
      "[body rotor]\nmass = 1\ncom = 1, 2, 0\ninertia = 0.01, 0.02, 0.004\n[point R]\nat = 1, 2, 0\nbodies = ground, "
      "rotor\n"
      "[vector axle]\nalong = 0, 0, 1\nbodies = ground, rotor\n[joint r]\ntype = revolute\nbodies = ground, "
      "rotor\npoint = R\n"
      "axis = axle\n[constraint g]\ntype = gear\ncoordinates = r.angle, j.angle\nratio = -6\n";
  const mbd_case c = case_lasting(0.5, 5e-3);
  char text[2000];
  double angle[2], speed[2];
  for (int k = 0; k < 2; k++) {
    snprintf(text, sizeof text, "%s%s", arm, k ? body : rotor);
    test_model q = model_open_text(text);
    angle[k] = value_after(&q, &c, "j.angle", 100);
    speed[k] = value_after(&q, &c, k ? "r.angle.rate" : "f.speed", 100);
    model_close(&q);
  }
  CHECK_VALUE("rotor_inertia", angle[0], angle[1], 1e-10);
  CHECK_VALUE("rotor_inertia.speed", speed[0], speed[1], 1e-9);
}

/* T = -(k1 (phi - phi_r) + k2 (phid - phi_r') + k3 z + k4 zd) along z = A.x; phi: elevation of the vector to the left of body
 * B, positive when it leans to the right, sin(phi) = u_z/|u|, u' = w x u. The wanted roll is 0.2 + 0.4 sin(3 t + 0.5). */
static void test_roll_feedback(void) {
  const double left[] = {0.2, 1.8, 0.3};
  for (int referred = 0; referred < 2; referred++) {
    scene s = scene_open("roll_feedback", &rigid_a, &rigid_b,
                         "[vector left]\nalong = 0.2, 1.8, 0.3\nbodies = B\n"
                         "[curve wanted]\ntype = harmonic\ncoefficients = 0.2, 0.4, 3, 0.5\n"
                         "[force f]\ntype = roll_feedback\ncoordinate = A.x\nleft = left\nroll_gain = 7\n"
                         "roll_rate_gain = 2.5\nangle_gain = 4\nangle_rate_gain = 1.3\n%s",
                         referred ? "roll_ref = wanted\n" : "");
    double u[3], ud[3];
    rigid_vector(&rigid_b, left, u);
    cross3(rigid_b.w, u, ud);
    const double length = sqrt(dot3(u, u)), roll = asin(u[2] / length), rate = ud[2] / length / cos(roll);
    const double ref = referred ? 0.2 + 0.4 * sin(0.5) : 0, ref_rate = referred ? 0.4 * 3 * cos(0.5) : 0;
    const double T = -(7 * (roll - ref) + 2.5 * (rate - ref_rate) + 4 * rigid_a.r[0] + 1.3 * rigid_a.v[0]);
    s.on[0].F[0] = T;
    scene_check(&s, "torque", T);
    scene_check(&s, "roll", roll);
    scene_check(&s, "roll_rate", rate);
    scene_check(&s, "roll_error", roll - ref);
    scene_check_motion(&s);
    check_coefficients(&s);
    if (referred) { note_part("roll_feedback", "roll_ref"); }
    scene_close(&s);
  }
}

/* ---- actuators: F(t) = 2 + 3 sin(4 t + 0.5) ---- */

#define TIME_CURVE "[curve F]\ntype = harmonic\ncoefficients = 2, 3, 4, 0.5\n"

static double time_curve(double t) {
  return 2 + 3 * sin(4 * t + 0.5);
}

/* What all actuators have in common: the curve at the time is the output. */
static void check_actuator(const scene *s, const char *key) {
  const mbd_case c = case_lasting(0.02, 0.01);
  char of[64];
  snprintf(of, sizeof of, "%s.force", s->type);
  scene_check(s, "force", time_curve(0));
  CHECK_VALUE(of, value_after(&s->q, &c, "f.force", 2), time_curve(0.02), tol);
  scene_check_motion(s);
  check_coefficients(s);
  note_part(s->type, key);
}

/* F(t) d on P, d fixed in space and of any length */
static void test_point_force(void) {
  const double d[] = {0.3, -0.5, 1.2};
  scene s = scene_open("point_force", &rigid_a, &rigid_b,
                       POINTS TIME_CURVE
                       "[force f]\ntype = point_force\npoint = P\ndirection = 0.3, -0.5, 1.2\n"
                       "force = F\n");
  const line l = line_of(&s);
  wrench_add(&s.on[0], l.arm[0], time_curve(0), d);
  check_actuator(&s, "force");
  scene_close(&s);
}

/* The constant force d: its size is the output. */
static void test_constant_point_force(void) {
  const double d[] = {3, -5, 12};
  scene s = scene_open("point_force", &rigid_a, &rigid_b,
                       POINTS "[force f]\ntype = point_force\npoint = P\ndirection = 3, -5, 12\n");
  const line l = line_of(&s);
  wrench_add(&s.on[0], l.arm[0], 1, d);
  scene_check(&s, "force", sqrt(9 + 25 + 144));
  scene_check_motion(&s);
  check_coefficients(&s);
  scene_close(&s);
}

/* F(t) u on P, u turning with a body and of any length */
static void test_follower_force(void) {
  const double along[] = {0.3, -0.5, 1.2};
  double u[3];
  scene s = scene_open("follower_force", &rigid_a, &rigid_b,
                       POINTS TIME_CURVE
                       "[vector along]\nalong = 0.3, -0.5, 1.2\nbodies = A\n"
                       "[force f]\ntype = follower_force\npoint = P\nalong = along\nforce = F\n");
  const line l = line_of(&s);
  rigid_vector(&rigid_a, along, u);
  wrench_add(&s.on[0], l.arm[0], time_curve(0), u);
  check_actuator(&s, "force");
  scene_close(&s);
}

/* F(t) d on body B, d fixed in space */
static void test_body_torque(void) {
  const double d[] = {0.3, -0.5, 1.2};
  scene s = scene_open("body_torque", &rigid_a, &rigid_b,
                       TIME_CURVE "[force f]\ntype = body_torque\nbody = B\ndirection = 0.3, -0.5, 1.2\ntorque = F\n");
  add3(s.on[1].n, time_curve(0), d);
  check_actuator(&s, "torque");
  scene_close(&s);
}

/* F(t) d on the second body, -F(t) d on the first */
static void test_relative_torque(void) {
  const double d[] = {0.3, -0.5, 1.2};
  scene s = scene_open("relative_torque", &rigid_a, &rigid_b,
                       TIME_CURVE
                       "[force f]\ntype = relative_torque\nbodies = A, B\ndirection = 0.3, -0.5, 1.2\ntorque = F\n");
  add3(s.on[1].n, time_curve(0), d);
  add3(s.on[0].n, -time_curve(0), d);
  check_actuator(&s, "torque");
  scene_close(&s);
}

/* F(t) along the coordinate: of B.y, a force along y */
static void test_coordinate_force(void) {
  scene s = scene_open("coordinate_force", &rigid_a, &rigid_b,
                       TIME_CURVE "[force f]\ntype = coordinate_force\ncoordinate = B.y\nforce = F\n");
  s.on[1].F[1] = time_curve(0);
  check_actuator(&s, "force");
  scene_close(&s);
}

/* ---- wheel torque ---- */

/* T = T_d(t) - T_b(t) w/sqrt(w^2 + w0^2) about n = a/|a|, a fixed in A, on B; its reaction on A; w = n . (w_B - w_A) */
static void test_wheel_torque(void) {
  const double axle[] = {0.2, 1.8, 0.3};
  static const char *const curves[] = {"drive = F\n", "brake = G\n", "drive = F\nbrake = G\n"};
  for (int k = 0; k < 3; k++) {
    scene s = scene_open("wheel_torque", &rigid_a, &rigid_b,
                         TIME_CURVE
                         "[curve G]\ntype = polynomial\ncoefficients = 1.7, 0.4\n"
                         "[vector axle]\nalong = 0.2, 1.8, 0.3\nbodies = A, B\n"
                         "[force f]\ntype = wheel_torque\nbodies = A, B\naxle = axle@A\nspin_speed = 0.9\n%s",
                         curves[k]);
    double a[3], n[3], w[3];
    rigid_vector(&rigid_a, axle, a);
    unit3(a, n);
    for (int i = 0; i < 3; i++) { w[i] = rigid_b.w[i] - rigid_a.w[i]; }
    const double spin = dot3(n, w), drive = k == 1 ? 0 : time_curve(0), brake = k == 0 ? 0 : 1.7;
    const double T = drive - brake * spin / hypot(spin, 0.9);
    add3(s.on[1].n, T, n);
    add3(s.on[0].n, -T, n);
    scene_check(&s, "torque", T);
    scene_check(&s, "speed", spin);
    scene_check_motion(&s);
    if (k > 0) { check_coefficients(&s); }
    scene_close(&s);
  }
  note_part("wheel_torque", "drive"), note_part("wheel_torque", "brake");
}

/* ---- bushing ---- */

/* e1 along the first vector, e2 across it towards the second, e3 = e1 x e2, of body b; ed: their rates. */
static void bushing_axes(const rigid *b, double e[3][3], double ed[3][3]) {
  static const double given[2][3] = {{1, 0.2, -0.1}, {0.1, 1.1, 0.4}};
  double g[2][3];
  for (int i = 0; i < 2; i++) { rigid_vector(b, given[i], g[i]); }
  unit3(g[0], e[0]);
  cross3(g[0], g[1], e[2]);
  unit3(e[2], e[2]);
  cross3(e[2], e[0], e[1]);
  for (int i = 0; i < 3; i++) { cross3(b->w, e[i], ed[i]); }
}

/* Displacements x_i = e_i . (p2 - p1) and rotations a_1 = (e3 . f2 - e2 . f3)/2, cyclic; N_i = k_i x_i + c_i xd_i along e_i,
 * M_i = kr_i a_i + cr_i ad_i. The virtual work -sum N dx - sum M da is that of a force -sum N_i e_i on B at p2 with its
 * opposite on A at the same place, and of a moment on B, -M_1 (f2 x e3 - f3 x e2)/2 and cyclic, with its opposite on A. */
static void test_bushing(void) {
  static const double k[] = {7, 11, 13}, c[] = {1.3, 1.7, 0.6}, kr[] = {5, 8, 3}, cr[] = {0.7, 1.1, 0.4};
  rigid b = rigid_b; /* nearly parallel to the first body */
  memcpy(b.u, (double[]){1, 2.3, -0.8}, sizeof b.u), b.angle = 0.9;
  scene s =
      scene_open("bushing", &rigid_a, &b,
                 POINTS
                 "[vector e]\nalong = 1, 0.2, -0.1\nbodies = A, B\n[vector n]\nalong = 0.1, 1.1, 0.4\nbodies = A, B\n"
                 "[force f]\ntype = bushing\npoints = P, Q\naxes = e, n\nstiffness = 7, 11, 13\n"
                 "damping = 1.3, 1.7, 0.6\nangular_stiffness = 5, 8, 3\nangular_damping = 0.7, 1.1, 0.4\n");
  static const char *const forces[] = {"force_x", "force_y", "force_z"}, *const moments[] = {"moment_x", "moment_y",
                                                                                             "moment_z"};
  const line l = line_of(&s);
  double x[2][3], v[2][3], arm[2][3], d[3], dd[3], e[3][3], ed[3][3], f[3][3], fd[3][3], U = 0, to_Q[3];
  rigid_point(&rigid_a, P, x[0], v[0], arm[0]);
  rigid_point(&b, Q, x[1], v[1], arm[1]);
  bushing_axes(&rigid_a, e, ed);
  bushing_axes(&b, f, fd);
  for (int i = 0; i < 3; i++) { d[i] = x[1][i] - x[0][i], dd[i] = v[1][i] - v[0][i], to_Q[i] = x[1][i] - rigid_a.r[i]; }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, h = (i + 2) % 3;
    const double xi = dot3(e[i], d), xid = dot3(e[i], dd) + dot3(ed[i], d), N = k[i] * xi + c[i] * xid;
    const double a = (dot3(e[h], f[j]) - dot3(e[j], f[h])) / 2;
    const double ad = (dot3(ed[h], f[j]) + dot3(e[h], fd[j]) - dot3(ed[j], f[h]) - dot3(e[j], fd[h])) / 2;
    const double M = kr[i] * a + cr[i] * ad;
    double turn[3], back[3];
    cross3(f[j], e[h], turn);
    cross3(f[h], e[j], back);
    add3(turn, -1, back);
    wrench_add(&s.on[1], l.arm[1], -N, e[i]);
    wrench_add(&s.on[0], to_Q, N, e[i]);
    add3(s.on[1].n, -M / 2, turn);
    add3(s.on[0].n, M / 2, turn);
    U += k[i] * xi * xi / 2 + kr[i] * a * a / 2;
    scene_check(&s, forces[i], N);
    scene_check(&s, moments[i], M);
  }
  scene_check_motion(&s);
  check_coefficients(&s);
  CHECK_VALUE("bushing.potential", value_now(&s.q, "energy.potential"), U, tol);
  scene_close(&s);
}

/* ---- tyres ---- */

static const rigid wheel = {"A", 20, {0.8, 1.2, 0.9}, {0.7, 0.2, 0}, {0.3, 0.2, 1}, 0.3, {3, 0.4, -0.2}, {0.5, 9, 0.4}};
static const double centre[] = {0.05, 0.02, -0.03}, axis[] = {0.1, 2, 0.2};

/* A wheel on the tangent plane of the road under its centre: n normal, t forward, l to the left, e from the contact point to
 * the centre; V velocity of the wheel's material at the contact point, v that of the centre. */
typedef struct contact {
  double n[3], t[3], l[3], e[3], u[3], R_l, arm[3], V[3], v[3], spin, camber;
} contact;

/* Height and slope of the road under x; a flat road is z = 0. */
static void road(int curved, double x, double *h, double *slope) {
  *h = curved ? 0.02 + 0.05 * x + 0.03 * x * x : 0;
  *slope = curved ? 0.05 + 0.06 * x : 0;
}

/* Raises the body until the loaded radius, the distance of centre and contact point, is R_l. */
static contact stand(rigid *b, int curved, double R_l) {
  contact q = {.R_l = R_l};
  double c[3], arm[3], down[3], h, slope;
  rigid_point(b, centre, c, q.v, arm);
  road(curved, c[0], &h, &slope);
  const double n[] = {-slope, 0, 1};
  unit3(n, q.n);
  rigid_vector(b, axis, q.u);
  unit3(q.u, q.u);
  cross3(q.u, q.n, q.t);
  unit3(q.t, q.t);
  cross3(q.n, q.t, q.l);
  cross3(q.t, q.u, q.e);
  /* the contact point c - R_l e lies in the plane: (c_z - h) n_z = R_l e . n */
  b->r[2] += h + R_l * dot3(q.e, q.n) / q.n[2] - c[2];
  for (int i = 0; i < 3; i++) { down[i] = -R_l * q.e[i], q.arm[i] = arm[i] + down[i]; }
  cross3(b->w, down, q.V);
  add3(q.V, 1, q.v);
  q.spin = dot3(b->w, q.u);
  q.camber = asin(dot3(q.u, q.n));
  return q;
}

/* Force (F[0] t + F[1] l + F[2] n) at the contact point, and a moment in the same directions. */
static void wheel_load(wrench *w, const contact *q, const double *F, const double *M) {
  const double *const dir[] = {q->t, q->l, q->n};
  for (int i = 0; i < 3; i++) {
    wrench_add(w, q->arm, F[i], dir[i]);
    add3(w->n, M[i], dir[i]);
  }
}

#define WHEEL                                                                                       \
  "[point C]\nat = 0.05, 0.02, -0.03\nbodies = A\n[vector axis]\nalong = 0.1, 2, 0.2\nbodies = A\n" \
  "[curve ground]\ntype = polynomial\ncoefficients = 0.02, 0.05, 0.03\n"                            \
  "[force f]\nwheel = A\naxis = axis\ncentre = C\n"

/* x beyond the width w, 0 below 0, and between them, with s = x/w, w (6 s^3 - 8 s^4 + 3 s^5). */
static double onset(double x, double w) {
  const double s = x / w;
  return s <= 0 ? 0 : s >= 1 ? x : w * s * s * s * (6 - 8 * s + 3 * s * s);
}

/* Load N = k e + c ed at the deflection e beyond the touchdown depth d; within it the spring sets in, the damper with 10 s^3 -
 * 15 s^4 + 6 s^5, s = e/d, and their sum too, below k d: a tyre does not pull. */
static double load_of(double k, double c, double d, double e, double ed) {
  const double s = fmin(e / d, 1), fade = s * s * s * (10 - 15 * s + 6 * s * s);
  return onset(k * onset(e, d) + c * fade * ed, k * d);
}

/* F = -mu N V/sqrt(|V|^2 + v0^2 + (s0 v_t)^2) in the road's plane; rolling resistance, a moment f_r N R_l about the axis
 * against the spin, times spin/sqrt(spin^2 + (v0/R)^2). Slip: -V_t over the speed sqrt(v_t^2 + v0^2). */
static void check_tyre_contact(int curved, double e) {
  const double R = 0.3, k = 2000, c = 60, d = 0.02, mu = 0.7, v0 = 0.4, s0 = 0.2, fr = 0.05;
  rigid body = wheel;
  const contact q = stand(&body, curved, R - e);
  scene s = scene_open("tyre_contact", &body, &rigid_b,
                       WHEEL
                       "type = tyre_contact\nradius = 0.3\nstiffness = 2000\ndamping = 60\ntouchdown = 0.02\n"
                       "friction = 0.7\nslip_speed = 0.4\nslip_ratio = 0.2\nrolling_resistance = 0.05\n%s",
                       curved ? "road = ground\n" : "");
  const double Vt = dot3(q.V, q.t), Vl = dot3(q.V, q.l), vt = dot3(q.v, q.t), vl = dot3(q.v, q.l);
  const double N = load_of(k, c, d, e, -dot3(q.V, q.n)), root = sqrt(Vt * Vt + Vl * Vl + v0 * v0 + s0 * s0 * vt * vt);
  const double F[] = {-mu * N * Vt / root, -mu * N * Vl / root, N}, none[3] = {0};
  wheel_load(&s.on[0], &q, F, none);
  const double rolling = -fr * N * q.R_l * q.spin / hypot(q.spin, v0 / R);
  add3(s.on[0].n, rolling, q.u);
  scene_check(&s, "deflection", e);
  scene_check(&s, "load", N);
  scene_check(&s, "longitudinal", F[0]);
  scene_check(&s, "lateral", F[1]);
  scene_check(&s, "slip", -Vt / hypot(vt, v0));
  scene_check(&s, "slip_angle", atan(vl / hypot(vt, v0)));
  scene_check(&s, "camber", q.camber);
  scene_check(&s, "rolling", rolling);
  scene_check_motion(&s);
  if (e < d) { check_coefficients(&s); }
  if (curved) { note_part(s.type, "road"); }
  scene_close(&s);
}

static void test_tyre_contact(void) {
  for (int curved = 0; curved < 2; curved++) {
    check_tyre_contact(curved, 0.05);
    check_tyre_contact(curved, 0.013);
    check_tyre_contact(curved, 0.009);
  }
}

/* Sign of x, smooth within the width: (15 s - 10 s^3 + 3 s^5)/8. */
static double smooth_sign(double x, double width) {
  const double s = fmax(-1, fmin(1, x / width));
  return (15 * s - 10 * s * s * s + 3 * pow(s, 5)) / 8;
}

/* With the curvatures and the weights of combined slip at zero, dfz = Fz/Fz0 - 1, and friction scaled by g = lmu:
 *   Fx/Fz = g mu_x sin(Cx atan(Kx/(Cx g mu_x) (kappa + SHx))) + g SVx,  mu_x = pdx1 + pdx2 dfz,  Kx = pkx1 + pkx2 dfz
 *   Fy likewise of alpha,  Ky = pky1 Fz0/Fz sin(2 atan(Fz/(pky2 Fz0)))
 *   Mx = R0 Fz (qsx1 - qsx2 gamma + qsx3 Fy/Fz0),  My = -R0 Fz (qsy1 + qsy2 Fx/Fz0 + qsy3 |v/v0| + qsy4 (v/v0)^4)
 *   Mz = -t Fy cos(alpha) + R0 (ssz1 + ssz3 gamma) Fx,  t = R0 Fz/Fz0 qdz1 cos(qcz1 atan(qbz1/g atan(tan a))),
 *   tan(a)^2 = tan(alpha)^2 + (Kx/Ky kappa)^2
 * kappa = (Re w - v_t)/s, alpha = atan(V_l/s), s^2 = v_t^2 + vxlow^2; Re = R0 - Fz0/Cz (D atan(B r) + F r), r = e Cz/Fz0.
 * Below vxlow, S the smooth sign: the shifts come with S(v_t)^2, the trail with S(v_t), My with S(Re w), |v| is v S(v).
 * On the other side of the car (side = -1) alpha and gamma come, and Fy, Mx, Mz go, with the opposite sign. (All other terms
 * are compared with the published equations in unit/force/test_magic_formula.c.) */
static void check_magic_formula(int curved, double side, double forward, double spin) {
  const double R0 = 0.3, Cz = 2e5, c = 500, Fz0 = 3000, e = 0.02, vlow = 0.8, v0 = 16, g = 0.9;
  rigid body = wheel;
  body.v[0] = forward, body.w[1] = spin; /* slips away from zero */
  const contact q = stand(&body, curved, R0 - e);
  scene s = scene_open("tyre_magic_formula", &body, &rigid_b,
                       WHEEL
                       "type = tyre_magic_formula\nside = %g\nunloaded_radius = 0.3\nvertical_stiffness = 2e5\n"
                       "vertical_damping = 500\nfnomin = 3000\nvxlow = 0.8\nlongvl = 16\nbreff = 8\ndreff = 0.24\n"
                       "freff = 0.01\nlmu = 0.9\npcx1 = 1.6\npdx1 = 1.1\npdx2 = -0.05\npkx1 = 20\npkx2 = 3\n"
                       "phx1 = 0.004\npvx1 = 0.03\npcy1 = 1.3\npdy1 = 0.9\npdy2 = -0.1\npky1 = -15\npky2 = 1.7\n"
                       "phy1 = 0.005\npvy1 = 0.02\nqsx1 = 0.02\nqsx2 = 0.3\nqsx3 = 0.05\nqsy1 = 0.01\n"
                       "qsy2 = 0.004\nqsy3 = 0.03\nqsy4 = 0.7\nqbz1 = 9\nqcz1 = 1.1\nqdz1 = 0.12\nssz1 = 0.02\n"
                       "ssz3 = 0.4\n%s",
                       side, curved ? "road = ground\n" : "");
  const double vt = dot3(q.v, q.t), Vl = dot3(q.V, q.l), speed = hypot(vt, vlow), r = e * Cz / Fz0;
  const double Re = R0 - Fz0 / Cz * (0.24 * atan(8 * r) + 0.01 * r), kappa = (Re * q.spin - vt) / speed;
  const double alpha = side * atan(Vl / speed), gamma = side * q.camber, Fz = Cz * e - c * dot3(q.V, q.n);
  const double travel = smooth_sign(vt, vlow), rolls = travel * travel, sense = smooth_sign(Re * q.spin, vlow);
  const double dfz = Fz / Fz0 - 1, mux = g * (1.1 - 0.05 * dfz), Kx = 20 + 3 * dfz, muy = g * (0.9 - 0.1 * dfz);
  const double Ky = -15 * Fz0 / Fz * sin(2 * atan(Fz / (1.7 * Fz0)));
  const double Fx = Fz * (mux * sin(1.6 * atan(Kx / (1.6 * mux) * (kappa + 0.004 * rolls))) + g * 0.03 * rolls);
  const double Fy = Fz * (muy * sin(1.3 * atan(Ky / (1.3 * muy) * (alpha + 0.005 * rolls))) + g * 0.02 * rolls);
  const double both = hypot(tan(alpha), Kx / Ky * kappa), v = vt / v0;
  const double trail = R0 * Fz / Fz0 * 0.12 * cos(1.1 * atan(9 / g * atan(both))) * travel;
  const double F[] = {Fx, side * Fy, Fz};
  const double M[] = {
      side * R0 * Fz * (0.02 - 0.3 * gamma + 0.05 * Fy / Fz0),
      -R0 * Fz * (0.01 + 0.004 * Fx / Fz0 + 0.03 * v * smooth_sign(v, vlow / v0) + 0.7 * pow(v, 4)) * sense,
      side * (-trail * Fy * cos(alpha) + R0 * (0.02 + 0.4 * gamma) * Fx)};
  wheel_load(&s.on[0], &q, F, M);
  scene_check(&s, "deflection", e);
  scene_check(&s, "load", Fz);
  scene_check(&s, "longitudinal", Fx);
  scene_check(&s, "lateral", side * Fy);
  scene_check(&s, "slip", kappa);
  scene_check(&s, "slip_angle", side * alpha);
  scene_check(&s, "camber", q.camber);
  scene_check(&s, "rolling", M[1]);
  scene_check(&s, "overturning", M[0]);
  scene_check(&s, "aligning", M[2]);
  scene_check_motion(&s);
  if (curved) { note_part(s.type, "road"); }
  scene_close(&s);
}

static void test_tyre_magic_formula(void) {
  for (int curved = 0; curved < 2; curved++) {
    check_magic_formula(curved, 1, 3, 9);
    check_magic_formula(curved, -1, 3, 11.5);
    check_magic_formula(curved, 1, 0.3, 1.5); /* below vxlow, forwards and backwards */
    check_magic_formula(curved, -1, -0.5, -0.9);
  }
}

/* ---- by expression ---- */

#define GAINS "[scalars]\nk = 7\nc = 1.3\n"

/* A tension, of its own length and speed and of the rate of a body. */
static void test_expression_of_points(void) {
  scene s = scene_open("expression", &rigid_a, &rigid_b,
                       POINTS GAINS
                       "[force f]\ntype = expression\npoints = P, Q\n"
                       "value = k*(f.length - 0.8)^2 + c*f.speed*abs(f.speed) + 0.6*B.rate.y\n");
  const line l = line_of(&s);
  const double F = 7 * pow(l.s - 0.8, 2) + 1.3 * l.sd * fabs(l.sd) + 0.6 * rigid_b.w[1];
  apply_tension(&s, &l, F);
  check_line(&s, &l, F);
  scene_close(&s);
}

/* Positive where it makes the coordinate, or the difference of two, grow; of a derived quantity. */
static void test_expression_on_coordinates(void) {
  for (int two = 0; two < 2; two++) {
    scene s = scene_open("expression", &rigid_a, &rigid_b,
                         GAINS
                         "[quantity error]\nvalue = 0.5 - B.z\n[force f]\ntype = expression\n%s"
                         "value = k*error - c*B.z.rate*(1 + time)\n",
                         two ? "coordinates = A.x, B.y\n" : "coordinate = A.x\n");
    const double F = 7 * (0.5 - rigid_b.r[2]) - 1.3 * rigid_b.v[2];
    s.on[0].F[0] = F;
    if (two) { s.on[1].F[1] = -F; }
    scene_check(&s, "force", F);
    scene_check_motion(&s);
    check_coefficients(&s);
    scene_close(&s);
  }
}

/* A torque on B about a vector of A, its reaction on A; of the angle between two vectors. */
static void test_expression_about_axis(void) {
  const double along[] = {0.2, 1.8, 0.3};
  scene s = scene_open("expression", &rigid_a, &rigid_b,
                       GAINS
                       "[vector n]\nalong = 0.2, 1.8, 0.3\nbodies = A, B\n"
                       "[force f]\ntype = expression\nbodies = A, B\naxis = n@A\n"
                       "value = k*angle(n@A, n@B) - c*B.rate.norm\n");
  double a[3], b[3], n[3], across[3];
  rigid_vector(&rigid_a, along, a);
  rigid_vector(&rigid_b, along, b);
  cross3(a, b, across);
  unit3(a, n);
  const double angle = atan2(sqrt(dot3(across, across)), dot3(a, b));
  const double T = 7 * angle - 1.3 * sqrt(dot3(rigid_b.w, rigid_b.w));
  add3(s.on[1].n, T, n);
  add3(s.on[0].n, -T, n);
  scene_check(&s, "torque", T);
  scene_check_motion(&s);
  check_coefficients(&s);
  scene_close(&s);
}

/* Components on P of A along the axes of B, or of the ground. */
static void test_expression_in_frame(void) {
  for (int ground = 0; ground < 2; ground++) {
    scene s = scene_open("expression", &rigid_a, &rigid_b,
                         POINTS GAINS
                         "[force f]\ntype = expression\npoint = P\nframe = %s\n"
                         "value = -k*P.velocity.x, c*Q.position.z, k*max(P.velocity.y, -9) - 3*distance(P, Q)\n",
                         ground ? "ground" : "B");
    const line l = line_of(&s);
    double at[2][3], v[2][3], arm[3], e[3];
    rigid_point(&rigid_a, P, at[0], v[0], arm);
    rigid_point(&rigid_b, Q, at[1], v[1], arm);
    const double u[] = {-7 * v[0][0], 1.3 * at[1][2], 7 * v[0][1] - 3 * l.s};
    for (int k = 0; k < 3; k++) {
      const double unit[] = {k == 0, k == 1, k == 2};
      rigid_vector(&rigid_b, unit, e);
      wrench_add(&s.on[0], l.arm[0], u[k], ground ? unit : e);
    }
    scene_check(&s, "force_x", u[0]);
    scene_check(&s, "force_y", u[1]);
    scene_check(&s, "force_z", u[2]);
    scene_check_motion(&s);
    check_coefficients(&s);
    scene_close(&s);
  }
}

/* A spring and damper by expression moves as one of its own type. */
static void test_expression_is_a_spring(void) {
  static const char *const forces[] = {
      "[force f]\ntype = spring\npoints = P, Q\nstiffness = 7\ndamping = 1.3\nfree_length = 0.8\n",
      GAINS "[force f]\ntype = expression\npoints = P, Q\nvalue = k*(f.length - 0.8) + c*f.speed\n",
      GAINS "[force f]\ntype = expression\npoints = P, Q\nvalue = k*(distance(P, Q) - 0.8) + c*distance(P, Q).rate\n"};
  const mbd_case c = case_lasting(0.5, 5e-3);
  double length[3], force[3];
  for (int k = 0; k < 3; k++) {
    scene s = scene_open("expression", &rigid_a, &rigid_b, "%s%s", POINTS, forces[k]);
    length[k] = value_after(&s.q, &c, "f.length", 100);
    force[k] = value_after(&s.q, &c, "f.force", 100);
    scene_close(&s);
  }
  for (int k = 1; k < 3; k++) {
    CHECK_VALUE("expression.length", length[k], length[0], 1e-12);
    CHECK_VALUE("expression.force", force[k], force[0], 1e-11);
  }
}

/* ---- of one's own ---- */

/* The law of tests/own_force.c: x from P to Q, u a vector of A, w the rate of B against A, q the coordinate B.y, p of
 * a coordinate of A and a velocity, d given. */
static void test_user(void) {
  const double k = 3, r = 0.8, c = 0.4, g = 2, b = 0.7, m = 0.3, d[] = {0.3, -0.2, 0.5}, local[] = {0.5, 0.4, -0.3};
  scene s = scene_open("user", &rigid_a, &rigid_b,
                       POINTS
                       "[vector v]\nalong = 0.5, 0.4, -0.3\nbodies = A\n"
                       "[force f]\ntype = user\nplugin = general\npoints = P, Q\nalong = v\nbodies = A, B\n"
                       "coordinate = B.y\ncommand = 0.3*A.x - P@A.velocity.z\nstiffness = 3\nrise = 0.8\ndamping = "
                       "0.4\nswing = 2\nfrequency = 1.7\n"
                       "bend = 0.7\ntwist = 0.3\ndirection = 0.3, -0.2, 0.5\n");
  const line l = line_of(&s);
  const double q = rigid_b.r[1], qd = rigid_b.v[1], swing = g * sin(1.7 * (0 + 1));
  double at[2][3], v[2][3], arm[3], u[3], x[3], xd[3], w[3], f[3], turn[3], bend[3], n[3];
  rigid_point(&rigid_a, P, at[0], v[0], arm);
  rigid_point(&rigid_b, Q, at[1], v[1], arm);
  rigid_vector(&rigid_a, local, u);
  const double p = 0.3 * rigid_a.r[0] - v[0][2];
  for (int i = 0; i < 3; i++) {
    x[i] = at[1][i] - at[0][i], xd[i] = v[1][i] - v[0][i], w[i] = rigid_b.w[i] - rigid_a.w[i];
    f[i] = -(k + r * l.s * l.s + p * p) * x[i] - c * xd[i] + swing * u[i];
  }
  for (int i = 0; i < 3; i++) { bend[i] = b * (d[i] - u[i]), n[i] = -m * sqrt(1 + dot3(w, w)) * w[i] + (q + p) * d[i]; }
  wrench_add(&s.on[1], l.arm[1], 1, f);
  wrench_add(&s.on[0], l.arm[0], -1, f);
  cross3(u, bend, turn); /* a force on a vector turns its body */
  add3(s.on[0].n, 1, turn);
  add3(s.on[1].n, 1, n);
  add3(s.on[0].n, -1, n);
  s.on[1].F[1] += -k * atan(q) - c * qd + dot3(u, x);
  scene_check(&s, "mixed", dot3(u, x) + dot3(w, d) + q * qd + p * q);
  scene_check(&s, "swing", swing * q);
  scene_check_motion(&s);
  check_coefficients(&s);
  scene_close(&s);
}

#define FORCE_ALONG(i)                                          \
  "[quantity u" i "]\nvalue = E.position." i " - P.position." i \
  "\n"                                                          \
  "[quantity d" i "]\nvalue = Q.position." i " - P.position." i \
  "\n"                                                          \
  "[quantity f" i "]\nvalue = -stiff*d" i " - 0.4*(Q.velocity." i " - P.velocity." i ") + swing*u" i "\n"

/* The law of tests/own_force.c in words, but for what acts on the vector and on the rotation: both move alike, whatever the argument by expression. E is P with the
 * vector on it. */
static void test_user_in_words(void) {
  static const char *const forces[] = {
      "[vector v]\nalong = 0.5, 0.4, -0.3\nbodies = A\n"
      "[force f]\ntype = user\nplugin = general\npoints = P, Q\nalong = v\nbodies = A, B\ncoordinate = B.y\n"
      "command = p\nstiffness = 3\nrise = 0.8\ndamping = 0.4\nswing = 2\nfrequency = 1.7\nbend = 0\ntwist = 0\n"
      "direction = 0, 0, 0\n",
      "[point E]\nat = 0.7, 0.3, -0.15\nbodies = A\n"
      "[quantity stiff]\nvalue = 3 + 0.8*distance(P, Q)^2 + 1*p^2\n[quantity swing]\nvalue = 2*sin(1.7*(time + 1))\n"
      FORCE_ALONG("x") FORCE_ALONG("y") FORCE_ALONG("z")
      "[force on_Q]\ntype = expression\npoint = Q\nframe = ground\nvalue = fx, fy, fz\n"
      "[force on_P]\ntype = expression\npoint = P\nframe = ground\nvalue = -fx, -fy, -fz\n"
      "[force on_q]\ntype = expression\ncoordinate = B.y\n"
      "value = -3*atan(1*B.y) - 0.4*B.y.rate + 1*(ux*dx + uy*dy + uz*dz)\n"};
  static const char *const name[] = {"A.x", "B.y", "B.z", "distance(P, Q)", "Q.acceleration.x"};
  const mbd_case c = case_lasting(0.5, 5e-3);
  double value[2];
  for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
    for (int words = 0; words < 2; words++) {
      scene s = scene_open("user", &rigid_a, &rigid_b, POINTS "[quantity p]\nvalue = 0.3*A.x - P.velocity.z\n%s",
                           forces[words]);
      value[words] = value_after(&s.q, &c, name[i], 100);
      scene_close(&s);
    }
    CU_ASSERT(fabs(value[0]) > 1e-3);
    CHECK_CLOSE(name[i], value[1], value[0], 1e-11 * fmax(1, fabs(value[0])));
  }
}

/* The right side of a model does the image of what the left one does, with components along the mirror's axis opposite, of rates the others. numbers: outputs that
 * are the same, n of them. */
static void check_image(const char *file, int n, const char *const *numbers) {
  static const struct {
    const char *of;
    double sign[3];
  } vectors[] = {{"T.position", {1, -1, 1}},
                 {"T.velocity", {1, -1, 1}},
                 {"T.acceleration", {1, -1, 1}},
                 {"tip.rate", {-1, 1, -1}},
                 {"tip.angular_acceleration", {-1, 1, -1}}};
  test_model q = model_open(file);
  const mbd_case c = case_lasting(0.1, 2e-3);
  char left[64], right[64];
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    for (int k = 0; k < 3; k++) {
      snprintf(left, sizeof left, "left.%s.%c", vectors[i].of, "xyz"[k]);
      snprintf(right, sizeof right, "right.%s.%c", vectors[i].of, "xyz"[k]);
      const double expected = vectors[i].sign[k] * value_after(&q, &c, left, 50);
      CHECK_CLOSE(right, value_after(&q, &c, right, 50), expected, 1e-10 * fmax(1, fabs(expected)));
    }
  }
  for (int i = 0; i < n; i++) {
    snprintf(left, sizeof left, "left.%s", numbers[i]), snprintf(right, sizeof right, "right.%s", numbers[i]);
    const double expected = value_after(&q, &c, left, 50);
    CU_ASSERT(fabs(expected) > 1e-3);
    CHECK_CLOSE(right, value_after(&q, &c, right, 50), expected, 1e-10 * fmax(1, fabs(expected)));
  }
  model_close(&q);
}

static void test_user_image(void) {
  static const char *const numbers[] = {"own.mixed", "own.swing", "own.power",
                                        "lag",       "lag.rate",  "elbow.angle.acceleration"};
  check_image("tests/conformance/models/own_image.ini", 6, numbers);
}

static void test_expression_image(void) {
  static const char *const numbers[] = {"line.force",   "servo.force", "link_angles.force", "twist.torque",
                                        "swing.torque", "twist.power", "swing.power",       "lag",
                                        "lag.rate",     "pull"};
  check_image("tests/conformance/models/acting_image.ini", 10, numbers);
}

/* ---- all of them ---- */

/* The coefficients of the Magic Formula are many: tests/unit/force/test_magic_formula.c compares all of its terms with the
 * published equations. */
static void test_every_force_has_values(void) {
  const mbd_force_ops *f;
  for (int i = 0; (f = mbd_force_at(i)); i++) {
    const char *name = f->info.name;
    EXPECT_VALUE("force", name, NULL);
    EXPECT_VALUE("force", name, "power");
    for (int k = 0; k < f->nscalar; k++) { EXPECT_VALUE("output of force", name, f->scalar_name[k]); }
    for (const mbd_curve_info *c = f->info.curves; c->key; c++) { EXPECT_VALUE("curve of force", name, c->key); }
    if (f->potential) { EXPECT_VALUE("energy of force", name, "potential"); }
    if (strcmp(name, "tyre_magic_formula") == 0) { continue; }
    for (const mbd_coef_info *c = f->info.coefs; c->key; c++) {
      if (!is_of_state(name, c->key)) { EXPECT_VALUE("coefficient of force", name, c->key); }
    }
  }
}

TEST_MAIN(TEST(test_spring), TEST(test_stops), TEST(test_torsion_spring), TEST(test_joint_friction), TEST(test_rubbing),
          TEST(test_rotor_inertia), TEST(test_rotor_is_a_body), TEST(test_anti_roll_bar), TEST(test_roll_feedback),
          TEST(test_point_force), TEST(test_constant_point_force), TEST(test_follower_force), TEST(test_body_torque),
          TEST(test_relative_torque), TEST(test_coordinate_force), TEST(test_wheel_torque), TEST(test_bushing),
          TEST(test_tyre_contact), TEST(test_tyre_magic_formula), TEST(test_expression_of_points),
          TEST(test_expression_on_coordinates), TEST(test_expression_about_axis), TEST(test_expression_in_frame),
          TEST(test_expression_is_a_spring), TEST(test_user), TEST(test_user_in_words), TEST(test_user_image),
          TEST(test_expression_image), TEST(test_every_force_has_values))
