/* The motion that a mechanism admits, and outputs that depend on it (mobility.h), with their derivatives.
 * Equations: theory.md §4 (4.5). */
#include "output/mobility.h"

#include <stdlib.h>
#include <string.h>

/* Memory of one output: outputs serve one simulation at a time. */
struct output_mobility {
  int nreleased, released[OUTPUT_REFS];
  int nsel;
  int *sel;              /* [nphi] rows of Phi_z that are independent */
  char *row_of, *col_of; /* [nphi], [nz] rows and coordinates that have to do with the arguments */
  mbd_real *Phi;         /* [nphi][nz] Phi_z; its other entries stay zero */
  mbd_real *now;   /* [nphi][nz] likewise: that of the place at hand, which has no factors yet if it is another one */
  mbd_real *Q, *R; /* [nphi][nz], [nphi][nphi]: row sel[i] of Phi_z is sum_k R[i][k] Q[k], k <= i, Q orthonormal */
  mbd_real *mu[MOBILITY_MOTIONS], *nu[MOBILITY_MOTIONS]; /* [nz], [nphi]; nu with the opposite sign */
  mbd_real *c, *scaled, *z;                              /* [nz], [nphi], [nz] */
  mobility_at s, J[3], g; /* arguments; gradients there of the vector's components, and of the output */
  mbd_reverse reverse;
  const char *why; /* why the last value is not determined; NULL: it is */
  mbd_arena arena;
};

static void layout(output_mobility *mobility, const mbd_model *m, mbd_arena *a) {
  const size_t nz = (size_t)m->nz, nphi = (size_t)m->nphi + 1;
  mobility->sel = mbd_arena_take(a, nphi * sizeof *mobility->sel);
  mobility->row_of = mbd_arena_take(a, nphi);
  mobility->col_of = mbd_arena_take(a, nz);
  mobility->Phi = mbd_arena_real(a, nphi * nz);
  mobility->now = mbd_arena_real(a, nphi * nz);
  mobility->Q = mbd_arena_real(a, nphi * nz);
  mobility->R = mbd_arena_real(a, nphi * nphi);
  for (int k = 0; k < MOBILITY_MOTIONS; k++) {
    mobility->mu[k] = mbd_arena_real(a, nz), mobility->nu[k] = mbd_arena_real(a, nphi);
  }
  mobility->c = mbd_arena_real(a, nz);
  mobility->z = mbd_arena_real(a, nz);
  mobility->scaled = mbd_arena_real(a, nphi);
  reverse_layout(&mobility->reverse, m, a);
}

mbd_status mobility_create(const mbd_model *m, output *o, mbd_error *err) {
  output_mobility *mobility = calloc(1, sizeof *mobility);
  o->mobility = mobility;
  if (!mobility) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for output '%s'", o->name); }
  for (int i = 0; o->of->takes[i]; i++) {
    if (o->of->takes[i] == 'C') { mobility->released[mobility->nreleased++] = o->ref[i]; }
  }
  mobility->nsel = -1;
  while (mbd_arena_pass(&mobility->arena)) { layout(mobility, m, &mobility->arena); }
  return mbd_arena_check(&mobility->arena, "an output", err);
}

void mobility_destroy(output_mobility *mobility) {
  if (!mobility) { return; }
  free(mobility->arena.base);
  free(mobility);
}

/* ---- the admissible motions ---- */

static int is_released(const output_mobility *mobility, const mbd_model *m, int row) {
  for (int i = 0; i < mobility->nreleased; i++) {
    const mbd_constraint *c = &m->constraint[mobility->released[i]];
    if (row >= c->row && row < c->row + c->ops->nphi) { return 1; }
  }
  return 0;
}

/* Row `row` as the next of Q, made orthogonal twice, unless it depends on those before; largest: square of the largest of all rows. */
static void take_row(output_mobility *mobility, int n, int nphi, int row, double largest) {
  const double dependent = 1e-8;
  mbd_real *next = mobility->Q + mobility->nsel * n, *R = mobility->R + mobility->nsel * nphi;
  const mbd_real *Phi = mobility->Phi + row * n;
  memcpy(next, Phi, (size_t)n * sizeof *next);
  for (int k = 0; k < mobility->nsel; k++) { R[k] = 0; }
  const mbd_real square = mbd_orthogonalize(n, mobility->nsel, mobility->Q, next, R);
  if (!(mbd_min(square) > dependent * dependent * largest)) { return; }
  R[mobility->nsel] = mbd_sqrt(square);
  for (int j = 0; j < n; j++) { next[j] /= R[mobility->nsel]; }
  mobility->sel[mobility->nsel++] = row;
}

/* The only coordinate in a row; -1: it has others. */
static int only_column(const mbd_real *row, int n) {
  int only = -1;
  for (int j = 0; j < n; j++) {
    if (mbd_none(row[j] != 0)) { continue; }
    if (only >= 0) { return -1; }
    only = j;
  }
  return only;
}

/* Marks the rows that have to do with the arguments: those of a drive, which have one coordinate and hold it, and those that share coordinates
 * that are not held with the arguments or with each other. What is projected has no part in the range of the others. */
static void mark_rows(const output_at *at, output_mobility *mobility) {
  enum { AWAY, REACHED, HELD };
  const int n = at->m->nz, nphi = at->m->nphi;
  const mbd_lift *l = &at->o->lift;
  memset(mobility->row_of, 0, (size_t)nphi);
  memset(mobility->col_of, AWAY, (size_t)n);
  for (int k = 0; k < l->ncol; k++) { mobility->col_of[l->col[k]] = REACHED; }
  for (int row = 0; row < nphi; row++) {
    const int only = is_released(mobility, at->m, row) ? -1 : only_column(mobility->Phi + row * n, n);
    if (only >= 0) { mobility->col_of[only] = HELD, mobility->row_of[row] = 1; }
  }
  for (int grows = 1; grows;) {
    grows = 0;
    for (int row = 0; row < nphi; row++) {
      const mbd_real *Phi = mobility->Phi + row * n;
      int meets = 0;
      if (mobility->row_of[row] || is_released(mobility, at->m, row)) { continue; }
      for (int j = 0; j < n && !meets; j++) { meets = mobility->col_of[j] == REACHED && mbd_any(Phi[j] != 0); }
      if (!meets) { continue; }
      grows = 1, mobility->row_of[row] = 1;
      for (int j = 0; j < n; j++) {
        if (mobility->col_of[j] == AWAY && mbd_any(Phi[j] != 0)) { mobility->col_of[j] = REACHED; }
      }
    }
  }
}

static void factor(const output_at *at, output_mobility *mobility) {
  const int n = at->m->nz, nphi = at->m->nphi;
  double largest = 0;
  /* Derivatives by many variables ask for the factors of one place again and again. */
  motion_phi(at->w, motion_constraints(at->m), NULL, mobility->now);
  const size_t size = (size_t)nphi * (size_t)n * sizeof *mobility->now;
  if (mobility->nsel >= 0 && memcmp(mobility->Phi, mobility->now, size) == 0) { return; }
  memcpy(mobility->Phi, mobility->now, size);
  for (int row = 0; row < nphi; row++) {
    largest = fmax(largest, mbd_largest(mbd_dot(n, mobility->Phi + row * n, mobility->Phi + row * n)));
  }
  /* Held coordinates come first: rows that share no others are orthogonal then. */
  mark_rows(at, mobility);
  mobility->nsel = 0;
  for (int held = 1; held >= 0; held--) {
    for (int row = 0; row < nphi && mobility->nsel < n; row++) {
      const int takes = mobility->row_of[row] && (only_column(mobility->Phi + row * n, n) >= 0) == held;
      if (takes) { take_row(mobility, n, nphi, row, largest); }
    }
  }
}

/* Subtracts the part of x in the range of the rows; b [nsel]: the coefficients of that part, NULL: not wanted. */
static void project(const output_mobility *mobility, int n, mbd_real *x, mbd_real *b) {
  for (int k = 0; k < mobility->nsel; k++) {
    const mbd_real part = mbd_dot(n, mobility->Q + k * n, x);
    if (b) { b[k] = part; }
    mbd_axpy(n, -part, mobility->Q + k * n, x);
  }
}

/* nu with Phi_z' nu = sum_k b_k Q_k, which is in its place; then nu [nphi], sign turned, scattered to the rows. */
static void back_substitute(const output_mobility *mobility, int nphi, mbd_real *b, mbd_real *nu) {
  memset(nu, 0, (size_t)nphi * sizeof *nu);
  for (int k = mobility->nsel - 1; k >= 0; k--) {
    for (int i = k + 1; i < mobility->nsel; i++) { b[k] -= b[i] * mobility->R[i * nphi + k]; }
    b[k] /= mobility->R[k * nphi + k];
    nu[mobility->sel[k]] = -b[k];
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
      const mbd_real *dx = w->element.dx + lift_at(l, a, k);
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
    for (int k = 0; k < l->ncol; k++) { v3_axpy(u[a], mu[l->col[k]], w->element.dx + lift_at(l, a, k)); }
  }
}

/* Motion number k, from the candidate with the largest admissible part; 0: there is none. */
static int choose_motion(const output_at *at, output_mobility *mobility, const mobility_formula *f, int k) {
  const int n = at->m->nz;
  double max = 0;
  for (int which = 0; which < f->candidates; which++) {
    mbd_real weight[MBD_ARG_MAX][3] = {{0}};
    f->covector(&mobility->s, k, which, weight);
    const double size = covector_of(at->w, &at->o->lift, CONST3(weight), mobility->c);
    project(mobility, n, mobility->c, NULL);
    const double left = mbd_min(mbd_dot(n, mobility->c, mobility->c));
    if (left <= max || left <= negligible * negligible * size) { continue; }
    max = left;
    memcpy(mobility->mu[k], mobility->c, (size_t)n * sizeof *mobility->c);
  }
  return max > 0;
}

/* ---- value and gradient: x, u, mu, nu and g of the current place ---- */

/* 0: the vector depends on other freedoms than motion k. */
static int is_determined(const output_at *at, output_mobility *mobility, int k) {
  const int n = at->m->nz;
  double size = 0, left = 0;
  for (int r = 0; r < 3; r++) {
    size += covector_of(at->w, &at->o->lift, CONST3(mobility->J[r].u[k]), mobility->c);
    project(mobility, n, mobility->c, NULL);
    left += mbd_largest(mbd_dot(n, mobility->c, mobility->c));
  }
  return left <= negligible * negligible * size;
}

/* g := sum_r e_r J_r */
static void gradient_along(output_mobility *mobility, const mbd_real e[3]) {
  memset(&mobility->g, 0, sizeof mobility->g);
  for (int r = 0; r < 3; r++) {
    for (int a = 0; a < MBD_ARG_MAX; a++) {
      v3_axpy(mobility->g.x[a], e[r], mobility->J[r].x[a]);
      for (int k = 0; k < MOBILITY_MOTIONS; k++) { v3_axpy(mobility->g.u[k][a], e[r], mobility->J[r].u[k][a]); }
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

const char *mobility_why(const output_mobility *mobility) {
  return mobility->why;
}

/* The admissible motions and the vector; 0: it is not determined. */
static int evaluate_vector(const output_at *at, mbd_real y[3]) {
  const mobility_formula *f = at->o->ops->formula;
  const mbd_lift *l = &at->o->lift;
  output_mobility *mobility = at->o->mobility;
  mbd_arg_state x;
  /* Independent rows of Phi_z, and the arguments of the formula with their columns. */
  factor(at, mobility);
  lift_values(at->w, l, 0, &x);
  memcpy(mobility->s.x, x.x, sizeof x.x);
  lift_columns(at->w, l);
  /* The admissible motions mu_k, and the virtual velocities u of the arguments in them. */
  for (int k = 0; k < f->motions; k++) {
    mobility->why = no_motion;
    if (!choose_motion(at, mobility, f, k)) { return 0; }
    virtual_velocities(at->w, l, mobility->mu[k], mobility->s.u[k]);
  }
  /* The vector y(x, u), with the gradients of its components. */
  mobility->why = f->no_place;
  if (!f->eval(&mobility->s, y, mobility->J)) { return 0; }
  /* y must not depend on other degrees of freedom than these motions. */
  mobility->why = several;
  for (int k = 0; k < f->motions; k++) {
    if (!is_determined(at, mobility, k)) { return 0; }
  }
  mobility->why = NULL;
  return 1;
}

/* A component or the norm, with the gradient and nu. */
mbd_real mobility_value(const output_at *at) {
  output_mobility *mobility = at->o->mobility;
  const int component = at->o->component;
  mbd_real y[3], e[3] = {component == 0, component == 1, component == 2};
  if (!evaluate_vector(at, y)) { return NAN; }
  const mbd_real value = component == 3 ? output_norm(y, e) : y[component];
  gradient_along(mobility, e);
  /* nu of each motion. */
  for (int k = 0; k < at->o->ops->formula->motions; k++) {
    covector_of(at->w, &at->o->lift, CONST3(mobility->g.u[k]), mobility->c);
    project(mobility, at->m->nz, mobility->c, mobility->scaled);
    back_substitute(mobility, at->m->nphi, mobility->scaled, mobility->nu[k]);
  }
  return value;
}

/* ---- derivatives ---- */

/* s y' by the coordinates into mobility->z, by coefficients into theta, NULL: not wanted. */
static void reverse_all(const output_at *at, mbd_real s, params_reverse *theta) {
  const int n = at->m->nz, nphi = at->m->nphi;
  output_mobility *mobility = at->o->mobility;
  /* The value, with its gradient g, the motions mu and their nu. Without a value there are no derivatives. */
  const mbd_real y = mobility_value(at);
  memset(mobility->z, 0, (size_t)n * sizeof *mobility->z);
  if (!isfinite(mbd_largest(y))) {
    for (int j = 0; j < n; j++) { mobility->z[j] = NAN; }
    return;
  }
  for (int k = 0; k < at->o->ops->formula->motions; k++) {
    /* theory.md §4 (4.5), y_x . x' once and y_u . (x_z)' mu in each motion, as derivatives by the arguments. */
    arg_reverse reverse;
    arg_reverse_zero(at->o->lift.narg, &reverse);
    reverse_begin(&mobility->reverse, at->w, theta);
    reverse.field = reverse_virtual(&mobility->reverse, mobility->mu[k]);
    for (int a = 0; a < at->o->lift.narg; a++) {
      if (k == 0) { v3_scale(reverse.x[a], s, mobility->g.x[a]); }
      v3_scale(reverse.u[a], s, mobility->g.u[k][a]);
    }
    reverse_arguments(&mobility->reverse, &at->o->lift, &reverse);
    /* -nu . (Phi_z)' mu, as the derivative of mu . Phi_z' lam with lam = -s nu (mobility->nu has the minus sign). */
    for (int i = 0; i < nphi; i++) { mobility->scaled[i] = s * mobility->nu[k][i]; }
    const motion_terms reactions = {.rows = motion_constraints(at->m), .lam = mobility->scaled};
    motion_reverse_mass(&mobility->reverse, &reactions, mobility->mu[k], mobility->mu[k]);
    reverse_coordinates(&mobility->reverse, mobility->z, NULL, NULL);
    reverse_joints(&mobility->reverse);
  }
}

void mobility_rows(const output_at *at, const output_row *g) {
  reverse_all(at, 1, NULL);
  mbd_axpy(at->m->nz, 1, at->o->mobility->z, g->z);
}

void mobility_reverse(const output_at *at, mbd_real s, const output_back *to) {
  reverse_all(at, s, to->sweep->theta);
  mbd_axpy(at->m->nz, 1, at->o->mobility->z, to->sweep->z);
}

/* mu . d(x_z' y_u - Phi_z' nu) + y_x . dx */
mbd_real mobility_direction(const output_at *at) {
  const int n = at->m->nz;
  const mbd_lift *l = &at->o->lift;
  output_mobility *mobility = at->o->mobility;
  mbd_arg_state ds;
  mbd_real dy = mobility_value(at);
  if (!isfinite(mbd_largest(dy))) { return dy; }
  dy = 0;
  if (vary_arguments(at->w, l, 0, &ds)) {
    for (int a = 0; a < l->narg; a++) { dy += v3_dot(mobility->g.x[a], ds.x[a]); }
  }
  for (int k = 0; k < at->o->ops->formula->motions; k++) {
    const mbd_real still[MBD_ARG_MAX][3] = {{0}};
    const motion_terms reactions = {.rows = motion_constraints(at->m), .lam = mobility->nu[k]};
    motion_direction(at->w, &reactions, mobility->z, NULL, NULL, NULL);
    vary_forces(at->w, l, CONST3(mobility->g.u[k]), still, 1, mobility->z);
    vary_sum(at->w, mobility->z);
    dy += mbd_dot(n, mobility->mu[k], mobility->z);
  }
  return dy;
}
