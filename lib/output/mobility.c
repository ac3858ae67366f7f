/* The motion that a mechanism admits, and outputs that depend on it (mobility.h), with their derivatives.
 * Equations: theory.md §4 (4.5). */
#include "output/mobility.h"

#include <stdlib.h>
#include <string.h>

/* Memory of one output: outputs serve one simulation at a time. */
struct output_mobility {
  int nreleased, released[OUTPUT_REFS];
  int nsel;
  int *sel;        /* [nphi] rows of Phi_z that are independent */
  mbd_real *Phi;   /* [nphi][nz] Phi_z; its other entries stay zero */
  mbd_real *Q, *R; /* [nphi][nz], [nphi][nphi]: row sel[i] of Phi_z is sum_k R[i][k] Q[k], k <= i, Q orthonormal */
  mbd_real *mu[MOBILITY_MOTIONS], *nu[MOBILITY_MOTIONS]; /* [nz], [nphi]; nu with the opposite sign */
  mbd_real *c, *scaled, *z;                              /* [nz], [nphi], [nz] */
  mobility_at s, J[3], g; /* arguments; gradients there of the vector's components, and of the output */
  mbd_reverse reverse;
  const char *why; /* why the last value is not determined; NULL: it is */
  mbd_arena arena;
};

static void layout(output_mobility *q, const mbd_model *m, mbd_arena *a) {
  const size_t nz = (size_t)m->nz, nphi = (size_t)m->nphi + 1;
  q->sel = mbd_arena_take(a, nphi * sizeof *q->sel);
  q->Phi = mbd_arena_real(a, nphi * nz);
  q->Q = mbd_arena_real(a, nphi * nz);
  q->R = mbd_arena_real(a, nphi * nphi);
  for (int k = 0; k < MOBILITY_MOTIONS; k++) { q->mu[k] = mbd_arena_real(a, nz), q->nu[k] = mbd_arena_real(a, nphi); }
  q->c = mbd_arena_real(a, nz);
  q->z = mbd_arena_real(a, nz);
  q->scaled = mbd_arena_real(a, nphi);
  reverse_layout(&q->reverse, m, a);
}

mbd_status mobility_create(const mbd_model *m, output *o, mbd_error *err) {
  output_mobility *q = calloc(1, sizeof *q);
  o->mobility = q;
  if (!q) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for output '%s'", o->name); }
  for (int i = 0; o->of->takes[i]; i++) {
    if (o->of->takes[i] == 'C') { q->released[q->nreleased++] = o->ref[i]; }
  }
  while (mbd_arena_pass(&q->arena)) { layout(q, m, &q->arena); }
  return mbd_arena_check(&q->arena, "an output", err);
}

void mobility_destroy(output_mobility *q) {
  if (!q) { return; }
  free(q->arena.base);
  free(q);
}

/* ---- the admissible motions ---- */

static int is_released(const output_mobility *q, const mbd_model *m, int row) {
  for (int i = 0; i < q->nreleased; i++) {
    const mbd_constraint *c = &m->constraint[q->released[i]];
    if (row >= c->row && row < c->row + c->ops->nphi) { return 1; }
  }
  return 0;
}

/* Row `row` as the next of Q, made orthogonal twice, unless it depends on those before; largest: square of the largest of all rows. */
static void take_row(output_mobility *q, int n, int nphi, int row, double largest) {
  const double dependent = 1e-8;
  mbd_real *next = q->Q + q->nsel * n, *R = q->R + q->nsel * nphi;
  const mbd_real *Phi = q->Phi + row * n;
  memcpy(next, Phi, (size_t)n * sizeof *next);
  for (int k = 0; k < q->nsel; k++) { R[k] = 0; }
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < q->nsel; k++) {
      const mbd_real part = mbd_dot(n, q->Q + k * n, next);
      R[k] += part;
      mbd_axpy(n, -part, q->Q + k * n, next);
    }
  }
  const mbd_real square = mbd_dot(n, next, next);
  if (!(mbd_min(square) > dependent * dependent * largest)) { return; }
  R[q->nsel] = mbd_sqrt(square);
  for (int j = 0; j < n; j++) { next[j] /= R[q->nsel]; }
  q->sel[q->nsel++] = row;
}

static void factor(const output_at *at, output_mobility *q) {
  const int n = at->m->nz, nphi = at->m->nphi;
  double largest = 0;
  motion_phi(at->w, motion_constraints(at->m), NULL, q->Phi);
  for (int row = 0; row < nphi; row++) {
    largest = fmax(largest, mbd_largest(mbd_dot(n, q->Phi + row * n, q->Phi + row * n)));
  }
  q->nsel = 0;
  for (int row = 0; row < nphi && q->nsel < n; row++) {
    if (!is_released(q, at->m, row)) { take_row(q, n, nphi, row, largest); }
  }
}

/* Subtracts the part of x in the range of the rows; b [nsel]: the coefficients of that part, NULL: not wanted. */
static void project(const output_mobility *q, int n, mbd_real *x, mbd_real *b) {
  for (int k = 0; k < q->nsel; k++) {
    const mbd_real part = mbd_dot(n, q->Q + k * n, x);
    if (b) { b[k] = part; }
    mbd_axpy(n, -part, q->Q + k * n, x);
  }
}

/* nu with Phi_z' nu = sum_k b_k Q_k, which is in its place; then nu [nphi], sign turned, scattered to the rows. */
static void back_substitute(const output_mobility *q, int nphi, mbd_real *b, mbd_real *nu) {
  memset(nu, 0, (size_t)nphi * sizeof *nu);
  for (int k = q->nsel - 1; k >= 0; k--) {
    for (int i = k + 1; i < q->nsel; i++) { b[k] -= b[i] * q->R[i * nphi + k]; }
    b[k] /= q->R[k * nphi + k];
    nu[q->sel[k]] = -b[k];
  }
}

/* ---- arguments and their virtual velocities ---- */

/* c := sum_a f_a . x_z,a  [nz]. Returns the sum of the squares of its terms, in which they do not cancel: what the square of c, or of
 * its projection, is negligible to. */
static double covector_of(const mbd_work *w, const mbd_lift *l, const mbd_real (*f)[3], mbd_real *c) {
  double size = 0;
  memset(c, 0, (size_t)w->model->nz * sizeof *c);
  for (int a = 0; a < l->narg; a++) {
    for (int k = 0; k < l->ncol; k++) {
      const mbd_real *dx = w->dx + lift_at(l, a, k);
      c[l->col[k]] += v3_dot(f[a], dx);
      size += mbd_largest(v3_dot(f[a], f[a])) * mbd_largest(v3_dot(dx, dx));
    }
  }
  return size;
}

static const double negligible = 1e-6;

static void virtual_velocities(const mbd_work *w, const mbd_lift *l, const mbd_real *mu, mbd_real (*u)[3]) {
  for (int a = 0; a < l->narg; a++) {
    v3_set(u[a], 0, 0, 0);
    for (int k = 0; k < l->ncol; k++) { v3_axpy(u[a], mu[l->col[k]], w->dx + lift_at(l, a, k)); }
  }
}

/* Motion number k, from the candidate with the largest admissible part; 0: there is none. */
static int choose_motion(const output_at *at, output_mobility *q, const mobility_formula *f, int k) {
  const int n = at->m->nz;
  double max = 0;
  for (int which = 0; which < f->candidates; which++) {
    mbd_real weight[MBD_ARG_MAX][3] = {{0}};
    f->covector(&q->s, k, which, weight);
    const double size = covector_of(at->w, &at->o->lift, CONST3(weight), q->c);
    project(q, n, q->c, NULL);
    const double left = mbd_min(mbd_dot(n, q->c, q->c));
    if (left <= max || left <= negligible * negligible * size) { continue; }
    max = left;
    memcpy(q->mu[k], q->c, (size_t)n * sizeof *q->c);
  }
  return max > 0;
}

/* ---- value and gradient: x, u, mu, nu and g of the current place ---- */

/* 0: the vector depends on other freedoms than motion k. */
static int is_determined(const output_at *at, output_mobility *q, int k) {
  const int n = at->m->nz;
  double size = 0, left = 0;
  for (int r = 0; r < 3; r++) {
    size += covector_of(at->w, &at->o->lift, CONST3(q->J[r].u[k]), q->c);
    project(q, n, q->c, NULL);
    left += mbd_largest(mbd_dot(n, q->c, q->c));
  }
  return left <= negligible * negligible * size;
}

/* nu of motion k */
static void multipliers_of(const output_at *at, output_mobility *q, int k) {
  covector_of(at->w, &at->o->lift, CONST3(q->g.u[k]), q->c);
  project(q, at->m->nz, q->c, q->scaled);
  back_substitute(q, at->m->nphi, q->scaled, q->nu[k]);
}

/* g := sum_r e_r J_r */
static void gradient_along(output_mobility *q, const mbd_real e[3]) {
  memset(&q->g, 0, sizeof q->g);
  for (int r = 0; r < 3; r++) {
    for (int a = 0; a < MBD_ARG_MAX; a++) {
      v3_axpy(q->g.x[a], e[r], q->J[r].x[a]);
      for (int k = 0; k < MOBILITY_MOTIONS; k++) { v3_axpy(q->g.u[k][a], e[r], q->J[r].u[k][a]); }
    }
  }
}

/* Why there is no value, for messages after "it is undefined here:". */
static const char *const no_motion =
    "constraints and drives leave no motion (name last what drives it, as in instant_centre(BODY, BODY, POINT, VECTOR, "
    "drive.COORDINATE))";
static const char *const several =
    "constraints leave several motions, between which only forces such as those of bushings decide (expected joints in "
    "place of bushings, and steering that is held)";

const char *mobility_why(const output_mobility *q) {
  return q->why;
}

/* The admissible motions and the vector; 0: it is not determined. */
static int evaluate_vector(const output_at *at, mbd_real y[3]) {
  const mobility_formula *f = at->o->ops->formula;
  const mbd_lift *l = &at->o->lift;
  output_mobility *q = at->o->mobility;
  mbd_arg_state x;
  factor(at, q);
  lift_values(at->w, l, 0, &x);
  memcpy(q->s.x, x.x, sizeof x.x);
  lift_columns(at->w, l);
  for (int k = 0; k < f->motions; k++) {
    q->why = no_motion;
    if (!choose_motion(at, q, f, k)) { return 0; }
    virtual_velocities(at->w, l, q->mu[k], q->s.u[k]);
  }
  q->why = f->no_place;
  if (!f->eval(&q->s, y, q->J)) { return 0; }
  q->why = several;
  for (int k = 0; k < f->motions; k++) {
    if (!is_determined(at, q, k)) { return 0; }
  }
  q->why = NULL;
  return 1;
}

/* A component or the norm, with the gradient and nu. */
static mbd_real evaluate(const output_at *at) {
  output_mobility *q = at->o->mobility;
  const int component = at->o->component;
  mbd_real y[3], e[3] = {component == 0, component == 1, component == 2};
  if (!evaluate_vector(at, y)) { return NAN; }
  const mbd_real norm = mbd_sqrt(v3_dot(y, y));
  if (component == 3 && mbd_any(mbd_re(norm) > 0)) { v3_scale(e, mbd_select(mbd_re(norm) > 0, 1 / norm, 0), y); }
  gradient_along(q, e);
  for (int k = 0; k < at->o->ops->formula->motions; k++) { multipliers_of(at, q, k); }
  return component < 3 ? y[component] : norm;
}

mbd_real mobility_value(const output_at *at) {
  return evaluate(at);
}

/* ---- derivatives ---- */

/* Sets the derivatives of a value that is NaN to NaN. */
static void spoil(int n, mbd_real *x) {
  for (int j = 0; j < n; j++) { x[j] = NAN; }
}

/* s y' by the coordinates into q->z, by coefficients into theta, NULL: not wanted. */
static void reverse_all(const output_at *at, mbd_real s, params_reverse *theta) {
  const int n = at->m->nz, nphi = at->m->nphi;
  output_mobility *q = at->o->mobility;
  const mbd_real y = evaluate(at);
  memset(q->z, 0, (size_t)n * sizeof *q->z);
  if (!isfinite(mbd_largest(y))) {
    spoil(n, q->z);
    return;
  }
  for (int k = 0; k < at->o->ops->formula->motions; k++) {
    arg_reverse reverse = {0};
    reverse_begin(&q->reverse, at->w, theta);
    reverse.field = reverse_virtual(&q->reverse, q->mu[k]);
    for (int a = 0; a < at->o->lift.narg; a++) {
      if (k == 0) { v3_scale(reverse.x[a], s, q->g.x[a]); }
      v3_scale(reverse.u[a], s, q->g.u[k][a]);
    }
    reverse_arguments(&q->reverse, &at->o->lift, &reverse);
    for (int i = 0; i < nphi; i++) { q->scaled[i] = s * q->nu[k][i]; }
    const motion_terms reactions = {.rows = motion_constraints(at->m), .lam = q->scaled};
    motion_reverse_mass(&q->reverse, &reactions, q->mu[k], q->mu[k]);
    reverse_coordinates(&q->reverse, q->z, NULL, NULL);
    reverse_joints(&q->reverse);
  }
}

void mobility_rows(const output_at *at, const output_row *g) {
  reverse_all(at, 1, NULL);
  mbd_axpy(at->m->nz, 1, at->o->mobility->z, g->z);
}

void mobility_reverse(const output_at *at, mbd_real s, const output_back *to) {
  reverse_all(at, s, to->q->theta);
  mbd_axpy(at->m->nz, 1, at->o->mobility->z, to->q->z);
}

/* mu . d(x_z' y_u - Phi_z' nu) + y_x . dx */
mbd_real mobility_direction(const output_at *at) {
  const int n = at->m->nz;
  const mbd_lift *l = &at->o->lift;
  output_mobility *q = at->o->mobility;
  mbd_arg_state ds;
  mbd_real dy = evaluate(at);
  if (!isfinite(mbd_largest(dy))) { return dy; }
  dy = 0;
  if (vary_arguments(at->w, l, 0, &ds)) {
    for (int a = 0; a < l->narg; a++) { dy += v3_dot(q->g.x[a], ds.x[a]); }
  }
  for (int k = 0; k < at->o->ops->formula->motions; k++) {
    const mbd_real still[MBD_ARG_MAX][3] = {{0}};
    const motion_terms reactions = {.rows = motion_constraints(at->m), .lam = q->nu[k]};
    motion_direction(at->w, &reactions, q->z, NULL, NULL, NULL);
    vary_forces(at->w, l, CONST3(q->g.u[k]), still, 1, q->z);
    vary_sum(at->w, q->z);
    dy += mbd_dot(n, q->mu[k], q->z);
  }
  return dy;
}
