/* Reverse sweeps in natural coordinates (natural/reverse.h) against directions (natural/direct.h), for every model at a state off its
 * constraints: y . (A x) = (A' y) . x for every coefficient, for a direction in all of them with the time, and in the state. */
#include "natural/reverse.h"
#include "natural_bench.h"

static const char *const models[] = {
    "tests/conformance/models/states.ini",    "tests/conformance/models/acting.ini",
    "tests/conformance/models/axles.ini",     "tests/conformance/models/branches.ini",
    "tests/conformance/models/cuts.ini",      "tests/conformance/models/constraints.ini",
    "tests/conformance/models/couplings.ini", "tests/conformance/models/door.ini",
    "tests/conformance/models/drives.ini",    "tests/conformance/models/hinges.ini",
    "tests/conformance/models/image.ini",     "tests/conformance/models/own.ini",
    "tests/conformance/models/rows.ini",      "tests/conformance/models/tree.ini",
    "tests/conformance/models/uncut.ini",     "tests/conformance/models/wheels.ini",
    "problems/five_bar/five_bar_driven.ini",  "problems/buggy/buggy.ini"};
enum { N_MODELS = sizeof models / sizeof models[0] };

static const double t = 0.137;

/* What L is made of, by weights: the numbers of the natural model, parts of its equations, what is taken of joint coordinates. */
typedef enum scalar_kind {
  NUMBERS,
  WEIGHTS,
  FORCES,
  MASSES,
  REACTIONS,
  PHI,
  PHID,
  PHIDD,
  TAKEN,
  BASES,
  N_SCALARS
} scalar_kind;
static const char *const scalar_name[] = {"numbers", "weights", "forces", "masses", "reactions",
                                          "Phi",     "Phid",    "Phidd",  "state",  "bases"};

typedef struct bench {
  natural_bench of;
  natural_params *by;
  params_reverse *theta;
  mbd_reverse sweep;
  double *z[3], *dz[3], *by_z[3]; /* joint coordinates and rates, a change, derivatives */
  double *q[3], *dq[3], *by_q[3]; /* natural ones */
  double *lam, *mu, *weight[3];   /* [nphi], [nq], [most entries of any quantity] */
  double *change[3];              /* [most] of it */
  int max;
  mbd_arena arena;
} bench;

static void fill(int n, double a, double b, double *x) {
  for (int i = 0; i < n; i++) { x[i] = sin(a + b * i + 0.01 * i * i); }
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) { sum += a[i] * b[i]; }
  return sum;
}

static void place(bench *b) {
  const size_t nz = (size_t)b->of.m->nz, nq = (size_t)b->of.n->nq + 1, max = (size_t)b->max;
  while (mbd_arena_pass(&b->arena)) {
    reverse_layout(&b->sweep, b->of.m, &b->arena);
    for (int k = 0; k < 3; k++) {
      MBD_ARENA_REALS(&b->arena, nz, &b->z[k], &b->dz[k], &b->by_z[k]);
      MBD_ARENA_REALS(&b->arena, nq, &b->q[k], &b->dq[k], &b->by_q[k]);
      MBD_ARENA_REALS(&b->arena, max, &b->weight[k], &b->change[k]);
    }
    b->mu = mbd_arena_real(&b->arena, nq);
    b->lam = mbd_arena_real(&b->arena, (size_t)b->of.n->nphi + 1);
  }
}

static void open_bench(bench *b, const char *model) {
  mbd_error err = {0};
  *b = (bench){.of = natural_bench_open(model)};
  must(natural_params_alloc(b->of.n, &b->by, &err), &err);
  must(params_reverse_create(b->of.m, &b->theta, &err), &err);
  b->theta->stretch_requested = 1;
  params_reverse_request(b->theta, NULL);
  b->max = b->of.n->nq + b->of.n->nphi + natural_bases_rows(b->of.n) + (int)(b->by->arena.used / sizeof(mbd_real)) + 1;
  place(b);
  for (int k = 0; k < 3; k++) {
    fill(b->of.m->nz, 1.3 + k, 1.7, b->z[k]), fill(b->of.m->nz, 0.2 + k, 0.6, b->dz[k]);
    fill(b->of.n->nq, 0.9 + k, 2.3, b->q[k]), fill(b->of.n->nq, 0.3 + k, 1.9, b->dq[k]);
    fill(b->max, 0.7 + k, 1.1, b->weight[k]);
  }
  fill(b->of.n->nphi, 0.7, 1.1, b->lam), fill(b->of.n->nq, 0.4, 2.9, b->mu);
  natural_bench_turn(&b->of, b->z[0]);
  motion_place(b->of.w, b->of.base.p, t, b->z[0]);
  motion_move(b->of.w, b->z[1], b->z[2], 1);
  natural_take(b->of.v, b->of.w, b->q[0], NULL, NULL);
}

static void close_bench(bench *b) {
  params_reverse_destroy(b->theta), natural_params_destroy(b->by);
  free(b->arena.base);
  natural_bench_close(&b->of);
}

/* ---- the direction and the sweep ---- */

/* The numbers of a design, or their weights or changes, one after another; offsets, which others are made of, are none of their own.
 * Their number. */
static int numbers(const natural *n, natural_params *v, int set, double *x) {
  double *const first[] = {v->dual[0], v->fixed[0], v->weight[0], v->origin[0], v->mass[0], v->moment[0], v->constants};
  const int count[] = {9 * n->nrigid,  3 * n->nbasic, 4 * n->nplace, 4 * n->nrigid,
                       16 * n->nrigid, 4 * n->nrigid, n->nelement};
  int at = 0;
  for (int i = 0; i < 7; i++) {
    if (set) {
      memcpy(first[i], x + at, (size_t)count[i] * sizeof *x);
    } else {
      memcpy(x + at, first[i], (size_t)count[i] * sizeof *x);
    }
    at += count[i];
  }
  return at;
}

/* dL along `to`, whose changes of the coefficients are in b->of.d and b->of.dv, and dz. */
static double forward(bench *b, scalar_kind kind, const natural_along *to, double *const dz[3]) {
  const natural *n = b->of.n;
  double *const c = b->change[0], sum = 0;
  memset(c, 0, (size_t)b->max * sizeof *c);
  switch (kind) {
    case NUMBERS: return to->d ? dot(numbers(n, b->of.dv, 0, c), c, b->weight[0]) : 0;
    case WEIGHTS: natural_weight_direction(b->of.v, to, c); return dot(n->nq, b->mu, c);
    case FORCES: natural_forces_direction(b->of.v, t, b->q[0], b->q[1], to, c); return dot(n->nq, b->mu, c);
    case MASSES: natural_mass_direction(b->of.v, to, b->q[2], c); return dot(n->nq, b->mu, c);
    case REACTIONS: natural_reactions_direction(b->of.v, t, b->q[0], b->lam, to, c); return dot(n->nq, b->mu, c);
    case PHI:
    case PHID:
    case PHIDD:
      natural_rows_direction(b->of.v, t, b->q[0], b->q[1], b->q[2], to, kind == PHI ? c : NULL, kind == PHID ? c : NULL,
                             kind == PHIDD ? c : NULL);
      return dot(n->nphi, b->lam, c);
    case TAKEN:
    case BASES:
      motion_along(b->of.w, to->d, dz[0], dz[1], dz[2]);
      if (kind == TAKEN) {
        natural_take_direction(b->of.v, to->d, b->of.dv, b->of.w, b->change[0], b->change[1], b->change[2]);
      } else {
        natural_bases_direction(b->of.v, to->d, b->of.dv, b->of.w, b->change[0], b->change[1], b->change[2]);
      }
      for (int k = 0; k < 3; k++) {
        sum += dot(kind == TAKEN ? n->nq : natural_bases_rows(n), b->weight[k], b->change[k]);
      }
      return sum;
    case N_SCALARS: break;
  }
  return 0;
}

/* Derivatives of L: by_q, by_z, and with the coefficients theta. */
static void backward(bench *b, scalar_kind kind, int with_theta) {
  const natural_reverse to = {.theta = with_theta ? b->theta : NULL,
                              .by = with_theta ? b->by : NULL,
                              .q = b->by_q[0],
                              .qd = b->by_q[1],
                              .qdd = b->by_q[2]};
  for (int k = 0; k < 3; k++) {
    memset(b->by_q[k], 0, (size_t)b->of.n->nq * sizeof *b->by_q[k]);
    memset(b->by_z[k], 0, (size_t)b->of.m->nz * sizeof *b->by_z[k]);
  }
  params_reverse_clear(b->theta), natural_params_clear(b->by);
  switch (kind) {
    case NUMBERS: numbers(b->of.n, b->by, 1, b->weight[0]); break;
    case WEIGHTS: natural_weight_reverse(b->of.v, b->mu, &to); break;
    case FORCES: natural_forces_reverse(b->of.v, t, b->q[0], b->q[1], b->mu, &to); break;
    case MASSES: natural_mass_reverse(b->of.v, b->mu, b->q[2], &to); break;
    case REACTIONS: natural_reactions_reverse(b->of.v, t, b->q[0], b->lam, b->mu, &to); break;
    case PHI: natural_rows_reverse(b->of.v, t, b->q[0], NULL, NULL, b->lam, NULL, NULL, &to); break;
    case PHID: natural_rows_reverse(b->of.v, t, b->q[0], b->q[1], NULL, NULL, b->lam, NULL, &to); break;
    case PHIDD: natural_rows_reverse(b->of.v, t, b->q[0], b->q[1], b->q[2], NULL, NULL, b->lam, &to); break;
    case TAKEN:
    case BASES:
      reverse_begin(&b->sweep, b->of.w, to.theta);
      (kind == TAKEN ? natural_take_reverse : natural_bases_reverse)(b->of.v, b->weight[0], b->weight[1], b->weight[2],
                                                                     &b->sweep, to.by);
      reverse_coordinates(&b->sweep, b->by_z[0], b->by_z[1], b->by_z[2]);
      reverse_joints(&b->sweep);
      break;
    case N_SCALARS: break;
  }
  if (!with_theta) { return; }
  natural_params_reverse(b->of.v, b->by, b->theta);
  params_reverse_finish(b->theta, b->of.base.p);
}

/* ---- tests ---- */

static void name_of(char name[300], const char *model, scalar_kind kind, const char *by) {
  snprintf(name, 300, "%s: %s by %s", model, scalar_name[kind], by);
}

static double *const held[3] = {NULL, NULL, NULL};

static double relative(double difference, double scale) {
  return scale > 0 ? fabs(difference) / scale : 0;
}

/* Every coefficient, and all with the time; the largest relative difference. */
static double check_coefficients(bench *b, const char *model, scalar_kind kind) {
  const int nc = b->of.m->ncoef;
  const double one = 1;
  double *exact = calloc(2 * (size_t)nc + 1, sizeof *exact), *value = exact + nc;
  int *index = calloc((size_t)nc + 1, sizeof *index);
  double scale = 0, worst = 0;
  char name[300];
  backward(b, kind, 1);
  for (int k = 0; k < nc; k++) {
    const natural_along to = {.d = b->of.d, .dv = b->of.dv};
    mbd_dparams_set(b->of.d, b->of.base.p, 1, &k, &one);
    natural_params_direct(b->of.v, b->of.d, b->of.dv);
    exact[k] = forward(b, kind, &to, held);
    scale = fmax(scale, fabs(exact[k]));
    index[k] = k, value[k] = cos(0.3 + 1.3 * k);
  }
  for (int k = 0; k < nc; k++) {
    name_of(name, model, kind, b->of.m->coef_name[k]);
    CHECK_NEAR(name, b->theta->theta[k], exact[k], scale, 1e-13);
    worst = fmax(worst, relative(b->theta->theta[k] - exact[k], scale));
  }
  const natural_along to = {.d = b->of.d, .dv = b->of.dv, .dt = t};
  mbd_dparams_set(b->of.d, b->of.base.p, nc, index, value);
  natural_params_direct(b->of.v, b->of.d, b->of.dv);
  const double got = dot(nc, b->theta->theta, value) + b->theta->stretch, expected = forward(b, kind, &to, held);
  name_of(name, model, kind, "all coefficients and the time");
  CHECK_NEAR(name, got, expected, scale * nc + fabs(expected), 1e-13);
  free(exact), free(index);
  return worst;
}

/* Every variable of the state by itself; and the same without the coefficients, to the bit. */
static double check_state(bench *b, const char *model, scalar_kind kind) {
  const int joint = kind == TAKEN || kind == BASES, n = joint ? b->of.m->nz : b->of.n->nq;
  double *exact = calloc(6 * (size_t)n + 1, sizeof *exact), *got = exact + 3 * n, scale = 0, worst = 0;
  char name[300], by[20];
  backward(b, kind, 1);
  for (int k = 0; k < 3 * n; k++) {
    double *const change = joint ? b->dz[k / n] : b->dq[k / n];
    natural_along to = {
        .dq = k < n ? change : NULL, .dqd = k / n == 1 ? change : NULL, .dqdd = k / n == 2 ? change : NULL};
    double *const dz[3] = {k < n ? change : NULL, k / n == 1 ? change : NULL, k / n == 2 ? change : NULL};
    memset(change, 0, (size_t)n * sizeof *change);
    change[k % n] = 1;
    if (joint) { to = (natural_along){.d = NULL}; }
    exact[k] = forward(b, kind, &to, joint ? dz : held);
    got[k] = (joint ? b->by_z : b->by_q)[k / n][k % n];
    scale = fmax(scale, fabs(exact[k]));
  }
  backward(b, kind, 0);
  for (int k = 0; k < 3 * n; k++) {
    snprintf(by, sizeof by, "%s[%d]", k < n ? "q" : k < 2 * n ? "qd" : "qdd", k % n);
    name_of(name, model, kind, by);
    CHECK_NEAR(name, got[k], exact[k], scale, 1e-13);
    CHECK_CLOSE(name, (joint ? b->by_z : b->by_q)[k / n][k % n], got[k], 0);
    worst = fmax(worst, relative(got[k] - exact[k], scale));
  }
  free(exact);
  return worst;
}

/* Does any model have derivatives of this kind that are not zero? */
static int some(int n, const double *x) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) { return 1; }
  }
  return 0;
}

static void test_transposes(void) {
  double by_coefficients = 0, by_state = 0;
  int seen[N_SCALARS][2] = {{0}};
  for (int i = 0; i < N_MODELS; i++) {
    bench b;
    open_bench(&b, models[i]);
    for (int k = 0; k < N_SCALARS; k++) {
      by_coefficients = fmax(by_coefficients, check_coefficients(&b, models[i], (scalar_kind)k));
      seen[k][0] |= some(b.of.m->ncoef, b.theta->theta);
      by_state = fmax(by_state, check_state(&b, models[i], (scalar_kind)k));
      seen[k][1] |= some(b.of.n->nq, b.by_q[0]) || some(b.of.m->nz, b.by_z[0]);
    }
    close_bench(&b);
  }
  for (int k = 0; k < N_SCALARS; k++) {
    CU_ASSERT(seen[k][0]);
    CU_ASSERT_EQUAL(seen[k][1], k != NUMBERS && k != WEIGHTS && k != MASSES); /* the rest is constant */
  }
  printf("(largest differences %.2g by coefficients, %.2g by states) ", by_coefficients, by_state);
}

/* y . (G q) = (G' y) . q of the bases of all bodies in q, with the changes of what is constant. */
static void test_bases(void) {
  for (int i = 0; i < N_MODELS; i++) {
    bench b;
    open_bench(&b, models[i]);
    const int rows = natural_bases_rows(b.of.n);
    char name[300];
    for (int constants = 0; constants < 2; constants++) {
      memset(b.by_q[0], 0, (size_t)b.of.n->nq * sizeof *b.by_q[0]);
      natural_params_clear(b.by);
      fill(3 * b.of.n->nbasic, 0.1, 0.8, b.of.dv->fixed[0]);
      natural_bases_gather(b.of.n, constants ? b.of.dv : NULL, b.dq[0], b.change[0]);
      natural_bases_scatter(b.of.n, b.weight[0], constants ? b.by : NULL, b.by_q[0]);
      const double expected = dot(rows, b.weight[0], b.change[0]);
      const double got =
          dot(b.of.n->nq, b.by_q[0], b.dq[0]) + dot(3 * b.of.n->nbasic, b.by->fixed[0], b.of.dv->fixed[0]);
      snprintf(name, sizeof name, "%s: bases %s constants", models[i], constants ? "with" : "without");
      CHECK_NEAR(name, got, expected, rows, 1e-14);
      CU_ASSERT(fabs(expected) > 1e-3);
    }
    close_bench(&b);
  }
}

TEST_MAIN(TEST(test_transposes), TEST(test_bases))
