/* Inverse dynamics (mbd/inverse.h): values by hand, wrenches from outside against the forces of a model that are the same, derivatives
 * against the complex step in random states of all models of the conformance tests, the transpose, exact zeros, errors. */
#include "conformance/mechanism.h"
#include "mbd/inverse.h"
#include "mbd/picture.h"
#include "mbd/referee.h"

enum { WRENCHES = 3 };

typedef struct subject {
  test_model base;
  mbd_inverse *v;
  int n, nc, nw;
  double *z, *zd, *zdd, *Q; /* [n] */
  double *theta;            /* [nc] */
  mbd_wrench wrench[WRENCHES];
} subject;

static double *numbers(int n) {
  return calloc((size_t)n + 1, sizeof(double));
}

static void randomize(int n, double size, double *x) {
  for (int i = 0; i < n; i++) { x[i] = size * any(); }
}

static subject open_subject(test_model base, mbd_reference reference) {
  subject s = {.base = base, .n = mbd_model_nz(base.m), .nc = mbd_model_ncoef(base.m)};
  mbd_error err = {0};
  must(mbd_inverse_create(base.m, reference, WRENCHES, &s.v, &err), &err);
  s.z = numbers(s.n), s.zd = numbers(s.n), s.zdd = numbers(s.n), s.Q = numbers(s.n), s.theta = numbers(s.nc);
  for (int k = 0; k < s.nc; k++) { s.theta[k] = mbd_model_nominal(base.m, k); }
  return s;
}

static void close_subject(subject *s) {
  mbd_inverse_destroy(s->v);
  model_close(&s->base);
  free(s->z), free(s->zd), free(s->zdd), free(s->Q), free(s->theta);
}

static void evaluate(subject *s) {
  mbd_error err = {0};
  must(mbd_inverse_dynamics(s->v, s->base.p, t, s->z, s->zd, s->zdd, s->nw, s->wrench, s->Q, &err), &err);
}

/* Any motion; Euler parameters away from zero, and not of unit length. */
static void any_motion(subject *s) {
  const mbd_model *m = s->base.m;
  randomize(s->n, 0.1, s->z), randomize(s->n, 1, s->zd), randomize(s->n, 2, s->zdd);
  for (int i = 1; i < m->nb; i++) {
    const int e = m->joint[m->body[i].joint].ops->euler;
    if (e >= 0) { s->z[m->body[i].z0 + e] += 0.9; }
  }
}

static mbd_wrench any_wrench(int body) {
  mbd_wrench w = {.body = body};
  randomize(3, 1, w.point), randomize(3, 50, w.force), randomize(3, 20, w.torque);
  return w;
}

/* ---- by hand ---- */

static const char *const pendulum =
    "schema = 1\n[model]\nname = p\njoints = named\ngravity = 0, 0, -9.81\n"
    "[body bar]\nmass = 2\ncom = 0.4, 0, 0\ninertia = 0.01, 0.07, 0.08, 0, 0, 0\n"
    "[point O]\nat = 0, 0, 0\nbodies = ground, bar\n[vector y]\nalong = 0, 1, 0\nbodies = ground, bar\n"
    "[joint pin]\ntype = revolute\nbodies = ground, bar\npoint = O\naxis = y\n";

/* A turn by q about y: the bar is along (cos q, 0, -sin q), a force F and a torque T act on its end at l:
 *   Q = (J + m a^2) qdd - m g a cos q + l (F_x sin q + F_z cos q) - T_y */
static void test_pendulum(void) {
  subject s = open_subject(model_open_text(pendulum), MBD_RTDYN0);
  const double m = 2, a = 0.4, J = 0.07, g = 9.81, l = 1.1, q = 0.7, qdd = -3, Fx = 5, Fz = -8, Ty = 1.5;
  const double *Q_z, *Q_zd, *Q_zdd;
  s.z[0] = q, s.zd[0] = 2, s.zdd[0] = qdd;
  s.nw = 1;
  s.wrench[0] = (mbd_wrench){.body = 1, .point = {l, 0, 0}, .force = {Fx, 3, Fz}, .torque = {0.4, Ty, -2}};
  evaluate(&s);
  CHECK_CLOSE("torque", s.Q[0], (J + m * a * a) * qdd - m * g * a * cos(q) + l * (Fx * sin(q) + Fz * cos(q)) - Ty,
              1e-13);
  mbd_inverse_jacobian(s.v, &Q_z, &Q_zd, &Q_zdd);
  CHECK_CLOSE("by the angle", Q_z[0], m * g * a * sin(q) + l * (Fx * cos(q) - Fz * sin(q)), 1e-13);
  CHECK_CLOSE("by its rate", Q_zd[0], 0, 1e-13);
  CHECK_CLOSE("by its acceleration", Q_zdd[0], J + m * a * a, 1e-13);
  const double one = 1;
  mbd_wrench by = {0};
  mbd_inverse_transpose(s.v, &one, NULL, NULL, NULL, NULL, &by);
  CHECK_CLOSE("by the force along x", by.force[0], l * sin(q), 1e-14);
  CHECK_CLOSE("by the force along z", by.force[2], l * cos(q), 1e-14);
  CHECK_CLOSE("by the torque about y", by.torque[1], -1, 1e-14);
  CHECK_CLOSE("by the place along the bar", by.point[0], Fx * sin(q) + Fz * cos(q), 1e-13);
  close_subject(&s);
}

/* In a plane, from the textbook: links of lengths l1, with centres of mass at a1, a2. */
static void test_double_pendulum(void) {
  subject s = open_subject(
      model_open_text("schema = 1\n[model]\nname = d\njoints = named\ngravity = 0, -9.81, 0\n"
                      "[body one]\nmass = 1.5\ncom = 0.3, 0, 0\ninertia = 0.01, 0.07, 0.05, 0, 0, 0\n"
                      "[body two]\nmass = 0.8\ncom = 0.95, 0, 0\ninertia = 0.01, 0.04, 0.03, 0, 0, 0\n"
                      "[point O]\nat = 0, 0, 0\nbodies = ground, one\n[point P]\nat = 0.7, 0, 0\nbodies = one, two\n"
                      "[vector z]\nalong = 0, 0, 1\nbodies = ground, one, two\n"
                      "[joint j1]\ntype = revolute\nbodies = ground, one\npoint = O\naxis = z\n"
                      "[joint j2]\ntype = revolute\nbodies = one, two\npoint = P\naxis = z\n"),
      MBD_RTDYN1);
  const double m1 = 1.5, m2 = 0.8, a1 = 0.3, a2 = 0.25, l1 = 0.7, J1 = 0.05, J2 = 0.03, g = 9.81;
  const double q1 = 0.4, q2 = -1.1, v1 = 1.3, v2 = -0.6, w1 = 2, w2 = 5, s2 = sin(q2), c2 = cos(q2), h = m2 * l1 * a2;
  const double M11 = J1 + m1 * a1 * a1 + J2 + m2 * (l1 * l1 + a2 * a2) + 2 * h * c2;
  const double M12 = J2 + m2 * a2 * a2 + h * c2, M22 = J2 + m2 * a2 * a2, G2 = m2 * g * a2 * cos(q1 + q2);
  const double *Q_z, *Q_zd, *Q_zdd;
  s.z[0] = q1, s.z[1] = q2, s.zd[0] = v1, s.zd[1] = v2, s.zdd[0] = w1, s.zdd[1] = w2;
  evaluate(&s);
  CHECK_CLOSE("Q1", s.Q[0],
              M11 * w1 + M12 * w2 - h * s2 * (2 * v1 * v2 + v2 * v2) + (m1 * a1 + m2 * l1) * g * cos(q1) + G2, 1e-12);
  CHECK_CLOSE("Q2", s.Q[1], M12 * w1 + M22 * w2 + h * s2 * v1 * v1 + G2, 1e-12);
  mbd_inverse_jacobian(s.v, &Q_z, &Q_zd, &Q_zdd);
  CHECK_CLOSE("dQ1/dq2", Q_z[1],
              -h * s2 * (2 * w1 + w2) - h * c2 * (2 * v1 * v2 + v2 * v2) - m2 * g * a2 * sin(q1 + q2), 1e-12);
  CHECK_CLOSE("dQ2/dq1", Q_z[2], -m2 * g * a2 * sin(q1 + q2), 1e-12);
  CHECK_CLOSE("dQ1/dv2", Q_zd[1], -2 * h * s2 * (v1 + v2), 1e-12);
  CHECK_CLOSE("dQ2/dv1", Q_zd[2], 2 * h * s2 * v1, 1e-12);
  CHECK_CLOSE("dQ1/dw2", Q_zdd[1], M12, 1e-12);
  close_subject(&s);
}

/* A trunk that rises along z with a leg on either side, each with a foot on the ground: two wrenches at once. At rest,
 *   trunk:  Q = (m + 2 m_leg) g - F_z,left - F_z,right;   leg:  Q = torque of weight and foot about the hip, by its own foot alone */
static void test_two_feet(void) {
  subject s =
      open_subject(model_open_text("schema = 1\n[model]\nname = f\njoints = named\ngravity = 0, 0, -9.81\n"
                                   "[body trunk]\nmass = 40\ncom = 0, 0, 1.2\ninertia = 2, 2, 1, 0, 0, 0\n"
                                   "[body left]\nmass = 9\ncom = 0, 0.1, 0.5\ninertia = 0.4, 0.4, 0.05, 0, 0, 0\n"
                                   "[body right]\nmass = 9\ncom = 0, -0.1, 0.5\ninertia = 0.4, 0.4, 0.05, 0, 0, 0\n"
                                   "[point L]\nat = 0, 0.1, 0.9\nbodies = trunk, left\n"
                                   "[point R]\nat = 0, -0.1, 0.9\nbodies = trunk, right\n"
                                   "[vector y]\nalong = 0, 1, 0\nbodies = trunk, left, right\n"
                                   "[vector z]\nalong = 0, 0, 1\nbodies = ground, trunk\n"
                                   "[joint rise]\ntype = prismatic\nbodies = ground, trunk\naxis = z\n"
                                   "[joint hip_L]\ntype = revolute\nbodies = trunk, left\npoint = L\naxis = y\n"
                                   "[joint hip_R]\ntype = revolute\nbodies = trunk, right\npoint = R\naxis = y\n"),
                   MBD_RTDYN_JOINT);
  const double g = 9.81, qL = 0.3, qR = -0.4, down = 0.4, leg = 0.9, FL[3] = {30, 4, 300}, FR[3] = {-50, 2, 260};
  const int rise = 0, L = 1, R = 2;
  const double *Q_z, *Q_zd, *Q_zdd;
  s.z[L] = qL, s.z[R] = qR;
  s.nw = 2;
  s.wrench[0] = (mbd_wrench){.body = 2, .point = {0, 0.1, 0}};
  s.wrench[1] = (mbd_wrench){.body = 3, .point = {0, -0.1, 0}, .torque = {1, 6, 0}};
  memcpy(s.wrench[0].force, FL, sizeof FL), memcpy(s.wrench[1].force, FR, sizeof FR);
  evaluate(&s);
  /* a turn by q about y moves what is d below the hip along (-cos q, 0, sin q) d */
  CHECK_CLOSE("trunk", s.Q[rise], 58 * g - FL[2] - FR[2], 1e-10);
  CHECK_CLOSE("left hip", s.Q[L], 9 * g * down * sin(qL) - leg * (-FL[0] * cos(qL) + FL[2] * sin(qL)), 1e-10);
  CHECK_CLOSE("right hip", s.Q[R], 9 * g * down * sin(qR) - leg * (-FR[0] * cos(qR) + FR[2] * sin(qR)) - 6, 1e-10);
  mbd_inverse_jacobian(s.v, &Q_z, &Q_zd, &Q_zdd);
  CHECK_CLOSE("left hip by its angle", Q_z[3 * L + L],
              9 * g * down * cos(qL) - leg * (FL[0] * sin(qL) + FL[2] * cos(qL)), 1e-10);
  const double *all[] = {Q_z, Q_zd, Q_zdd};
  for (int k = 0; k < 3; k++) {
    CU_ASSERT_EQUAL(all[k][3 * L + R], 0);
    CU_ASSERT_EQUAL(all[k][3 * R + L], 0);
  }
  close_subject(&s);
}

/* ---- forces of a model that are the same ---- */

/* Forces on two points and a torque on a body, along directions in space, as elements and as wrenches. */
static void test_as_elements(void) {
  const char *const file = "tests/conformance/models/tree.ini";
  subject with = open_subject(
      model_open_more(file, 0, NULL, NULL,
                      "[curve unit]\ntype = polynomial\ncoefficients = 1\n"
                      "[force push1]\ntype = point_force\npoint = T1\ndirection = 30, -20, 70\nforce = unit\n"
                      "[force push2]\ntype = point_force\npoint = T3\ndirection = -5, 60, 10\nforce = unit\n"
                      "[force twist]\ntype = body_torque\nbody = shaft\ndirection = 4, 9, -7\ntorque = unit\n"),
      MBD_RTDYN1);
  subject without = open_subject(model_open(file), MBD_RTDYN1);
  mbd_place place;
  any_motion(&with);
  const size_t size = (size_t)with.n * sizeof(double);
  memcpy(without.z, with.z, size), memcpy(without.zd, with.zd, size), memcpy(without.zdd, with.zdd, size);
  without.nw = 2;
  without.wrench[0] = (mbd_wrench){.force = {30, -20, 70}, .torque = {4, 9, -7}};
  without.wrench[1] = (mbd_wrench){.force = {-5, 60, 10}};
  for (int i = 0; i < mbd_model_npoint(without.base.m); i++) {
    must(mbd_params_point(without.base.p, i, 0, &place) ? MBD_OK : MBD_BAD_INPUT, &(mbd_error){0});
    const int which = strcmp(place.name, "T1") == 0 ? 0 : strcmp(place.name, "T3") == 0 ? 1 : -1;
    if (which < 0) { continue; }
    without.wrench[which].body = place.body;
    memcpy(without.wrench[which].point, place.x, sizeof place.x);
  }
  evaluate(&with), evaluate(&without);
  const int n = with.n;
  double size_Q = 0;
  for (int j = 0; j < n; j++) { size_Q = fmax(size_Q, fabs(with.Q[j])); }
  for (int j = 0; j < n; j++) { CHECK_NEAR("Q", without.Q[j], with.Q[j], size_Q, 1e-13); }
  const double *a[3], *b[3];
  mbd_inverse_jacobian(with.v, &a[0], &a[1], &a[2]);
  mbd_inverse_jacobian(without.v, &b[0], &b[1], &b[2]);
  for (int k = 0; k < 3; k++) {
    double max = 0;
    for (int i = 0; i < n * n; i++) { max = fmax(max, fabs(a[k][i])); }
    for (int i = 0; i < n * n; i++) { CHECK_NEAR("a matrix", b[k][i], a[k][i], max, 1e-13); }
  }
  /* the coefficients that both have come first */
  double *mu = numbers(n), *ga = numbers(with.nc), *gb = numbers(with.nc);
  randomize(n, 1, mu);
  mbd_inverse_transpose(with.v, mu, ga, NULL, NULL, NULL, NULL);
  mbd_inverse_transpose(without.v, mu, gb, NULL, NULL, NULL, NULL);
  int shared = 0;
  for (int i = 0; i < without.nc; i++) {
    const char *name = mbd_model_coef_name(without.base.m, i);
    for (int k = 0; k < with.nc; k++) {
      if (strcmp(mbd_model_coef_name(with.base.m, k), name) != 0) { continue; }
      if (strncmp(name, "point.T1", 8) == 0 || strncmp(name, "point.T3", 8) == 0) { continue; }
      CHECK_NEAR(name, gb[i], ga[k], fmax(1, fabs(ga[k])), 1e-12);
      shared++;
      break;
    }
  }
  CU_ASSERT(shared > 100);
  free(mu), free(ga), free(gb);
  close_subject(&with), close_subject(&without);
}

/* ---- complex step ---- */

static void compare(const char *model, const char *what, int j, int n, const double *got, int stride,
                    const double *expected, double scale) {
  for (int i = 0; i < n; i++) {
    char name[300];
    snprintf(name, sizeof name, "%s: %s %d, %d", model, what, i, j);
    CHECK_NEAR(name, got[i * stride], expected[i], scale, 1e-12);
  }
}

static double largest(int n, const double *x) {
  double max = 0;
  for (int i = 0; i < n; i++) { max = fmax(max, fabs(x[i])); }
  return max;
}

/* Columns of the matrices, one by one; entries outside of the pattern are zero in both. */
static void check_matrices(subject *s, const char *model, mbd_referee_inverse *r, const mbd_referee_motion *at) {
  static const char *const what[] = {"dQ/dz", "dQ/dzd", "dQ/dzdd"};
  const int n = s->n;
  const double *by[3];
  mbd_error err = {0};
  double *unit = numbers(n), *Q = numbers(n), *dQ = numbers(n);
  unsigned char *listed = calloc((size_t)(n * n) + 1, 1);
  mbd_inverse_jacobian(s->v, &by[0], &by[1], &by[2]);
  for (int k = 0; k < 3; k++) {
    const double scale = fmax(1, largest(n * n, by[k]));
    const int *count, *col;
    mbd_inverse_pattern(s->v, (mbd_inverse_by)k, &count, &col);
    memset(listed, 0, (size_t)(n * n));
    for (int i = 0; i < n; i++) {
      for (int q = 0; q < count[i]; q++) { listed[i * n + col[i * n + q]] = 1; }
    }
    for (int j = 0; j < n; j++) {
      mbd_referee_motion d = {0};
      *(k == 0 ? &d.z : k == 1 ? &d.zd : &d.zdd) = unit;
      unit[j] = 1;
      must(mbd_referee_inverse_derivative(r, s->theta, at, s->nw, 0, NULL, NULL, &d, Q, dQ, &err), &err);
      unit[j] = 0;
      compare(model, what[k], j, n, by[k] + j, n, dQ, scale);
      for (int i = 0; i < n; i++) {
        if (listed[i * n + j]) { continue; }
        CU_ASSERT(by[k][i * n + j] == 0 && dQ[i] == 0);
      }
    }
  }
  compare(model, "Q", 0, n, s->Q, 1, Q, fmax(1, largest(n, Q)));
  free(unit), free(Q), free(dQ), free(listed);
}

/* Along every coefficient alone, and in all of them at once by the transpose. */
static void check_coefficients(subject *s, const char *model, mbd_referee_inverse *r, const mbd_referee_motion *at) {
  const int n = s->n;
  mbd_error err = {0};
  double *Q = numbers(n), *dQ = numbers(n), *mine = numbers(n), *mu = numbers(n), *g = numbers(s->nc);
  mbd_dparams *d;
  randomize(n, 1, mu);
  mbd_inverse_transpose(s->v, mu, g, NULL, NULL, NULL, NULL);
  must(mbd_dparams_create(s->base.m, &d, &err), &err);
  for (int k = 0; k < s->nc; k++) {
    const double one = 1;
    const mbd_referee_motion held = {0};
    char name[300];
    must(mbd_referee_inverse_derivative(r, s->theta, at, s->nw, 1, &k, &one, &held, Q, dQ, &err), &err);
    mbd_dparams_set(d, s->base.p, 1, &k, &one);
    mbd_inverse_along(s->v, d, NULL, NULL, NULL, NULL, mine);
    const double scale = fmax(fmax(1, largest(n, dQ)), largest(n, Q)); /* parts of the size of Q may cancel */
    compare(model, mbd_model_coef_name(s->base.m, k), 0, n, mine, 1, dQ, scale);
    snprintf(name, sizeof name, "%s: mu' dQ/d%s", model, mbd_model_coef_name(s->base.m, k));
    CHECK_NEAR(name, g[k], dot(n, mu, dQ), n * scale, 1e-12);
  }
  mbd_dparams_destroy(d);
  free(Q), free(dQ), free(mine), free(mu), free(g);
}

/* Everything at once along one direction, and <mu, dQ> = <transpose of mu, direction>. */
static void check_together(subject *s, const char *model, mbd_referee_inverse *r, const mbd_referee_motion *at) {
  const int n = s->n, nc = s->nc;
  mbd_error err = {0};
  double *all = numbers(12 * n + 2 * nc), *dz = all, *dzd = dz + n, *dzdd = dzd + n, *Q = dzdd + n, *dQ = Q + n,
         *mine = dQ + n, *mu = mine + n, *gz = mu + n, *gzd = gz + n, *gzdd = gzd + n, *dtheta = gzdd + n,
         *gtheta = dtheta + nc;
  mbd_wrench dw[WRENCHES], gw[WRENCHES];
  int *index = calloc((size_t)nc + 1, sizeof *index);
  randomize(3 * n, 1, dz), randomize(n, 1, mu);
  memset(gw, 0, sizeof gw);
  for (int i = 0; i < WRENCHES; i++) { dw[i] = any_wrench(0); }
  for (int k = 0; k < nc; k++) { index[k] = k, dtheta[k] = 0.1 * any() * (1 + fabs(s->theta[k])); }
  mbd_dparams *d = direction_along(&s->base, dtheta);
  const mbd_referee_motion along = {.z = dz, .zd = dzd, .zdd = dzdd, .wrench = dw};
  must(mbd_referee_inverse_derivative(r, s->theta, at, s->nw, nc, index, dtheta, &along, Q, dQ, &err), &err);
  mbd_inverse_along(s->v, d, dz, dzd, dzdd, dw, mine);
  const double scale = fmax(1, largest(n, dQ));
  compare(model, "along all", 0, n, mine, 1, dQ, scale);
  mbd_inverse_transpose(s->v, mu, gtheta, gz, gzd, gzdd, gw);
  const double parts[] = {dot(nc, gtheta, dtheta), dot(n, gz, dz), dot(n, gzd, dzd), dot(n, gzdd, dzdd)};
  double sum = 0, size = 0;
  for (int i = 0; i < 4; i++) { sum += parts[i], size += fabs(parts[i]); }
  for (int i = 0; i < s->nw; i++) {
    const double part =
        dot(3, gw[i].point, dw[i].point) + dot(3, gw[i].force, dw[i].force) + dot(3, gw[i].torque, dw[i].torque);
    sum += part, size += fabs(part);
  }
  CHECK_NEAR(model, sum, dot(n, mu, mine), size, 1e-12);
  /* added to what is there */
  mbd_inverse_transpose(s->v, mu, NULL, gz, NULL, NULL, NULL);
  CHECK_NEAR("a second pull", dot(n, gz, dz), 2 * parts[1], size, 1e-12);
  mbd_dparams_destroy(d);
  free(all), free(index);
}

/* Opens a model of the conformance tests, but for the angle whose turns count in one of them: a single instant does not tell them. 0: the angle is in a part of the
 * model, which is that one turned and mirrored. */
static int open_without_turns(const char *file, test_model *q) {
  static const char term[] = " + 0.3*lever.yaw@fore";
  *q = model_open(file);
  if (q->m->nturn == 0) { return 1; }
  char path[512], text[8000], without[8000];
  mbd_inverse *v;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(mbd_inverse_create(q->m, MBD_RTDYN0, 0, &v, &err), MBD_UNSUPPORTED);
  CHECK_CONTAINS(err.text, "twist' counts the turns of an angle along a motion, which a single instant does not tell");
  model_close(q);
  snprintf(path, sizeof path, "%s/%s", MBOPT_SOURCE_DIR, file);
  FILE *in = fopen(path, "r");
  CU_ASSERT_PTR_NOT_NULL_FATAL(in);
  text[fread(text, 1, sizeof text - 1, in)] = '\0';
  fclose(in);
  if (!strstr(text, term)) { return 0; }
  edit(without, sizeof without, text, term, "");
  *q = model_open_text(without);
  return 1;
}

static void all_models(mbd_reference reference) {
  for (int k = 0; k < N_CASES; k++) {
    const char *model = cases[k].model;
    mbd_error err = {0};
    mbd_referee_inverse *r;
    test_model base;
    if (!open_without_turns(model, &base)) { continue; }
    subject s = open_subject(base, reference);
    must(mbd_referee_inverse_create(mbo_model_file_spec(s.base.file), reference, &r, &err), &err);
    any_motion(&s);
    s.nw = WRENCHES;
    for (int i = 0; i < s.nw; i++) { s.wrench[i] = any_wrench(1 + (i * i + k) % mbd_model_nbody(s.base.m)); }
    s.wrench[2].body = s.wrench[1].body; /* two on one body */
    evaluate(&s);
    const mbd_referee_motion at = {t, s.z, s.zd, s.zdd, s.wrench};
    check_matrices(&s, model, r, &at);
    check_coefficients(&s, model, r, &at);
    check_together(&s, model, r, &at);
    mbd_referee_inverse_destroy(r);
    close_subject(&s);
  }
}

static void test_com(void) {
  all_models(MBD_RTDYN0);
}
static void test_origin(void) {
  all_models(MBD_RTDYN1);
}
static void test_joint(void) {
  all_models(MBD_RTDYN_JOINT);
}

/* ---- the tree of 43 joints that S4 publishes: seven branches ---- */

static int parent_of(int joint) {
  switch (joint) {
    case 14:
    case 22: return 5;
    case 32:
    case 41: return 22;
    default: return joint - 1;
  }
}

static test_model open_tree(void) {
  static char text[40000];
  int at = snprintf(text, sizeof text, "schema = 1\n[model]\nname = h\njoints = named\ngravity = 0, 0, -9.81\n");
  for (int i = 1; i <= 43; i++) {
    char parent[16] = "ground";
    if (i > 1) { snprintf(parent, sizeof parent, "b%d", parent_of(i)); }
    at +=
        snprintf(text + at, sizeof text - (size_t)at,
                 "[body b%d]\nmass = %g\ncom = %g, %g, %g\ninertia = 0.02, 0.03, 0.04, 0.001, 0, 0.002\n"
                 "[point p%d]\nat = %g, %g, %g\nbodies = %s, b%d\n[vector u%d]\nalong = %g, %g, %g\nbodies = %s, b%d\n"
                 "[joint j%d]\ntype = revolute\nbodies = %s, b%d\npoint = p%d\naxis = u%d\n",
                 i, 1 + 0.5 * any(), any(), any(), any(), i, any(), any(), any(), parent, i, i, any(), any(),
                 1.1 + any(), parent, i, i, parent, i, i, i);
  }
  return model_open_text(text);
}

static void test_published_tree(void) {
  subject s = open_subject(open_tree(), MBD_RTDYN1);
  const int n = s.n;
  int depth = 0, places = 0, nonzero[3] = {0}, coordinate[44] = {0};
  const double *by[3];
  CU_ASSERT_EQUAL_FATAL(n, 43);
  for (int i = 1; i <= n; i++) {
    mbd_body_report b;
    mbd_model_body(s.base.m, i, &b);
    coordinate[atoi(b.name + 1)] = b.z0;
    depth += b.level;
  }
  CU_ASSERT_EQUAL(depth, 395);
  any_motion(&s);
  s.nw = 2;
  s.wrench[0] = any_wrench(20), s.wrench[1] = any_wrench(40);
  evaluate(&s);
  mbd_inverse_jacobian(s.v, &by[0], &by[1], &by[2]);
  for (int k = 0; k < 3; k++) {
    const int *count, *col;
    places = 0;
    mbd_inverse_pattern(s.v, (mbd_inverse_by)k, &count, &col);
    for (int i = 0; i < n; i++) { places += count[i]; }
    CU_ASSERT_EQUAL(places, 747);
    for (int i = 0; i < n * n; i++) { nonzero[k] += by[k][i] != 0; }
    CU_ASSERT(nonzero[k] <= 747 && nonzero[k] > 740); /* a derivative by a rate may vanish */
    CU_ASSERT_EQUAL(by[k][coordinate[42] * n + coordinate[18]], 0);
    CU_ASSERT(by[k][coordinate[42] * n + coordinate[22]] != 0);
    CU_ASSERT(by[k][coordinate[18] * n + coordinate[14]] != 0);
  }
  close_subject(&s);
}

/* ---- errors ---- */

static void test_errors(void) {
  subject s = open_subject(model_open_text(pendulum), MBD_RTDYN0),
          other = open_subject(model_open_text(pendulum), MBD_RTDYN0);
  mbd_error err = {0};
  mbd_inverse *v;
  CU_ASSERT_EQUAL(mbd_inverse_create(s.base.m, MBD_RTDYN0, -1, &v, &err), MBD_BAD_INPUT);
  CU_ASSERT_PTR_NULL(v);
  CHECK_CONTAINS(err.text, "room for -1 wrenches");
#define REFUSED(p, nw, status, message)                                                                \
  CU_ASSERT_EQUAL(mbd_inverse_dynamics(s.v, p, 0, s.z, s.zd, s.zdd, nw, s.wrench, s.Q, &err), status); \
  CHECK_CONTAINS(err.text, message)
  REFUSED(s.base.p, 4, MBD_BAD_INPUT, "4 wrenches from outside, expected 0 .. 3");
  REFUSED(s.base.p, 1, MBD_BAD_INPUT, "wrench 1 from outside acts on body 0, expected 1 .. 1");
  s.wrench[0].body = s.wrench[1].body = 1, s.wrench[1].body = 2;
  REFUSED(s.base.p, 2, MBD_BAD_INPUT, "wrench 2 from outside acts on body 2, expected 1 .. 1");
  REFUSED(other.base.p, 0, MBD_BAD_INPUT, "parameters of another model");
  s.zdd[0] = INFINITY;
  REFUSED(s.base.p, 0, MBD_NOT_FINITE, "the force on coordinate 'pin.angle' is ");
  s.zdd[0] = 1;
  evaluate(&s);
  mbd_inverse_destroy(NULL);
  close_subject(&s), close_subject(&other);
}

TEST_MAIN(TEST(test_pendulum), TEST(test_double_pendulum), TEST(test_two_feet), TEST(test_as_elements), TEST(test_com),
          TEST(test_origin), TEST(test_joint), TEST(test_published_tree), TEST(test_errors))
