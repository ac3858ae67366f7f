/* Newton's iteration for a steady motion, and the way to it. Straight on at the given speed it is damped: a part of a correction is taken if the
 * next correction with the same factors is shorter (natural test [Deuflhard 2004, 3.3]). From there the turn is followed to the given one, and in a
 * case of steady motions one node to the next: by parts, of which one counts if its corrections shrink from the first on; others are shortened.
 * Where the shortest part does not lead on, the way ends at a limit point: no steady motion is beyond, as in a turn that the tyres cannot hold.
 * Equations: theory.md §5.8 (5.15). */
#include <stdio.h>
#include <string.h>

#include "model/state.h"
#include "simulate/equilibrium.h"
#include "simulate/steady.h"

enum { ITERATIONS = 60, PARTS_MAX = 600 };

static const double shrinks_to = 0.25; /* the second correction of a part, relative to the first */
static const double shorter = 0.47, min_part = 1e-7;
static const double shortest = 1e-4;        /* part of a damped correction */
static const double last_correction = 1e-9; /* relative to 1 + |unknowns|: the next one is at rounding */

/* ---- sets of unknowns ---- */

static void save(const mbd_sim *s, mbd_real *y) {
  const sim_steady *trim = steady_of(s);
  memcpy(y, s->now.z, (size_t)s->m->nz * sizeof *y);
  memcpy(y + steady_col_lam(s), trim->lam, (size_t)s->m->nphi * sizeof *y);
  memcpy(y + steady_col_rate(s), trim->w, (size_t)trim->nrate * sizeof *y);
  memcpy(y + steady_col_input(s), trim->delta, (size_t)trim->ninput * sizeof *y);
}

static void restore(mbd_sim *s, const mbd_real *y) {
  sim_steady *trim = steady_of(s);
  memcpy(s->now.z, y, (size_t)s->m->nz * sizeof *y);
  memcpy(trim->lam, y + steady_col_lam(s), (size_t)s->m->nphi * sizeof *y);
  memcpy(trim->w, y + steady_col_rate(s), (size_t)trim->nrate * sizeof *y);
  memcpy(trim->delta, y + steady_col_input(s), (size_t)trim->ninput * sizeof *y);
  steady_take_inputs(s);
}

/* The unknowns := those of y, moved by part dy. */
static void move(mbd_sim *s, const mbd_real *y, double part, const mbd_real *dy) {
  sim_steady *trim = steady_of(s);
  mbd_real *to[] = {s->now.z, trim->lam, trim->w, trim->delta};
  const int first[] = {0, steady_col_lam(s), steady_col_rate(s), steady_col_input(s), trim->nunknown};
  for (int k = 0; k < 4; k++) {
    for (int i = first[k]; i < first[k + 1]; i++) { to[k][i - first[k]] = y[i] + part * dy[i]; }
  }
  steady_take_inputs(s);
}

/* The size of a correction, of positions and rates, each relative to 1 + its size: multipliers and inputs follow. */
static double size_of(const mbd_sim *s, const mbd_real *dy) {
  const sim_steady *trim = steady_of(s);
  double size = 0;
  for (int j = 0; j < s->m->nz; j++) {
    const double x = mbd_largest(dy[j]) / (1 + mbd_largest(s->now.z[j]));
    if (!(x <= size)) { size = x; }
  }
  for (int i = 0; i < trim->nrate; i++) {
    const double x = mbd_largest(dy[steady_col_rate(s) + i]) / (1 + mbd_largest(trim->w[i]));
    if (!(x <= size)) { size = x; }
  }
  return size;
}

/* ---- Newton's iteration ---- */

/* How an iteration went. */
typedef struct course {
  int arrived; /* 1: at a solution, whose equations are factored */
  int shrank;  /* 1: without damping, and the second correction was short */
} course;

/* The part of the correction dy from the unknowns in trim->kept, and these moved by it. 0: none shortens the next correction, and the unknowns
 * and their equations are those of trim->kept, which messages tell of. */
static double damp(mbd_sim *s, double step) {
  sim_steady *trim = steady_of(s);
  for (double part = 1; part >= shortest; part /= 2) {
    move(s, trim->kept, part, trim->dy);
    steady_evaluate(s);
    steady_correct(s, trim->simple);
    if (size_of(s, trim->simple) <= (1 - part / 4) * step) { return part; }
  }
  restore(s, trim->kept);
  steady_evaluate(s);
  return 0;
}

/* Iterates from the present unknowns. undamped: 1: gives up where a full correction does not do. */
static course newton(mbd_sim *s, int undamped, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  course c = {.shrank = 1};
  mbd_real *begin = trim->kept;
  int after = 0;
  steady_evaluate(s);
  for (int it = 0; it < ITERATIONS && steady_factor(s, err) == MBD_OK; it++) {
    if (after > EXTRA_ITERATIONS + 1) {
      c.arrived = 1;
      return c;
    }
    steady_correct(s, trim->dy);
    const double step = size_of(s, trim->dy);
    if (isnan(step)) { return c; }
    if (it == 0) { memcpy(trim->first, trim->dy, (size_t)trim->nunknown * sizeof *trim->first); }
    save(s, begin);
    after += after || step <= last_correction;
    if (after) {
      move(s, begin, 1, trim->dy);
      steady_evaluate(s);
      continue;
    }
    const double part = damp(s, step);
    if (it == 0) { c.shrank = part == 1 && size_of(s, trim->simple) <= fmax(shrinks_to * step, last_correction); }
    if (part == 0 || (undamped && (part < 1 || !c.shrank))) { return c; }
    if (EXTRA_ITERATIONS > 0) {
      save(s, begin);
      sim_drop_imaginary(trim->nunknown, begin);
      restore(s, begin);
      steady_evaluate(s);
    }
  }
  return c;
}

/* ---- is it one? ---- */

static const double holds_to = 1e-9; /* of an equation that the others imply, scaled */

/* All equations hold, and all unknowns but shares of redundant constraints are determined. */
static mbd_status check(mbd_sim *s, mbd_error *err) {
  const sim_steady *trim = steady_of(s);
  int row;
  double left;
  for (int k = trim->rank; k < trim->nunknown; k++) {
    const int c = trim->col[k], is_input = c >= steady_col_input(s);
    if (c >= steady_col_lam(s) && c < steady_col_rate(s)) { continue; }
    MBD_FAIL(err, MBD_SINGULAR, "steady motion: nothing determines %s'%s' there; expected %s", is_input ? "input " : "",
             steady_unknown_name(s, c),
             is_input ? "as many inputs in steady.find as motions are given, each of which acts"
                      : "a force that changes with it, or steady.speed and steady.curvature given");
  }
  for (int i = 0; i < s->velocity_row; i++) {
    const double allowed = start_held_to * (1 + mbd_norm_inf(s->m->nz, s->now.z));
    if (!trim->dependent[i] || mbd_largest(trim->phi[i]) <= allowed) { continue; }
    MBD_FAIL(err, MBD_NO_ASSEMBLY, "no steady motion satisfies all constraints: '%s' is left at %.3g",
             s->m->phi_name[i], mbd_first(trim->phi[i]));
  }
  const char *name = steady_worst_row(s, &row, &left);
  if (mbd_largest(trim->row_scale[row] * trim->G[row]) <= holds_to) { return MBD_OK; }
  const int is_force = row < s->m->nz, is_given = row >= steady_row_given(s);
  MBD_FAIL(err, MBD_NO_CONVERGENCE,
           "no steady motion: %s '%s' is left at %.4g%s; expected as many inputs in steady.find as motions are given "
           "(%d of %d), which act on it",
           is_force   ? "the balance along"
           : is_given ? "what is given,"
                      : "equation",
           name, left, is_force ? " (the force or torque that lacks)" : "", trim->ninput,
           (trim->speed >= 0) + (trim->curvature >= 0 || trim->lateral >= 0));
}

/* ---- the way ---- */

static const double steeper = 8; /* an unknown changes faster than at first by this factor: towards a limit point */

/* From `from` to `to`, times or, for a time, parts of the turn. */
typedef struct way {
  int of_time;
  mbd_real from, to;
} way;

static void go_to(mbd_sim *s, const way *w, double done) {
  const mbd_real at = done < 1 ? w->from + (w->to - w->from) * done : w->to;
  if (w->of_time) {
    s->t = at;
  } else {
    steady_of(s)->part = mbd_first(at);
  }
}

/* How fast the unknowns change: positions and rates, relative to 1 + their size; then the inputs. slope [1 + ninput] */
static void slopes(const mbd_sim *s, double part, double *slope) {
  const sim_steady *trim = steady_of(s);
  slope[0] = size_of(s, trim->first) / part;
  for (int i = 0; i < trim->ninput; i++) { slope[1 + i] = mbd_largest(trim->first[steady_col_input(s) + i]) / part; }
}

/* What has grown most since the way began: 0: positions and rates, 1 + i: input i; *by: how much. */
static int steepest(const sim_steady *trim, double *by) {
  int worst = 0;
  *by = 0;
  for (int i = 0; i <= trim->ninput; i++) {
    const double grown = trim->slope[i] > 0 ? trim->slope[1 + trim->ninput + i] / trim->slope[i] : 0;
    if (grown > *by) { worst = i, *by = grown; }
  }
  return worst;
}

static mbd_status lost(mbd_sim *s, const way *w, double done, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  char names[200];
  double grown;
  const int what = steepest(trim, &grown), turns = trim->nrow > steady_row_given(s) + 1;
  if (what > 0) {
    snprintf(names, sizeof names, "input '%s'", s->c.found_name[what - 1]);
  } else {
    equilibrium_list_moving(s, trim->first, 3, names, sizeof names);
  }
  restore(s, trim->from);
  go_to(s, w, done);
  steady_evaluate(s);
  const double V = mbd_first(trim->V), r = mbd_first(steady_turn(s));
  if (grown >= steeper && turns) {
    MBD_FAIL(
        err, MBD_SINGULAR,
        "no steady turn beyond a lateral acceleration of %.4g m/s^2 (curvature %.4g 1/m) at %.4g m/s: a limit point, "
        "towards which %s grow%s without bound. Expected less of it, or other tyres, loads or limits of forces",
        fabs(r * V), fabs(r / V), V, names, strchr(names, ',') ? "" : "s");
  }
  MBD_FAIL(
      err, MBD_NO_CONVERGENCE,
      "the steady motion cannot be followed beyond a speed of %.4g m/s and a lateral acceleration of %.4g m/s^2: "
      "Newton's iteration does not converge, however near the next one; it first moves %s (a force that jumps there, "
      "or a wheel that lifts off?)",
      V, fabs(r * V), names);
}

static const double begun = 1e-3; /* a shorter part of the way: none of it is possible */

static mbd_status follow(mbd_sim *s, const way *w, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  double done = 0, part = 1;
  mbd_status status = MBD_OK;
  save(s, trim->from);
  for (int i = 0; i < PARTS_MAX && part >= min_part; i++) {
    const double end = done + part;
    go_to(s, w, end);
    const course c = newton(s, 1, NULL);
    slopes(s, part, trim->slope + (i == 0 ? 0 : 1 + trim->ninput));
    status = c.arrived ? check(s, err) : MBD_NO_CONVERGENCE;
    if (status != MBD_OK) {
      restore(s, trim->from);
      part *= shorter;
    } else if (end >= 1) {
      return MBD_OK;
    } else {
      save(s, trim->from);
      done = end, part = fmin(2 * part, 1 - done);
    }
    /* Equations that contradict each other do so however short the way: what is given takes other inputs. */
    if (status != MBD_OK && c.arrived && done == 0 && part < begun) { return status; }
  }
  return lost(s, w, done, err);
}

mbd_status steady_follow(mbd_sim *s, mbd_error *err) {
  const way w = {.of_time = 1, .from = s->t - s->h * s->dilation, .to = s->t};
  return follow(s, &w, err);
}

/* The rates of a first guess: those of the start, straight on, and as fast as is given. */
static void guess_rates(mbd_sim *s) {
  sim_steady *trim = steady_of(s);
  const int first = trim->base >= 0 ? 3 : 0;
  double speed = 0;
  for (int i = 0; i < trim->ncyclic; i++) { trim->w[first + i] = mbd_re(s->now.zd[trim->cyclic[i]]); }
  if (trim->base < 0) { return; }
  for (int i = 0; i < 2; i++) {
    trim->w[i] = mbd_re(s->now.zd[trim->shift[i]]), speed = hypot(speed, mbd_first(trim->w[i]));
  }
  trim->w[2] = 0;
  if (trim->speed < 0) { return; }
  trim->part = 0;
  steady_evaluate(s);
  if (!(speed > 0)) { trim->w[0] = speed = mbd_first(trim->V); }
  for (int i = 0; i < trim->nrate; i++) { trim->w[i] *= mbd_first(trim->V) / speed; }
}

/* Text for the coordinate, no symmetry, that moves fastest at the start, and not in a steady motion; "": all of them rest. */
static void text_of_moving(const mbd_sim *s, size_t size, char *text) {
  const sim_steady *trim = steady_of(s);
  const mbd_body *base = trim->base >= 0 ? &s->m->body[trim->base] : NULL;
  int fastest = -1;
  double rate = 0;
  for (int j = 0, k = 0; j < model_first_state(s->m); j++) {
    while (k < trim->ncyclic && trim->cyclic[k] < j) { k++; }
    const int is_cyclic = k < trim->ncyclic && trim->cyclic[k] == j;
    if (is_cyclic || (base && j >= base->z0 && j < base->z0 + base->nz)) { continue; }
    if (mbd_largest(s->now.zd[j]) > rate) { fastest = j, rate = mbd_largest(s->now.zd[j]); }
  }
  text[0] = '\0';
  if (rate > 1e-9) {
    snprintf(text, size,
             "; '%s' moves at the start, but stands still in a steady motion, as the mechanism changes with it (of a "
             "wheel: out of balance, not round about its axle, or bending)",
             s->m->z_name[fastest]);
  }
}

mbd_status steady_begin(mbd_sim *s, mbd_error *err) {
  sim_steady *trim = steady_of(s);
  const int turns = trim->curvature >= 0 || trim->lateral >= 0;
  char moving[300];
  text_of_moving(s, sizeof moving, moving);
  guess_rates(s);
  if (trim->speed >= 0 && !(mbd_first(trim->V) > 0)) {
    MBD_FAIL(err, MBD_OUT_OF_DOMAIN, "steady.speed = %.6g m/s, expected > 0", mbd_first(trim->V));
  }
  trim->part = 0;
  if (!newton(s, 0, err).arrived) {
    int row;
    double left;
    const char *name = steady_worst_row(s, &row, &left);
    if (trim->rank == 0) { return MBD_NOT_FINITE; }
    MBD_FAIL(
        err, MBD_NO_CONVERGENCE,
        "no steady motion straight on was found at %.4g m/s: the search begins at the start of the model%s, and ends "
        "where equation '%s' is left at %.3g. Expected a start near it: wheels on the road that roll at their rate, "
        "inputs that suffice%s",
        trim->speed >= 0 ? mbd_first(trim->V) : mbd_first(trim->w[0]),
        s->start->equilibrium ? ", in static equilibrium" : "", name, left, moving);
  }
  if (!turns) { return check(s, err); }
  const way w = {.of_time = 0, .from = 0, .to = 1};
  return follow(s, &w, err);
}
