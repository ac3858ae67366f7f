/* One step, and the start, as linear maps: direct differentiation J and the adjoint J' are each other's transposes,
 *   <w, J v> = <J' w, v>
 * for weights w of what a node leaves behind (z, zd, zdd, reactions, the scheme's acc, an objective's part of that node) and
 * changes v of what it starts from (those of the node before; the coefficients). Each kind of weight meets each kind of
 * change alone, in the units of a step h (z h^2, zd h), so that no large one covers a small one. */
#include "integrator/integrator.h"
#include "model.h"
#include "formulation/ali3p.h"
#include "objective/objectives.h"
#include "sens/adjoint.h"
#include "simulate/run.h"
#include "simulate/start.h"

/* Columns of weights and of changes: one block each; then the objective, or the coefficients. */
enum { BY_Z, BY_ZD, BY_ZDD, BY_ACC, BY_LAM, BY_OBJECTIVE, NW, BY_THETA = BY_LAM, NV, BEFORE = 3 };

static const struct {
  const char *model, *output[3];
  int by_scalar; /* only such coefficients together as keep redundant constraints consistent */
} models[] = {
    {.model = "tests/conformance/models/tree.ini", .output = {"T3.acceleration.norm", "bush.force_x", "t1.force"}},
    {.model = "tests/conformance/models/cuts.ini",
     .output = {"T3.acceleration.z", "j1.coincident.multiplier.norm", "energy.total"}},
    {.model = "tests/conformance/models/uncut.ini", .output = {"T1.acceleration.x", "j2.distance", "b5.rate.x"}},
    {.model = "tests/conformance/models/constraints.ini",
     .output = {"B.acceleration.norm", "k1.multiplier", "energy.kinetic"}},
    {.model = "tests/conformance/models/hinges.ini", .output = {"energy.kinetic", "energy.potential"}},
    {.model = "tests/conformance/models/drives.ini", .output = {"F.acceleration.norm", "s1.force", "energy.total"}},
    {.model = "tests/conformance/models/couplings.ini",
     .output = {"T.acceleration.norm", "seam.coincident.multiplier.norm", "energy.total"}},
    {.model = "tests/conformance/models/wheels.ini",
     .output = {"tyre_f.longitudinal", "rider.torque", "O.acceleration.norm"}},
    {.model = "tests/conformance/models/velocities.ini",
     .output = {"C.acceleration.norm", "rolls.multiplier.y", "rod.multiplier"}},
    {.model = "tests/conformance/models/velocities_expression.ini",
     .output = {"C.acceleration.norm", "rolls_y.multiplier", "speed.multiplier"}},
    {.model = "problems/five_bar/five_bar_found.ini",
     .by_scalar = 1,
     .output = {"P2.acceleration.norm", "s2.speed", "energy.total"}},
    {.model = "problems/bicycle/bicycle.ini", .output = {"frame.roll", "tyre_F.lateral", "saddle.acceleration.norm"}},
    {.model = "problems/buggy/buggy.ini",
     .by_scalar = 1,
     .output = {"P1.acceleration.z", "front_left.tyre.load", "rear_right.s.rate"}},
};
enum { N_MODELS = sizeof models / sizeof models[0] };

typedef struct opened {
  test_model base;
  mbd_sim *s;
  mbd_dparams *d[NV];
  double *dtheta; /* [ncoef] of the last direction; the others have none */
  sim_sens v;     /* [.][NV] changes of the node before */
} opened;

/* ---- a simulation with directions, and its adjoint ---- */

static void make_directions(opened *q, int by_scalar) {
  test_directions all = (by_scalar ? directions_of_scalars : directions_of_coefficients)(&q->base);
  q->dtheta = calloc((size_t)mbd_model_ncoef(q->base.m) + 1, sizeof *q->dtheta);
  directions_any(&all, q->dtheta);
  for (int k = 0; k < NV; k++) { q->d[k] = direction_along(&q->base, k == BY_THETA ? q->dtheta : NULL); }
  directions_free(&all);
}

static void make_changes(opened *q) {
  const size_t n = (size_t)q->s->m->nz * NV, m = (size_t)q->s->m->nphi * NV;
  q->v = (sim_sens){.z = calloc(n, sizeof(double)),
                    .zd = calloc(n, sizeof(double)),
                    .zdd = calloc(n, sizeof(double)),
                    .acc = calloc(n, sizeof(double)),
                    .lam = calloc(m + 1, sizeof(double))};
  const double h = q->s->h;
  for (size_t i = 0; i < n; i += NV) {
    q->v.z[i + BY_Z] = any() * h * h, q->v.zd[i + BY_ZD] = any() * h;
    q->v.zdd[i + BY_ZDD] = any(), q->v.acc[i + BY_ACC] = any();
  }
  for (size_t i = 0; i < m; i++) { q->v.lam[i] = any(); } /* the step does not depend on it */
  q->v.reaction = q->v.lam;
}

/* Leaves the simulation at its start, with an adjoint that has been at work. 0: the formulation does not take the model. */
static int open_model(opened *q, int which, const mbd_case *c) {
  mbd_error err = {0};
  mbd_term term[3];
  const mbd_adjoint_options all = {0};
  int nterm = 0;
  *q = (opened){.base = model_open(models[which].model)};
  for (; nterm < 3 && models[which].output[nterm]; nterm++) {
    term[nterm] = (mbd_term){.psi = BY_OBJECTIVE,
                             .output = model_output(&q->base, models[which].output[nterm]),
                             .form = "integral_square",
                             .weight = 1 + 0.3 * nterm,
                             .target = 0.2};
  }
  const mbd_status status = mbd_sim_create(q->base.m, c, q->base.o, nterm, term, NW, NV, &q->s, &err);
  if (status == MBD_UNSUPPORTED) { return 0; }
  must(status, &err);
  make_directions(q, models[which].by_scalar);
  make_changes(q);
  double psi[NW], *gtheta = calloc((size_t)mbd_model_ncoef(q->base.m) * NW + 1, sizeof *gtheta);
  must(mbd_sim_adjoint(q->s, q->base.p, &all, psi, gtheta, NULL, NULL, &err), &err);
  free(gtheta);
  return 1;
}

static void close_model(opened *q) {
  for (int k = 0; k < NV; k++) { mbd_dparams_destroy(q->d[k]); }
  mbd_sim_destroy(q->s), model_close(&q->base);
  free(q->v.z), free(q->v.zd), free(q->v.zdd), free(q->v.acc), free(q->v.lam), free(q->dtheta);
}

/* ---- both sides of the identity ---- */

typedef struct side {
  double value, size; /* sum of products, and of their absolute values */
} side;

static void add(side *q, double x, double y) {
  q->value += x * y;
  q->size += fabs(x * y);
}

static void add_columns(side *q, int n, const double *x, int nx, int i, const double *y, int ny, int k) {
  for (int j = 0; y && j < n; j++) { add(q, x[j * nx + i], y[j * ny + k]); }
}

/* <w, v> of column i of the adjoint's weights and column k of changes of a node */
static side node_product(const mbd_sim *s, int i, const sim_sens *v, int k) {
  const sim_adjoint *a = s->adjoint;
  const int n = s->m->nz, has_acc = s->scheme.has_acc;
  side q = {0, 0};
  add_columns(&q, n, a->z, NW, i, v->z, NV, k);
  add_columns(&q, n, a->zd, NW, i, v->zd, NV, k);
  add_columns(&q, n, a->zdd, NW, i, v->zdd, NV, k);
  add_columns(&q, n, a->acc, NW, i, has_acc ? v->acc : NULL, NV, k);
  add_columns(&q, s->m->nphi, a->lam, NW, i, v->reaction, NV, k);
  return q;
}

/* Multipliers of redundant constraints are no function of the motion, but Phi_z' lam is: weights Phi_z x. */
static void weigh_multipliers(const mbd_sim *s, sim_adjoint *a) {
  const int n = s->m->nz;
  double *Phi_z = calloc((size_t)s->m->nphi * (size_t)n + 1, sizeof *Phi_z);
  motion_phi(s->w, s->eq, NULL, Phi_z);
  for (int j = 0; j < n; j++) {
    const double x = any();
    for (int i = 0; i < s->m->nphi; i++) { a->lam[i * NW + BY_LAM] += Phi_z[i * n + j] * x; }
  }
  free(Phi_z);
}

static void any_weights(const mbd_sim *s) {
  sim_adjoint *a = s->adjoint;
  const size_t n = (size_t)s->m->nz * NW;
  memset(a->z, 0, n * sizeof *a->z), memset(a->zd, 0, n * sizeof *a->z), memset(a->zdd, 0, n * sizeof *a->z);
  memset(a->acc, 0, n * sizeof *a->acc);
  memset(a->lam, 0, (size_t)s->m->nphi * NW * sizeof *a->lam);
  for (size_t i = 0; i < n; i += NW) {
    a->z[i + BY_Z] = any() / (s->h * s->h), a->zd[i + BY_ZD] = any() / s->h, a->zdd[i + BY_ZDD] = any();
    if (s->scheme.has_acc) { a->acc[i + BY_ACC] = any(); }
  }
  weigh_multipliers(s, a);
  for (int i = 0; i < NW; i++) { params_reverse_clear(a->theta[i]); }
}

/* Projections take from v*', a*' what the constraints do not allow, and the change of a node that violates them, such as one by
 * coefficients alone, makes much of it: a*' = 4e6 where 7e3 is left of it (cuts.ini). So what is left has the rounding of v*', a*', and
 * these belong to the terms that the two sides are sums of. */
static void add_projected(const mbd_sim *s, side left[NW][NV]) {
  const ali3p_sens *q = &ali3p_of(s)->sens;
  const sim_adjoint *a = s->adjoint;
  for (int j = 0; j < s->m->nz; j++) {
    for (int k = 0; k < NV; k++) {
      left[BY_ZD][k].size += fabs(a->zd[j * NW + BY_ZD] * q->vs[j * NV + k]);
      left[BY_ZDD][k].size += fabs(a->zdd[j * NW + BY_ZDD] * q->as[j * NV + k]);
      if (s->scheme.has_acc) {
        left[BY_ACC][k].size += fabs(s->scheme.acc_zdd * a->acc[j * NW + BY_ACC] * q->as[j * NV + k]);
      }
    }
  }
}

static void left_sides(mbd_sim *s, side left[NW][NV]) {
  for (int i = 0; i < NW; i++) {
    for (int k = 0; k < NV; k++) {
      left[i][k] = node_product(s, i, &s->sens, k);
      if (i == BY_OBJECTIVE) { add(&left[i][k], s->objectives->grad[BY_OBJECTIVE * NV + k], 1); }
    }
  }
}

/* Largest difference of the two sides, relative to the products of the same weights with any change of the node before, or
 * with the coefficients. before: the changes of that node; NULL: it is the start. */
static double compare(const opened *q, const char *name, side left[NW][NV], const sim_sens *before) {
  static const char *const kind[] = {"z", "zd", "zdd", "acc", "lam", "objective"};
  const mbd_sim *s = q->s;
  double worst = 0;
  for (int i = 0; i < NW; i++) {
    /* Multipliers are forces of 10 N and more, but those of Euler parameters are always zero: what is left of theirs is rounding,
     * multiplied by the penalty of the projections: 3e-10 N seen. */
    double size = i == BY_LAM ? 10 : 0;
    params_reverse_finish(s->adjoint->theta[i], s->p);
    for (int k = 0; k < NV; k++) { size = fmax(size, k == BY_THETA ? 0 : left[i][k].size); }
    for (int k = 0; k < NV; k++) {
      char text[300];
      side right = before ? node_product(s, i, before, k) : (side){0, 0};
      for (int j = 0; k == BY_THETA && j < s->m->ncoef; j++) {
        add(&right, s->adjoint->theta[i]->theta[j], q->dtheta[j]);
      }
      const double max = fmax(size, fmax(left[i][k].size, right.size));
      snprintf(text, sizeof text, "%s: %s by %s", name, kind[i], k == BY_THETA ? "coefficients" : kind[k]);
      CHECK_NEAR(text, right.value, left[i][k].value, max, 5e-11);
      if (max > 0) { worst = fmax(worst, fabs(right.value - left[i][k].value) / max); }
    }
  }
  return worst;
}

/* ---- the maps ---- */

static void differentiate(opened *q) {
  q->s->np = NV;
  q->s->d = q->d;
  quadrature_reset(q->s);
}

static void start_both_ways(opened *q, side left[NW][NV]) {
  mbd_error err = {0};
  mbd_sim *s = q->s;
  const size_t block = (size_t)s->m->nz * NV * sizeof(double);
  differentiate(q);
  must(start_state(s, &err), &err);
  must(start_sens(s, &err), &err);
  if (s->scheme.has_acc) { memcpy(s->sens.acc, s->sens.zdd, block); }
  must(quadrature_add(s, sim_weight(s, 0), 0, 1, 0, &err), &err);
  any_weights(s);
  left_sides(s, left);
  must(adjoint_start(s, s->adjoint, &err), &err);
}

static void step_both_ways(opened *q, side left[NW][NV]) {
  mbd_error err = {0};
  mbd_sim *s = q->s;
  const size_t n = (size_t)s->m->nz * NV * sizeof(double), m = (size_t)s->m->nphi * NV * sizeof(double);
  for (int k = 1; k <= BEFORE; k++) { must(sim_advance(s, k, &err), &err); }
  differentiate(q);
  memcpy(s->sens.z, q->v.z, n), memcpy(s->sens.zd, q->v.zd, n), memcpy(s->sens.zdd, q->v.zdd, n);
  memcpy(s->sens.lam, q->v.lam, m);
  if (s->scheme.has_acc) { memcpy(s->sens.acc, q->v.acc, n); }
  must(sim_advance(s, BEFORE + 1, &err), &err);
  must(quadrature_add(s, s->h, 0, 1, 0, &err), &err);
  any_weights(s);
  left_sides(s, left);
  if (s->ops->step == ali3p_step) { add_projected(s, left); }
  quadrature_weights(s, -1, s->h, 0);
  must(s->ops->adjoint_step(s, s->adjoint, &err), &err);
}

/* How far the two sides are apart: of a step, or of the start. */
static double apart(int which, const mbd_case *c, int step) {
  opened q;
  side left[NW][NV];
  double worst = 0;
  if (open_model(&q, which, c)) {
    (step ? step_both_ways : start_both_ways)(&q, left);
    worst = compare(&q, models[which].model, left, step ? &q.v : NULL);
  }
  close_model(&q);
  return worst;
}

/* Unless all is asked for, every scheme at one of the reference points. */
static void test_step(void) {
  mbd_case c = case_lasting(0.05, 0.005);
  for (int f = 0; mbd_formulation_at(f); f++) {
    double worst = 0;
    if (!mbd_formulation_at(f)->adjoint_step) { continue; }
    c.formulation = mbd_formulation_at(f)->name;
    for (int k = 0; mbd_integrator_at(k); k++) {
      const mbd_tableau *t = mbd_integrator_at(k)->tableau;
      if (t && t->error) { continue; } /* between nodes such steps hand on more than a state */
      c.integrator = mbd_integrator_at(k)->name;
      for (c.reference = MBD_RTDYN0; c.reference <= MBD_RTDYN_JOINT; c.reference++) {
        if (!test_long() && ((int)c.reference + k) % 3) { continue; }
        for (int i = 0; i < N_MODELS; i++) { worst = fmax(worst, apart(i, &c, 1)); }
      }
    }
    printf("(%s %.2g) ", c.formulation, worst);
  }
}

/* Projections to the end and iterated: every iteration is a map of its own. Largest difference seen: 2e-11, of cuts.ini. */
static void test_projections(void) {
  static const int iterations[] = {0, 1, 3};
  double worst = 0;
  for (int k = 0; mbd_projection_at(k); k++) {
    if (!mbd_projection_at(k)->depends) { continue; }
    for (size_t j = 0; j < sizeof iterations / sizeof iterations[0]; j++) {
      for (int i = 0; i < N_MODELS; i++) {
        mbd_case c = case_lasting(0.05, 0.005);
        c.projection_matrix = mbd_projection_at(k)->name;
        c.projection_iterations = iterations[j];
        c.penalty = iterations[j] ? 1e9 : 0, c.projection_weight = 1e-8;
        worst = fmax(worst, apart(i, &c, 1));
      }
    }
  }
  printf("(%.2g) ", worst);
}

static void test_start(void) {
  mbd_case c = case_lasting(0.05, 0.005);
  double worst = 0;
  for (int k = 0; mbd_integrator_at(k); k++) {
    if (!mbd_integrator_at(k)->scheme) { continue; }
    c.integrator = mbd_integrator_at(k)->name;
    for (int i = 0; i < N_MODELS; i++) { worst = fmax(worst, apart(i, &c, 0)); }
  }
  printf("(%.2g) ", worst);
}

/* The models that settle. */
static void test_equilibrium(void) {
  mbd_case c = case_lasting(0.05, 0.005);
  double worst = 0;
  int settled = 0;
  c.start = MBD_START_EQUILIBRIUM;
  for (int i = 0; i < N_MODELS; i++) {
    if (!strstr(models[i].model, "buggy") && !strstr(models[i].model, "bicycle")) { continue; }
    worst = fmax(worst, apart(i, &c, 0));
    settled++;
  }
  CU_ASSERT_EQUAL(settled, 2);
  printf("(%.2g) ", worst);
}

TEST_MAIN(TEST(test_step), TEST(test_projections), TEST(test_start), TEST(test_equilibrium))
