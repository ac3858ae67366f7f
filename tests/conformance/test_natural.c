/* The natural model of every rigid model of the conformance tests and of the problems, held against joint coordinates at assembled states off
 * the start: constraints and their rates vanish, frames and velocities of the bodies come back, kinetic energy, the power of weights and
 * the work of inertia and forces in admissible motions are the same, and so are the degrees of freedom. */
#include <glob.h>

#include "dynamics/motion.h"
#include "la/dense.h"
#include "la/rank.h"
#include "model/state.h"
#include "model.h"
#include "natural/natural.h"

static const char *const problems[] = {
    "problems/bicycle/bicycle.ini",
    "problems/buggy/buggy.ini",
    "problems/chain/chain.ini",
    "problems/corner/corner.ini",
    "problems/delta_robot/delta_robot.ini",
    "problems/desk_lamp/desk_lamp.ini",
    "problems/double_pendulum/double_pendulum.ini",
    "problems/five_bar/five_bar.ini",
    "problems/five_bar/five_bar_driven.ini",
    "problems/five_bar/five_bar_found.ini",
    "problems/four_bar_motor/four_bar_motor.ini",
    "problems/four_bar_path/four_bar_path.ini",
    "problems/frame/frame.ini",
    "problems/human/human.ini",
    "problems/linkages/linkages.ini",
    "problems/monoped/monoped.ini",
    "problems/pendulum/pendulum.ini",
    "problems/planar_delta/planar_delta.ini",
    "problems/robot_arm/robot_arm.ini",
    "problems/slider_crank/slider_crank.ini",
    "problems/spatial_four_bar/spatial_four_bar.ini",
    "problems/two_link_arm/two_link_arm.ini",
    "problems/tyre_rig/tyre_rig.ini",
    "problems/wishbone_corner/wishbone_corner.ini",
};
enum { N_PROBLEMS = sizeof problems / sizeof problems[0] };

static const double closed = 1e-13; /* to which the loops of a state are closed, relative to 1 m */

/* A model, its work and an assembled state. */
typedef struct bench {
  test_model base;
  const char *name;
  const mbd_model *m;
  mbd_work *w;
  natural *n;
  natural_params *v;
  double *z, *zd, *zdd, *z_first;
  double *phi, *Phi_z; /* with the constraints alone */
  double *q, *qd, *qdd;
} bench;

static motion_rows rows_of(const bench *b) {
  return motion_constraints(b->m);
}

/* x [nz] -= Phi_z' (Phi_z Phi_z' + s)^-1 phi, s small for rows that are redundant */
static void correct(const bench *b, const double *phi, double *x) {
  const int m = b->m->nphi, n = b->m->nz;
  double *A = calloc((size_t)(m * m) + 1, sizeof *A), *y = calloc((size_t)m + 1, sizeof *y), max = 0;
  int *piv = calloc((size_t)m + 1, sizeof *piv);
  mbd_error err = {0};
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < m; k++) { A[i * m + k] = mbd_dot(n, b->Phi_z + i * n, b->Phi_z + k * n); }
    max = fmax(max, A[i * m + i]);
    y[i] = -phi[i];
  }
  for (int i = 0; i < m; i++) { A[i * m + i] += 1e-11 * max; }
  if (m) { must(mbd_lu_factor(m, A, piv), &err); }
  mbd_lu_solve(m, A, piv, 1, y);
  for (int i = 0; i < m; i++) { mbd_axpy(n, y[i], b->Phi_z + i * n, x); }
  free(A), free(y), free(piv);
}

/* z onto the constraints. Returns how far off it is left. */
static double assemble(const bench *b) {
  double off = INFINITY;
  for (int i = 0; i < 40; i++) {
    motion_place(b->w, b->base.p, 0, b->z);
    motion_phi(b->w, rows_of(b), b->phi, b->Phi_z);
    off = mbd_norm_inf(b->m->nphi, b->phi);
    if (!(off > closed / 10)) { return off; }
    correct(b, b->phi, b->z);
  }
  return off;
}

/* Any velocities that the constraints allow at what moves them, x [nphi] their rates at rest. */
static void any_rates(const bench *b, const double *at_rest, double *zd) {
  const int m = b->m->nphi, n = b->m->nz;
  double *phid = calloc((size_t)m + 1, sizeof *phid);
  for (int j = 0; j < n; j++) { zd[j] = any(); }
  for (int i = 0; i < 6; i++) {
    memcpy(phid, at_rest, (size_t)m * sizeof *phid);
    mbd_mul_add(m, n, 1, 1, b->Phi_z, zd, phid);
    correct(b, phid, zd);
  }
  free(phid);
}

/* Velocities, and accelerations: Phi_z zdd is what is left of Phidd at none. */
static void set_off(const bench *b) {
  double *rest = calloc((size_t)b->m->nphi + 1, sizeof *rest);
  motion_phi_t(b->w, rows_of(b), rest);
  any_rates(b, rest, b->zd);
  memset(b->zdd, 0, (size_t)b->m->nz * sizeof *b->zdd);
  motion_move(b->w, b->zd, b->zdd, 0);
  motion_phidd(b->w, rows_of(b), rest);
  any_rates(b, rest, b->zdd);
  motion_move(b->w, b->zd, b->zdd, 1);
  free(rest);
}

static void any_state(const bench *b) {
  double far = 0.1;
  do {
    for (int j = 0; j < b->m->nz; j++) { b->z[j] = b->z_first[j] + far * any(); }
    far = far > 1e-3 ? far / 3 : 0;
  } while (!(assemble(b) <= closed) && far > 0);
  CHECK_CLOSE(b->name, assemble(b), 0, closed);
  set_off(b);
}

static void open_bench(bench *b, const char *name) {
  mbd_error err = {0};
  mbd_sim *s;
  const mbd_case c = case_lasting(1e-3, 1e-3);
  *b = (bench){.base = model_open(name), .name = name};
  b->m = b->base.m;
  const size_t nz = (size_t)b->m->nz + 1;
  must(mbd_work_create(b->m, MBD_RTDYN0, &b->w, &err), &err);
  must(natural_create(b->m, &b->n, &err), &err);
  must(natural_params_create(b->n, b->base.p, &b->v, &err), &err);
  b->z = calloc(4 * nz, sizeof *b->z), b->zd = b->z + nz, b->zdd = b->zd + nz, b->z_first = b->zdd + nz;
  b->phi = calloc((size_t)b->m->nphi + 1, sizeof *b->phi);
  b->Phi_z = calloc((size_t)b->m->nphi * nz + 1, sizeof *b->Phi_z);
  b->q = calloc(3 * (size_t)b->n->nq + 3, sizeof *b->q), b->qd = b->q + b->n->nq, b->qdd = b->qd + b->n->nq;
  must(mbd_sim_create(b->m, &c, b->base.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_start(s, b->base.p, b->z_first, NULL, NULL, NULL, &err), &err);
  mbd_sim_destroy(s);
}

static void close_bench(bench *b) {
  natural_params_destroy(b->v), natural_destroy(b->n), mbd_work_destroy(b->w);
  model_close(&b->base);
  free(b->z), free(b->phi), free(b->Phi_z), free(b->q);
}

static double largest(int n, const double *x) {
  return fmax(1, mbd_norm_inf(n, x));
}

/* ---- what holds at every state ---- */

static void check_constraints(const bench *b) {
  const natural *n = b->n;
  double *phi = calloc(3 * (size_t)n->nphi + 3, sizeof *phi), *phid = phi + n->nphi, *phidd = phid + n->nphi;
  double *Phi_q = calloc((size_t)n->first[n->nphi] + 1, sizeof *Phi_q);
  const mbd_packed J = {n->first, n->col, Phi_q, NULL};
  const double size = largest(n->nq, b->q), speed = largest(n->nq, b->qd);
  const double acceleration = speed * speed + largest(n->nq, b->qdd);
  natural_phi(b->v, 0, b->q, phi, Phi_q);
  natural_phi_t(b->v, 0, b->q, phid);
  mbd_packed_mul_add(n->nphi, 1, 1, &J, b->qd, phid);
  natural_phidd(b->v, 0, b->q, b->qd, b->qdd, phidd);
  for (int i = 0; i < n->nphi; i++) {
    char name[400];
    snprintf(name, sizeof name, "%s %s", b->name, n->phi_name[i]);
    CHECK_NEAR(name, phi[i], 0, size * size, 2e-13);
    CHECK_NEAR(name, phid[i], 0, size * speed, 1e-12);
    CHECK_NEAR(name, phidd[i], 0, size * acceleration, 1e-11);
  }
  free(phi), free(Phi_q);
}

static void check_bodies(const bench *b) {
  for (int i = 0; i < b->m->nb; i++) {
    const body_state *s = &b->w->body[i];
    const double size = largest(3, s->o), speed = largest(6, s->V) * size;
    double o[3], A[9], V[6], Vd[6], expected[6];
    const double arm[3] = {s->o[0] - s->r[0], s->o[1] - s->r[1], s->o[2] - s->r[2]};
    natural_frame(b->v, b->q, i, o, A);
    natural_velocity(b->v, b->q, b->qd, i, V);
    sv_shift_motion(expected, s->V, arm);
    for (int k = 0; k < 3; k++) { CHECK_NEAR(b->name, o[k], s->o[k], size, 2e-13); }
    for (int k = 0; k < 9; k++) { CHECK_NEAR(b->name, A[k], s->A[k], 1, 2e-13); }
    for (int k = 0; k < 6; k++) { CHECK_NEAR(b->name, V[k], expected[k], speed, 1e-12); }
    natural_acceleration(b->v, b->q, b->qd, b->qdd, i, Vd);
    sv_shift_motion(expected, s->Vd, arm);
    v3_add(expected, expected, b->w->gravity.g);
    const double acceleration = speed * speed + largest(6, s->Vd) * size;
    for (int k = 0; k < 6; k++) { CHECK_NEAR(b->name, Vd[k], expected[k], acceleration, 1e-12); }
  }
}

static void check_energies(const bench *b) {
  const natural *n = b->n;
  double *y = calloc((size_t)n->nq + 1, sizeof *y), power = 0, size = 1;
  natural_mass_mul_add(b->v, b->qd, y);
  const double T = motion_kinetic(b->w);
  double with_states = T; /* whose inertias are no energy */
  for (int j = model_first_state(b->m); j < b->m->nz; j++) { with_states += b->w->zd[j] * b->w->zd[j] / 2; }
  CHECK_NEAR(b->name, mbd_dot(n->nq, b->qd, y) / 2, with_states, fmax(1e-3, with_states), 1e-13);
  for (int i = 1; i < b->m->nb && b->m->gravity >= 0; i++) {
    const body_state *s = &b->w->body[i];
    double v[3], arm[3];
    v3_sub(arm, s->g, s->r);
    v3_cross(v, s->V + 3, arm);
    v3_add(v, v, s->V);
    const double part = s->in.m * v3_dot(b->base.p->theta + b->m->gravity, v);
    power += part, size += fabs(part);
  }
  memset(y, 0, (size_t)n->nq * sizeof *y);
  natural_weight_add(b->v, y);
  CHECK_NEAR(b->name, mbd_dot(n->nq, b->qd, y), power, size, 1e-13);
  free(y);
}

/* Joint coordinates from natural ones, from a guess nearby. The work is left at the same motion. */
static void check_joints(const bench *b) {
  const int nz = b->m->nz;
  mbd_error err = {0};
  double *z = calloc(3 * (size_t)nz + 3, sizeof *z), *zd = z + nz, *zdd = zd + nz;
  double *X = calloc(6 * (size_t)b->m->nb, sizeof *X);
  for (int j = 0; j < nz; j++) { z[j] = b->z[j] + 0.05 * sin(1 + 2.7 * j); }
  must(natural_joints(b->v, b->w, 0, b->q, b->qd, b->qdd, X, z, zd, zdd, &err), &err);
  const double speed = largest(nz, b->zd);
  for (int j = 0; j < nz; j++) {
    CHECK_NEAR(b->m->z_name[j], z[j], b->z[j], largest(nz, b->z), 1e-12);
    CHECK_NEAR(b->m->z_name[j], zd[j], b->zd[j], speed, 1e-11);
    CHECK_NEAR(b->m->z_name[j], zdd[j], b->zdd[j], speed * speed + largest(nz, b->zdd), 1e-11);
  }
  free(z), free(X);
}

/* Work of inertia and forces in motions that the constraints allow, which theirs have none in: dq . (M qdd - Q) = dz . r. The work is
 * left at another motion. */
static void check_work(const bench *b) {
  const natural *n = b->n;
  const int nz = b->m->nz;
  double *r = calloc(2 * (size_t)nz + 2, sizeof *r), *dz = r + nz, *rest = calloc((size_t)b->m->nphi + 1, sizeof *rest);
  double *f = calloc(3 * (size_t)n->nq + 3, sizeof *f), *dq = f + n->nq, *there = dq + n->nq;
  motion_move(b->w, b->zd, b->zdd, 1);
  motion_residual(b->w, r);
  natural_weight_add(b->v, f);
  natural_forces_add(b->v, 0, b->q, b->qd, f);
  for (int i = 0; i < n->nq; i++) { f[i] = -f[i]; }
  natural_mass_mul_add(b->v, b->qdd, f);
  for (int k = 0; k < 5; k++) {
    double size = 1;
    any_rates(b, rest, dz);
    motion_move(b->w, dz, dz, 0);
    natural_take(b->v, b->w, there, dq, NULL);
    for (int i = 0; i < n->nq; i++) { size += fabs(dq[i] * f[i]); }
    CHECK_NEAR(b->name, mbd_dot(n->nq, dq, f), mbd_dot(nz, dz, r), size, 1e-11);
  }
  free(r), free(rest), free(f);
}

/* Degrees of freedom at the state in q. */
static int free_of(const bench *b) {
  const natural *n = b->n;
  mbd_rank_memory memory = {0};
  mbd_arena a = {0};
  double *phi = calloc((size_t)n->nphi + 1, sizeof *phi);
  double *Phi_q = calloc((size_t)n->first[n->nphi] + 1, sizeof *Phi_q);
  int *row = calloc((size_t)(n->nphi + n->nq) + 2, sizeof *row), *col = row + n->nphi;
  const mbd_packed J = {n->first, n->col, Phi_q, NULL};
  while (mbd_arena_pass(&a)) {
    mbd_rank_layout(&memory, (size_t)n->nphi + 1, (size_t)n->nq + 1, 4 * (size_t)n->first[n->nphi] + 64, &a);
  }
  natural_phi(b->v, 0, b->q, phi, Phi_q);
  const int rank = mbd_rank_packed(&memory, n->nphi, n->nq, &J, 1e-8 * mbd_norm_inf(n->first[n->nphi], Phi_q),
                                   MBD_RANK_BOTH, row, col);
  CU_ASSERT(rank >= 0);
  free(phi), free(Phi_q), free(row), free(a.base);
  return n->nq - rank;
}

static int free_of_joints(const bench *b) {
  const int m = b->m->nphi, n = b->m->nz;
  double *A = calloc((size_t)(m * (n + 1)) + 1, sizeof *A);
  int *row = calloc((size_t)(m + n) + 1, sizeof *row);
  memcpy(A, b->Phi_z, (size_t)(m * n) * sizeof *A);
  const int rank = mbd_rank(m, n, A, 1e-8, row, row + m);
  free(A), free(row);
  return n - rank;
}

/* Accelerations of the start, solved for in both coordinates. */
static void check_accelerations(bench *b) {
  const natural *n = b->n;
  const mbd_case c = case_lasting(1e-3, 1e-3);
  mbd_error err = {0};
  mbd_sim *s;
  double *qdd = calloc((size_t)(n->nq + n->nphi) + 1, sizeof *qdd);
  must(mbd_sim_create(b->m, &c, b->base.o, 0, NULL, 0, 0, &s, &err), &err);
  must(mbd_sim_start(s, b->base.p, b->z, b->zd, b->zdd, NULL, &err), &err);
  mbd_sim_destroy(s);
  for (int i = 0; i < b->m->nstate;
       i++) { /* the rates of states that measure are not those of the equations of motion */
    const int j = model_first_state(b->m) + i;
    if (model_state_measures(b->m, i)) { b->zdd[j] = -b->zd[j]; }
  }
  motion_place(b->w, b->base.p, 0, b->z);
  motion_move(b->w, b->zd, b->zdd, 1);
  natural_take(b->v, b->w, b->q, b->qd, b->qdd);
  must(natural_accelerations(b->v, 0, b->q, b->qd, qdd, qdd + n->nq, &err), &err);
  for (int i = 0; i < n->nq; i++) { CHECK_NEAR(b->name, qdd[i], b->qdd[i], largest(n->nq, b->qdd), 1e-9); }
  free(qdd);
}

static void check_model(const char *name) {
  bench b;
  open_bench(&b, name);
  for (int k = 0; k < 3; k++) {
    any_state(&b);
    natural_take(b.v, b.w, b.q, b.qd, b.qdd);
    check_constraints(&b);
    check_bodies(&b);
    check_energies(&b);
    CHECK_CLOSE(name, free_of(&b), free_of_joints(&b), 0);
    check_joints(&b);
    check_work(&b);
  }
  check_accelerations(&b);
  close_bench(&b);
}

/* 1: beams bend, which natural coordinates refuse. */
static int refused(const char *name) {
  test_model base = model_open(name);
  const int bends = base.m->nbeam > 0;
  mbd_error err = {0};
  natural *n = NULL;
  if (bends) {
    CU_ASSERT_EQUAL(natural_create(base.m, &n, &err), MBD_UNSUPPORTED);
    CHECK_CONTAINS(err.text, "coordinates = natural: beam '");
    CHECK_CONTAINS(err.text, "' bends, and points of a body have to be constant in its basis there");
    CU_ASSERT_PTR_NULL(n);
  }
  model_close(&base);
  return bends;
}

/* Every file of the folder, so that new ones are among them. */
static void test_conformance_models(void) {
  glob_t found;
  const size_t root = strlen(MBOPT_SOURCE_DIR) + 1;
  CU_ASSERT_EQUAL_FATAL(glob(MBOPT_SOURCE_DIR "/tests/conformance/models/*.ini", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    if (!refused(found.gl_pathv[i] + root)) { check_model(found.gl_pathv[i] + root); }
  }
  globfree(&found);
}

static void test_problems(void) {
  for (int i = 0; i < N_PROBLEMS; i++) { check_model(problems[i]); }
}

TEST_MAIN(TEST(test_conformance_models), TEST(test_problems))
