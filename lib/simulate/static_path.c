/* Equilibria are followed from node to node by Newton's iteration on r + Phi_z' lam = 0, Phi = 0 from the last equilibrium; its first
 * correction is the tangent of the path. A part of the step that fails is shortened; after one that succeeds the next part is longer.
 *
 * Beyond a limit point, or near a bifurcation, there are other equilibria, and Newton's iteration may find one. A part is accepted only
 * if both of its ends are on one path:
 *   the number of motions with a negative stiffness is the same at both ends, and at the position of one under the load of the other: it
 *     changes where the stiffness becomes singular between them, which only the smallest part may pass (a bifurcation);
 *   corrections shrink from the first one on, coordinate by coordinate, as for a short part [Deuflhard 2004, 4.2]; or
 *   the largest ones shrink so, there or in an iteration back to the previous time, which must then end where the part
 *   began.
 * Equations: theory.md §5.7 (5.13). */
#include <string.h>

#include "simulate/static.h"

enum { ITERATIONS = 20, PARTS_MAX = 400 };

static const double min_part = 1e-7; /* shortest part, relative to the step */
static const double shorter = 0.47; /* not a round fraction, at which bifurcations of models with round numbers occur */
static const double quadratic_from = 1e-8; /* relative to 1 + |z|: below it two corrections predict the next one */
static const double rounding = 1e-15;
static const double shrinks_to = 0.25; /* bound of corrections relative to the first one, if they are */
static const double counts = 1e-6;     /* larger than this, relative to 1 + |z| */
static const double returns_to = 1e-7; /* error of the iteration back, relative to 1 + |z| */

/* The course of Newton's iteration. arrived: 1, the system is that of an equilibrium. everywhere, largest: 1, all later
 * corrections are small relative to the first one, in every coordinate, or in their largest entries. first_negative,
 * negative: the numbers of motions with a negative stiffness at the first position and at the last, at the time
 * s->t. */
typedef struct newton_course {
  int arrived, everywhere, largest, first_negative, negative;
} newton_course;

static void copy(int n, const mbd_real *from, mbd_real *to) {
  memcpy(to, from, (size_t)n * sizeof *to);
}

/* Compares the correction dz with the first one, and updates w->largest, w->everywhere. */
static void compare_with_first(const mbd_sim *s, double size, newton_course *w) {
  const mbd_real *dz = s->start->equilibrium->dz, *first = statics_of(s)->first;
  const int n = s->m->nz;
  w->largest &= mbd_norm_inf(n, dz) <= fmax(shrinks_to * mbd_norm_inf(n, first), counts * size);
  for (int j = 0; j < n; j++) {
    w->everywhere &=
        mbd_largest(dz[j]) <= fmax(shrinks_to * mbd_largest(first[j]), counts * (1 + mbd_largest(s->now.z[j])));
  }
}

/* The number of motions with a negative stiffness of the current system; stores its verdict. */
static int negative(mbd_sim *s) {
  equilibrium_verdict *v = &statics_of(s)->verdict;
  equilibrium_judge(s, v);
  return v->nnegative;
}

/* Returns 1 if the error after this correction is rounding: the contraction predicts it, or corrections no longer
 * shrink. */
static int is_last(double step, double last, double size) {
  return (step <= quadratic_from * size && step * (step / last) <= rounding * size) ||
         (step <= quadratic_from * size && step > last / 2);
}

/* Iterates from the current position and multipliers to those at the time s->t. */
static newton_course newton(mbd_sim *s) {
  sim_equilibrium *equilibrium = s->start->equilibrium;
  const int n = s->m->nz, m = s->eq.nrow;
  newton_course w = {.everywhere = 1, .largest = 1};
  double last = INFINITY;
  for (int it = 0, after = 0; it < ITERATIONS && equilibrium_system(s, NULL) == MBD_OK; it++) {
    w.arrived = after > EXTRA_ITERATIONS;
    if (it == 0) { w.first_negative = negative(s); }
    if (w.arrived) { w.negative = negative(s); }
    if (w.arrived) { return w; }
    if (equilibrium_correct(s, 0, NULL) != MBD_OK) { return w; }
    const double size = 1 + mbd_norm_inf(n, s->now.z), step = mbd_norm_inf(n, equilibrium->dz);
    if (!(step <= size)) { return w; } /* longer than any correction of a path, or not a number */
    if (it == 0) { copy(n, equilibrium->dz, statics_of(s)->first); }
    if (it > 0) { compare_with_first(s, size, &w); }
    for (int j = 0; j < n; j++) { s->now.z[j] += equilibrium->dz[j]; }
    for (int i = 0; i < m; i++) { equilibrium->y[i] += equilibrium->dy[i]; }
    after += after || is_last(step, last, size);
    last = step;
  }
  return w;
}

/* Iterates back to the time `from`. Returns 1 if this ends where the part began. Restores the position and the system
 * that were there before the call. */
static int leads_back(mbd_sim *s, mbd_real from, const newton_course *there) {
  statics *path = statics_of(s);
  sim_equilibrium *at = s->start->equilibrium;
  const int n = s->m->nz, m = s->eq.nrow;
  const mbd_real to = s->t;
  copy(n, s->now.z, path->to_z), copy(m, at->y, path->to_lam);
  s->t = from;
  const newton_course w = newton(s);
  int back = w.arrived && (w.largest || there->largest);
  for (int j = 0; back && j < n; j++) {
    back = mbd_largest(s->now.z[j] - path->from_z[j]) <= returns_to * (1 + mbd_largest(path->from_z[j]));
  }
  s->t = to;
  copy(n, path->to_z, s->now.z), copy(m, path->to_lam, at->y);
  return equilibrium_system(s, NULL) == MBD_OK && back;
}

/* Goes from the last equilibrium, at the time `from`, to the next one, at s->t; returns 0 if that is not found. */
static int advance(mbd_sim *s, mbd_real from, int smallest) {
  statics *path = statics_of(s);
  copy(s->m->nz, path->from_z, s->now.z), copy(s->eq.nrow, path->from_lam, s->start->equilibrium->y);
  const newton_course w = newton(s);
  if (!w.arrived || (!smallest && (w.first_negative != path->negative || w.negative != path->negative))) { return 0; }
  if (!w.everywhere && !leads_back(s, from, &w)) { return 0; }
  if (w.negative != path->negative) { path->turned = mbd_same(s->t); }
  path->negative = w.negative;
  return 1;
}

static void keep(mbd_sim *s) {
  statics *path = statics_of(s);
  copy(s->m->nz, s->now.z, path->from_z), copy(s->eq.nrow, s->start->equilibrium->y, path->from_lam);
}

void static_keep(mbd_sim *s) {
  statics *path = statics_of(s);
  equilibrium_judge(s, &path->verdict);
  path->negative = path->verdict.nnegative;
  path->judged_at = mbd_same(s->t);
}

/* Begins the path at the previous node, whose stiffness is evaluated again if a state has been restored since. */
static mbd_status begin(mbd_sim *s, mbd_real from, mbd_error *err) {
  statics *path = statics_of(s);
  const mbd_real to = s->t;
  copy(s->m->nz, s->before.z, s->now.z), copy(s->eq.nrow, s->before.lam, s->start->equilibrium->y);
  keep(s);
  if (path->judged_at == mbd_same(from)) { return MBD_OK; }
  s->t = from;
  MBD_TRY(equilibrium_system(s, err));
  static_keep(s);
  s->t = to;
  return MBD_OK;
}

mbd_status static_follow(mbd_sim *s, mbd_error *err) {
  statics *path = statics_of(s);
  const mbd_real to = s->t, step = s->h * s->dilation, from = to - step;
  double done = 0, part = 1, slope = -1;
  MBD_TRY(begin(s, from, err));
  /* `done` and `part` are fractions of the step. A part that fails is shortened, one that succeeds is followed by a longer one. */
  for (int i = 0; i < PARTS_MAX && part >= min_part; i++) {
    const double end = done + part;
    s->t = end < 1 ? from + step * end : to;
    const int found = advance(s, from + step * done, part * shorter < min_part);
    /* |dz/dt| where the step begins, for the diagnosis of a failure. */
    if (slope < 0) { slope = mbd_norm_inf(s->m->nz, path->first) / (mbd_same(step) * part); }
    if (!found) {
      part *= shorter;
    } else if (end >= 1) {
      return MBD_OK;
    } else {
      keep(s);
      done = end, part = fmin(2 * part, 1 - done);
    }
  }
  const static_end e = {
      .last = from + step * done, .failed = from + step * (done + part / shorter), .to = to, .slope = slope};
  copy(s->m->nz, path->from_z, s->now.z), copy(s->eq.nrow, path->from_lam, s->start->equilibrium->y);
  return static_lost(s, &e, err);
}
