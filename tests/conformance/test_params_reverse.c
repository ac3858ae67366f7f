/* Derivatives in the coefficients the other way round (model/params_reverse.h) against directions, for every model: each
 * element, output scalar, held quantity, joint frame and marker, in every single coefficient and along directions in
 * all:  w . (J d) = (J' w) . d. */
#include "kinematics/lift.h"
#include "dynamics/motion.h"
#include "model.h"
#include "model/params_reverse.h"

static const char *const models[] = {
    "tests/conformance/models/tree.ini",      "tests/conformance/models/cuts.ini",
    "tests/conformance/models/uncut.ini",     "tests/conformance/models/constraints.ini",
    "tests/conformance/models/wheels.ini",    "tests/conformance/models/hinges.ini",
    "tests/conformance/models/rows.ini",      "tests/conformance/models/drives.ini",
    "tests/conformance/models/couplings.ini", "tests/conformance/models/own.ini",
    "tests/conformance/models/states.ini",    "tests/conformance/models/acting.ini",
    "tests/conformance/models/image.ini",     "tests/conformance/models/beams.ini",
    "problems/five_bar/five_bar.ini",         "problems/buggy/buggy.ini"};
enum { N_MODELS = sizeof models / sizeof models[0], N_STATES = 3, MAX_WEIGHTS = 96 };

_Static_assert(3 * ELEMENT_ARG_MAX <= MAX_WEIGHTS, "a weight for every component of a force");

static const double t = 0.137;

/* Repeatable numbers between -1 and 1. */
static double scatter(int i) {
  return sin(1.7 * i + 0.3 * i * i);
}

/* ---- a model in a state off its constraints ---- */

typedef struct bench {
  test_model base;
  const mbd_model *m; /* those of base */
  mbd_params *p;
  mbd_dparams *d;
  mbd_work *w;
  params_reverse *u;
} bench;

static void move(bench *b, int state) {
  const int n = b->m->nz;
  double *z = calloc(3 * (size_t)n, sizeof *z), *zd = z + n, *zdd = zd + n;
  for (int j = 0; j < n; j++) {
    z[j] = 0.1 * (state + 1) * sin(1.3 + 1.7 * j + state), zd[j] = cos(0.4 + 2.1 * j), zdd[j] = 2 * sin(2.2 + 0.9 * j);
  }
  for (int i = 1; i < b->m->nb; i++) { /* Euler parameters away from zero */
    int e = b->m->joint[b->m->body[i].joint].ops->euler;
    if (e >= 0) { z[b->m->body[i].z0 + e] += 0.9; }
  }
  motion_place(b->w, b->p, 0, z);
  motion_move(b->w, zd, zdd, 1);
  free(z);
}

static void open_bench(bench *b, const char *model) {
  mbd_error err = {0};
  b->base = model_open(model);
  b->m = b->base.m, b->p = b->base.p;
  must(mbd_dparams_create(b->m, &b->d, &err), &err);
  must(mbd_work_create(b->m, MBD_RTDYN1, &b->w, &err), &err);
  must(params_reverse_create(b->m, &b->u, &err), &err);
}

static void close_bench(bench *b) {
  params_reverse_destroy(b->u);
  mbd_work_destroy(b->w);
  mbd_dparams_destroy(b->d);
  model_close(&b->base);
}

/* ---- weighted quantities ---- */

typedef enum quantity_kind { FORCE, POTENTIAL, ROTOR, SCALAR, CONSTRAINT, REACTION, FRAMES, MARKER } quantity_kind;

typedef struct quantity {
  quantity_kind kind;
  const char *name;
  int index, scalar;
  const mbd_constraint *c;
  mbd_arg_state s;
  mbd_element_input in;
  double w[MAX_WEIGHTS];
} quantity;

typedef struct quantities {
  int n;
  quantity *q;
} quantities;

static quantity *add(quantities *all, quantity_kind kind, const char *name, int index) {
  all->q = realloc(all->q, ((size_t)all->n + 1) * sizeof *all->q);
  quantity *q = &all->q[all->n++];
  *q = (quantity){.kind = kind, .name = name, .index = index};
  for (int i = 0; i < MAX_WEIGHTS; i++) { q->w[i] = scatter(all->n + i); }
  return q;
}

static void list_quantities(const bench *b, quantities *all) {
  const mbd_model *m = b->m;
  for (int i = 0; i < m->nforce; i++) {
    add(all, FORCE, m->force[i].name, i);
    if (m->force[i].ops->potential) { add(all, POTENTIAL, m->force[i].name, i); }
    if (m->force[i].ops->inertia) { add(all, ROTOR, m->force[i].name, i); }
    for (int k = 0; k < m->force[i].ops->nscalar; k++) { add(all, SCALAR, m->force[i].name, i)->scalar = k; }
  }
  for (int i = 0; i < m->nconstraint + m->nhold; i++) {
    const mbd_constraint *c = i < m->nconstraint ? &m->constraint[i] : &m->hold[i - m->nconstraint];
    if (c->ops->phi_c) { add(all, CONSTRAINT, c->name, i)->c = c; }
    if (c->ops->phi_xc) { add(all, REACTION, c->name, i)->c = c; }
  }
  for (int i = 0; i < m->njoint; i++) { add(all, FRAMES, m->joint[i].name, i); }
  for (int i = 0; i < m->nmarker; i++) { add(all, MARKER, "marker", i); }
  for (int i = 0; i < all->n; i++) {
    quantity *q = &all->q[i];
    if (q->kind <= SCALAR) {
      lift_values(b->w, &m->force[q->index].lift, 1, &q->s);
      params_force_input(b->p, &m->force[q->index], t, NULL, &q->s, &q->in);
    } else if (q->c) {
      lift_values(b->w, &q->c->lift, 1, &q->s);
      params_constraint_input(b->p, q->c, t, &q->s, &q->in);
    }
  }
}

static double dot(int n, const double *a, const double *b) {
  double sum = 0;
  for (int i = 0; i < n; i++) { sum += a[i] * b[i]; }
  return sum;
}

/* sum_r s_r dJ_ra . x_a */
static double slopes(const quantity *q, const mbd_element_direction *d, const double *s, const double (*x)[3]) {
  double dJ[MBD_ROW_MAX][CONSTRAINT_ARG_MAX][3] = {{{0}}}, sum = 0;
  if (!q->c->ops->phi_xc) { return 0; }
  q->c->ops->phi_xc(&q->in, d, dJ);
  for (int r = 0; r < q->c->ops->nphi; r++) { sum += s[r] * dot(3 * q->c->ops->narg, dJ[r][0], x[0]); }
  return sum;
}

/* Of a reaction: weights of the rows, then virtual velocities. */
static const double *rows_of(const quantity *q) {
  return q->w + 3 * ELEMENT_ARG_MAX;
}

/* w . (change of the quantity along the direction set in b->d) */
static double forward(const bench *b, const quantity *q) {
  const mbd_force *f = &b->m->force[q->index];
  const joint_dparams *j = &b->d->joint[q->index];
  const mbd_element_direction of_force = params_direction(b->d, q->kind <= SCALAR ? f->coef : 0, 0, 0);
  const mbd_element_direction of_constraint =
      params_direction(b->d, q->c ? q->c->coef : 0, q->c ? q->c->prepared : 0, 0);
  double out[ELEMENT_ARG_MAX][3] = {{0}}, dphi[3][MBD_ROW_MAX] = {{0}}, sum = 0, w[ELEMENT_ARG_MAX][3];
  memcpy(w, q->w, sizeof w);
  switch (q->kind) {
    case FORCE: f->ops->f_c(&q->in, &of_force, out); return dot(3 * f->lift.narg, q->w, out[0]);
    case POTENTIAL: return q->w[0] * f->ops->potential_c(&q->in, &of_force);
    case ROTOR: return q->w[0] * f->ops->inertia_c(&q->in, &of_force);
    case SCALAR: return q->w[0] * f->ops->scalar_c(&q->in, q->scalar, &of_force);
    case CONSTRAINT:
      q->c->ops->phi_c(&q->in, &of_constraint, dphi[0], dphi[1], dphi[2]);
      for (int i = 0; i < 3; i++) { sum += dot(q->c->ops->nphi, q->w + MBD_ROW_MAX * i, dphi[i]); }
      if (q->c->ops->phi_xxc) {
        double dq[MBD_ROW_MAX] = {0};
        q->c->ops->phi_xxc(&q->in, &of_constraint, dq);
        sum += dot(q->c->ops->nphi, q->w + 2 * MBD_ROW_MAX, dq);
      }
      return sum + slopes(q, &of_constraint, q->w + MBD_ROW_MAX, CONST3(q->s.xd)) +
             slopes(q, &of_constraint, q->w + 2 * MBD_ROW_MAX, CONST3(q->s.xdd));
    case REACTION: return slopes(q, &of_constraint, rows_of(q), CONST3(w));
    case FRAMES:
      return dot(6, q->w, j->ds[0]) + dot(6, q->w + 6, j->phi[0]) + dot(3, q->w + 12, j->phi_mid) + q->w[15] * j->scale;
    case MARKER: return dot(3, q->w, b->d->dlocal + 3 * q->index);
  }
  return 0;
}

/* Its derivatives in all coefficients, into b->u->theta. */
static void backward(const bench *b, const quantity *q) {
  const mbd_force *f = &b->m->force[q->index];
  double w[ELEMENT_ARG_MAX][3];
  memcpy(w, q->w, sizeof w);
  params_reverse_clear(b->u);
  switch (q->kind) {
    case FORCE: params_reverse_force(b->u, b->p, f, &q->in, (const double(*)[3])w); break;
    case POTENTIAL: params_reverse_potential(b->u, b->p, f, &q->in, q->w[0]); break;
    case ROTOR: params_reverse_rotor(b->u, b->p, f, &q->in, q->w[0]); break;
    case SCALAR: params_reverse_force_scalar(b->u, b->p, f, q->scalar, &q->in, q->w[0]); break;
    case CONSTRAINT:
      params_reverse_constraint(b->u, b->p, q->c, &q->in, q->w, q->w + MBD_ROW_MAX, q->w + 2 * MBD_ROW_MAX);
      break;
    case REACTION: params_reverse_reaction(b->u, b->p, q->c, &q->in, rows_of(q), CONST3(w)); break;
    case FRAMES: memcpy(&b->u->joint[q->index], q->w, sizeof *b->u->joint); break;
    case MARKER: memcpy(b->u->dlocal + 3 * q->index, q->w, 3 * sizeof *q->w); break;
  }
  params_reverse_finish(b->u, b->p);
}

/* ---- tests ---- */

typedef struct gradients {
  int n, ncoef;
  double *g; /* [n][ncoef] */
} gradients;

static gradients reverse_all(const bench *b, const quantities *all) {
  gradients out = {.n = all->n, .ncoef = b->m->ncoef};
  out.g = calloc((size_t)all->n * (size_t)b->m->ncoef + 1, sizeof *out.g);
  for (int i = 0; i < all->n; i++) {
    backward(b, &all->q[i]);
    memcpy(out.g + i * out.ncoef, b->u->theta, (size_t)out.ncoef * sizeof *out.g);
  }
  return out;
}

static double largest(int n, const double *a) {
  double max = 0;
  for (int i = 0; i < n; i++) { max = fmax(max, fabs(a[i])); }
  return max;
}

/* Along the direction in b->d, whose entries are value. */
static void compare(const char *model, const bench *b, const quantities *all, const gradients *g, const char *along,
                    int n, const int *index, const double *value) {
  for (int i = 0; i < all->n; i++) {
    const double *row = g->g + i * g->ncoef;
    double got = 0, scale = 1e-3 * largest(g->ncoef, row), expected = forward(b, &all->q[i]);
    char name[300];
    for (int k = 0; k < n; k++) { got += row[index[k]] * value[k], scale += fabs(row[index[k]] * value[k]); }
    snprintf(name, sizeof name, "%s: %s (kind %d, scalar %d) along %s", model, all->q[i].name, (int)all->q[i].kind,
             all->q[i].scalar, along);
    CHECK_NEAR(name, got, expected, scale + fabs(expected), 1e-12); /* rounding of a zero: 1.3e-13 */
  }
}

static void test_transposes(void) {
  int entries = 0, of = 0;
  unsigned char seen[32] = {0};
  for (int q = 0; q < N_MODELS; q++) {
    bench b = {0};
    open_bench(&b, models[q]);
    const int nc = b.m->ncoef;
    int *index = calloc((size_t)nc, sizeof *index);
    double *value = calloc((size_t)nc, sizeof *value);
    for (int k = 0; k < nc; k++) { index[k] = k; }
    for (int state = 0; state < N_STATES; state++) {
      quantities all = {0};
      move(&b, state);
      list_quantities(&b, &all);
      gradients g = reverse_all(&b, &all);
      const double one = 1;
      for (int k = 0; k < nc; k++) {
        mbd_dparams_set(b.d, b.p, 1, &k, &one);
        compare(models[q], &b, &all, &g, b.m->coef_name[k], 1, &k, &one);
      }
      for (int r = 0; r < 5; r++) {
        for (int k = 0; k < nc; k++) { value[k] = scatter(k + 31 * r); }
        mbd_dparams_set(b.d, b.p, nc, index, value);
        compare(models[q], &b, &all, &g, "all", nc, index, value);
      }
      for (int i = 0; i < all.n; i++) {
        int moved = largest(nc, g.g + i * nc) > 0;
        entries += moved, of++;
        for (int k = 0; (all.q[i].kind == FORCE || all.q[i].kind == ROTOR) && mbd_force_at(k); k++) {
          seen[k] |= moved && b.m->force[all.q[i].index].ops->info.name == mbd_force_at(k)->info.name;
        }
      }
      free(all.q), free(g.g);
    }
    free(index), free(value);
    close_bench(&b);
  }
  printf("(%d of %d quantities depend on coefficients) ", entries, of);
  for (int k = 0; mbd_force_at(k); k++) {
    if (!seen[k]) {
      printf(
          "\n  no coefficient of a force '%s' changes it in the states of the test: add one that acts there to a model "
          "in "
          "tests/conformance/models\n",
          mbd_force_at(k)->info.name);
    }
    CU_ASSERT(seen[k]);
  }
}

/* What is wanted is the same without the rest. */
static void test_wanted(void) {
  for (int q = 0; q < N_MODELS; q++) {
    bench b = {0};
    quantities all = {0};
    open_bench(&b, models[q]);
    move(&b, 1);
    list_quantities(&b, &all);
    const int nc = b.m->ncoef;
    unsigned char *requested = calloc((size_t)nc, 1);
    gradients whole = reverse_all(&b, &all);
    for (int pick = 0; pick < 5; pick++) {
      for (int k = 0; k < nc; k++) { requested[k] = pick < 4 ? (k + pick) % 4 == 0 : k % 29 == 0; }
      params_reverse_request(b.u, requested);
      gradients part = reverse_all(&b, &all);
      for (int i = 0; i < all.n; i++) {
        for (int k = 0; k < nc; k++) {
          if (!requested[k]) { continue; }
          CHECK_CLOSE(b.m->coef_name[k], part.g[i * nc + k], whole.g[i * nc + k], 0);
        }
      }
      free(part.g);
    }
    free(requested), free(whole.g), free(all.q);
    close_bench(&b);
  }
}

/* A force that looks at its curve in two places, in all derivatives, and counts. */
static int calls;

static void twice_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  mbd_curve_value a, b;
  calls++;
  mbd_element_dcurve(in, d, 0, 0.3, &a);
  mbd_element_dcurve(in, d, 0, 1.1, &b);
  df[0][0] = a.y + 2 * b.yx;
  df[0][1] = a.yxx - b.y;
  df[0][2] = 3 * a.yx + b.yxx;
}

static void test_curve_in_two_places(void) {
  int found = 0;
  for (int q = 0; q < N_MODELS; q++) {
    bench b = {0};
    open_bench(&b, models[q]);
    move(&b, 0);
    unsigned char *none = calloc((size_t)b.m->ncoef, 1);
    for (int i = 0; i < b.m->nforce; i++) {
      mbd_force *f = &b.m->force[i];
      mbd_force_ops ops = *f->ops;
      const mbd_force_ops *kept = f->ops;
      quantities all = {0};
      if (f->curve[0] < 0) { continue; }
      const mbd_curve *curve = &b.m->curve[f->curve[0]];
      found++;
      ops.f_c = twice_f_c;
      f->ops = &ops;
      add(&all, FORCE, f->name, i);
      lift_values(b.w, &f->lift, 1, &all.q->s);
      params_force_input(b.p, f, t, NULL, &all.q->s, &all.q->in);
      params_reverse_request(b.u, NULL);
      gradients g = reverse_all(&b, &all);
      for (int k = 0; k < curve->nc; k++) {
        const int at = curve->coef + k;
        const double one = 1;
        mbd_dparams_set(b.d, b.p, 1, &at, &one);
        compare(models[q], &b, &all, &g, b.m->coef_name[at], 1, &at, &one);
      }
      CU_ASSERT(largest(g.ncoef, g.g) > 0);
      calls = 0; /* the curve alone: two places, three derivatives; nothing: not asked at all */
      for (int k = 0; k < curve->nc; k++) { none[curve->coef + k] = 1; }
      params_reverse_request(b.u, none);
      backward(&b, all.q);
      CU_ASSERT_EQUAL(calls, 6);
      memset(none, 0, (size_t)b.m->ncoef);
      params_reverse_request(b.u, none);
      backward(&b, all.q);
      CU_ASSERT_EQUAL(calls, 6);
      f->ops = kept;
      free(all.q), free(g.g);
    }
    free(none);
    close_bench(&b);
  }
  CU_ASSERT(found > 5);
}

TEST_MAIN(TEST(test_transposes), TEST(test_wanted), TEST(test_curve_in_two_places))
