/* Closing analysis (theory.md §5.6): at every node the position at which the constraints are closest to being met while driven coordinates are where
 * their drives put them,
 *   Phi' Phi -> min over the coordinates x that no drive gives,   g = Phi_x' Phi = 0                              (6.50)
 * Where the mechanism reaches the position that its drives require, Phi = 0, as in a kinematic case; where it locks, bars stay apart.
 * Newton's method with H = Phi_x' Phi_x + sum_i Phi_i Phi_i,xx, to whose diagonal so much is added that H is positive definite and Phi' Phi falls.
 * A mechanism that has been open is sought from a little towards where it was closed last: where it closes again, stretched bars lie in line, which is
 * a position from which it can close to either side.
 * Nothing moves: rates are zero. By (6.50) changes of x do not change Phi' Phi, so that the derivatives of its only output, the opening, need none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/state.h"
#include "output/opening.h"
#include "simulate/analysis.h"
#include "simulate/closing.h"
#include "simulate/kinematic.h"

enum { ITERATIONS = 200 };
static const double nudge = 0.02;      /* part of the way back to the last closed position */
static const double closed_to = 1e-10; /* |Phi| below which a mechanism counts as closed */
static const double quadratic_from = 1e-6, damping_min = 1e-8, damping_max = 1e12; /* relative */

/* Memory of the analysis, s->memory. Matrices have the coordinates x alone. */
typedef struct closing {
  int n, *x;               /* [nz] the coordinates that no drive gives */
  int *drive;              /* [nz] of a driven coordinate 1 + its constraint; 0 */
  mbd_real *J, *phi, *g;   /* Phi_z [nphi][nz], Phi [nphi], g [n] */
  mbd_real *K, *N, *H;     /* [nz][nz] of Phi_z' Phi with Phi held, [n][n] H, and the factor of H with its damping */
  mbd_real *step;          /* [n] */
  mbd_real *from, *closed; /* [nz] a position to return to, the last closed one */
  mbd_real *zero, *nu;     /* [nz] zeros; [nphi] */
  int open, was_closed;
  mbd_arena arena;
} closing;

static closing *closing_of(const mbd_sim *s) {
  return s->memory;
}

static void layout(closing *run, const mbd_sim *s, mbd_arena *a) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi + 1;
  run->x = mbd_arena_take(a, n * sizeof *run->x);
  run->drive = mbd_arena_take(a, n * sizeof *run->drive);
  MBD_ARENA_REALS(a, m, &run->phi, &run->nu);
  run->J = mbd_arena_real(a, m * n);
  MBD_ARENA_REALS(a, n * n, &run->K, &run->N, &run->H);
  MBD_ARENA_REALS(a, n, &run->g, &run->step, &run->from, &run->closed, &run->zero);
}

static mbd_status create(mbd_sim *s, mbd_error *err) {
  if (s->m->nbeam) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "analysis = closing: beam '%s' would bend without a force until its loop closes; expected a rigid body",
             s->m->beam[0].name);
  }
  closing *run = s->memory = calloc(1, sizeof *run);
  if (!run) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a closing case"); }
  while (mbd_arena_pass(&run->arena)) { layout(run, s, &run->arena); }
  MBD_TRY(mbd_arena_check(&run->arena, "a closing case", err));
  for (int i = 0; i < s->m->nconstraint; i++) {
    const mbd_constraint *c = &s->m->constraint[i];
    if (c->ops == &mbd_constraint_driven_coordinate) { run->drive[c->lift.col[0]] = 1 + i; }
  }
  for (int j = 0; j < s->m->nz; j++) {
    if (!run->drive[j] && !model_is_state(s->m, j)) { run->x[run->n++] = j; }
  }
  return MBD_OK;
}

static void destroy(mbd_sim *s) {
  closing *run = s->memory;
  if (!run) { return; }
  free(run->arena.base);
  free(run);
}

mbd_status closing_check_term(const mbd_sim *s, const mbd_term *term, mbd_error *err) {
  const output *o = &s->o->item[term->output];
  if (!s->analysis->closes || output_is_opening(o)) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "output '%s' of a case with analysis = closing: bars are apart there, so that only mechanism.opening has "
           "derivatives; expected of = mechanism.opening, or a case with analysis = kinematic",
           o->name);
}

/* ---- the closest position ---- */

/* Places the work at s->now.z and s->t, computes Phi and Phi_z, and returns Phi' Phi/2. */
static mbd_real evaluate(mbd_sim *s) {
  closing *run = closing_of(s);
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_phi(s->w, s->eq, run->phi, run->J);
  return mbd_dot(s->eq.nrow, run->phi, run->phi) / 2;
}

/* g and N = H at the evaluated position */
static void derivatives(mbd_sim *s) {
  closing *run = closing_of(s);
  const int n = run->n, nz = s->m->nz;
  const motion_terms reactions = {.rows = s->eq, .lam = run->phi};
  for (int i = 0; i < n; i++) {
    run->g[i] = 0;
    for (int r = 0; r < s->eq.nrow; r++) { run->g[i] += run->J[r * nz + run->x[i]] * run->phi[r]; }
    for (int k = 0; k <= i; k++) {
      mbd_real sum = 0;
      for (int r = 0; r < s->eq.nrow; r++) { sum += run->J[r * nz + run->x[i]] * run->J[r * nz + run->x[k]]; }
      run->N[i * n + k] = run->N[k * n + i] = sum;
    }
  }
  motion_move(s->w, run->zero, run->zero, 0);
  motion_jacobian(s->w, &reactions, NULL, run->K, NULL, NULL, NULL);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) { run->N[i * n + k] += run->K[run->x[i] * nz + run->x[k]]; }
  }
}

/* H := L with L L' = N + damping on the diagonal [Cholesky]; returns 0 if that is not positive definite. */
static int factor(closing *run, double damping) {
  const int n = run->n;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k <= i; k++) {
      mbd_real sum = run->N[i * n + k] + (i == k ? damping : 0);
      const double size = mbd_largest(sum);
      for (int l = 0; l < k; l++) { sum -= run->H[i * n + l] * run->H[k * n + l]; }
      if (i == k && mbd_any(!(mbd_re(sum) > 1e-14 * size))) { return 0; }
      run->H[i * n + k] = i == k ? mbd_sqrt(sum) : sum / run->H[k * n + k];
    }
  }
  return 1;
}

/* step := (L L')^-1 g; returns its largest entry. */
static double solve(closing *run) {
  const int n = run->n;
  for (int i = 0; i < n; i++) {
    run->step[i] = run->g[i];
    for (int k = 0; k < i; k++) { run->step[i] -= run->H[i * n + k] * run->step[k]; }
    run->step[i] /= run->H[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) { run->step[i] -= run->H[k * n + i] * run->step[k]; }
    run->step[i] /= run->H[i * n + i];
  }
  return mbd_norm_inf(n, run->step);
}

static void move(mbd_sim *s, double scale) {
  const closing *run = closing_of(s);
  for (int i = 0; i < run->n; i++) { s->now.z[run->x[i]] = run->from[run->x[i]] - scale * run->step[i]; }
}

/* Takes one step down from run->from, where Phi' Phi/2 is *value, with as little damping as makes the matrix positive definite and the step go down.
 * Returns its length before it was limited; 0: none goes down. *damping becomes what it took. */
static double step_down(mbd_sim *s, double size, double *damping, mbd_real *value) {
  closing *run = closing_of(s);
  for (; *damping <= damping_max * size; *damping = fmax(damping_min * size, 10 * *damping)) {
    if (!factor(run, *damping)) { continue; }
    s->stats.factorizations++;
    const double length = solve(run), limit = length > start_step_max ? start_step_max / length : 1;
    move(s, limit);
    const mbd_real next = evaluate(s);
    const int small =
        length <= quadratic_from * (1 + mbd_norm_inf(s->m->nz, s->now.z)); /* rounding may be all that changes */
    if (!small && !(mbd_largest(next) < mbd_largest(*value))) { continue; }
    *value = next;
    return length;
  }
  return 0;
}

/* The closest position near s->now.z: steps without damping end it, once they are small, so that it does not depend on its path. */
static mbd_status descend(mbd_sim *s, mbd_error *err) {
  closing *run = closing_of(s);
  double damping = 0;
  int after = 0;
  mbd_real value = evaluate(s);
  if (isnan(mbd_largest(value))) { MBD_FAIL(err, MBD_NOT_FINITE, "a constraint is not finite"); }
  for (int it = 0; it < ITERATIONS && run->n > 0; it++) {
    double size = 0;
    derivatives(s);
    for (int i = 0; i < run->n; i++) { size = fmax(size, mbd_largest(run->N[i * (run->n + 1)])); }
    memcpy(run->from, s->now.z, (size_t)s->m->nz * sizeof *run->from);
    const double length = step_down(s, size, &damping, &value);
    s->stats.iterations++;
    if (length == 0) { return MBD_OK; }
    const int small = length <= quadratic_from * (1 + mbd_norm_inf(s->m->nz, s->now.z));
    if (small && damping <= damping_min * size && after++ > EXTRA_ITERATIONS) { return MBD_OK; }
    damping = damping <= 10 * damping_min * size ? 0 : damping / 100;
  }
  if (run->n == 0) { return MBD_OK; }
  MBD_FAIL(err, MBD_NO_CONVERGENCE, "the position at which the constraints are closest to being met was not found");
}

/* ---- nodes ---- */

static void put_driven(mbd_sim *s) {
  const closing *run = closing_of(s);
  for (int j = 0; j < s->m->nz; j++) {
    mbd_curve_value v;
    if (!run->drive[j]) { continue; }
    const mbd_constraint *c = &s->m->constraint[run->drive[j] - 1];
    curve_eval(&s->m->curve[c->curve[0]], s->p->theta, s->p->aux, s->t, &v);
    s->now.z[j] = v.y;
  }
}

/* Computes the node from the position s->now.z. */
static mbd_status find(mbd_sim *s, mbd_error *err) {
  closing *run = closing_of(s);
  const size_t n = (size_t)s->m->nz;
  put_driven(s);
  for (int i = 0; run->open && run->was_closed && i < run->n; i++) {
    const int j = run->x[i];
    s->now.z[j] += nudge * (run->closed[j] - s->now.z[j]);
  }
  MBD_TRY(descend(s, err));
  run->open = mbd_if(mbd_largest(evaluate(s)) > closed_to * closed_to);
  if (!run->open) { memcpy(run->closed, s->now.z, n * sizeof *run->closed), run->was_closed = 1; }
  memset(s->now.zd, 0, n * sizeof *s->now.zd), memset(s->now.zdd, 0, n * sizeof *s->now.zdd);
  memset(s->now.lam, 0, (size_t)s->eq.nrow * sizeof *s->now.lam);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  return MBD_OK;
}

/* The first position is that of the assembly, or the closest one where there is none. */
static mbd_status start(mbd_sim *s, mbd_error *err) {
  closing *run = closing_of(s);
  s->t = 0;
  run->open = run->was_closed = 0;
  const mbd_status status = assembly_close(s, err);
  if (status < 0 || status == MBD_NOT_FINITE) { return status; }
  if (status == MBD_OK) { MBD_TRY(kinematic_check_drives(s, err)); }
  return find(s, err);
}

static mbd_status node(mbd_sim *s, mbd_error *err) {
  memcpy(s->now.z, s->before.z, (size_t)s->m->nz * sizeof *s->now.z);
  return find(s, err);
}

/* z' of driven coordinates; that of x does not count. */
static mbd_status sens(mbd_sim *s, mbd_error *err) {
  closing *run = closing_of(s);
  const motion_terms e = {.rows = s->eq};
  const size_t all = (size_t)s->m->nz * (size_t)s->np;
  (void)err;
  memset(s->sens.z, 0, all * sizeof *s->sens.z);
  memset(s->sens.zd, 0, all * sizeof *s->sens.zd), memset(s->sens.zdd, 0, all * sizeof *s->sens.zdd);
  memset(s->sens.lam, 0, (size_t)s->eq.nrow * (size_t)s->np * sizeof *s->sens.lam);
  for (int k = 0; k < s->np; k++) {
    sim_vary(s, k);
    motion_direction(s->w, &e, NULL, run->nu, NULL, NULL);
    for (int j = 0; j < s->m->nz; j++) {
      if (run->drive[j]) { s->sens.z[j * s->np + k] = -run->nu[s->m->constraint[run->drive[j] - 1].row]; }
    }
  }
  return MBD_OK;
}

/* The transpose of that: the row of a drive is z - s(t). */
static mbd_status adjoint(mbd_sim *s, sim_adjoint *a, mbd_error *err) {
  closing *run = closing_of(s);
  (void)err;
  adjoint_read(s, a, 0, a->z);
  adjoint_read_joints(a);
  adjoint_begin(s, a);
  for (int k = 0; k < a->npsi; k++) {
    memset(run->nu, 0, (size_t)s->eq.nrow * sizeof *run->nu);
    for (int j = 0; j < s->m->nz; j++) {
      if (run->drive[j]) { run->nu[s->m->constraint[run->drive[j] - 1].row] = -a->z[j * a->npsi + k]; }
    }
    motion_reverse_rows_part(&a->reverse[k], s->eq, MOTION_OWN, run->nu, NULL, NULL);
  }
  adjoint_read_joints(a);
  return MBD_OK;
}

const sim_analysis analysis_closing = {
    .name = "closing",
    .doc =
        "how far a mechanism that locks is from the whole of its cycle: at every node the position at which the "
        "constraints are closest to being met, with driven coordinates where their drives put them. The output "
        "mechanism.opening, which is zero where the mechanism reaches that position, is smooth as a mean square, also "
        "where a kinematic case has no values; it is the only one that objectives can have. Nothing moves: velocities "
        "and forces are zero",
    .own_start = "the start of a closing case is where its drives put it",
    .closes = 1,
    .create = create,
    .destroy = destroy,
    .start = start,
    .node = node,
    .sens = sens,
    .adjoint = adjoint,
};
