/* Checks at each node whether the steps of the run resolve the motion, by an estimate of their error:
 *   explicit steps     d = zdd of the last stage - zdd,        h d/6 the difference to a method of order three
 *   Newmark's family   d = (zdd - 2 zdd_ + zdd__)/4,           h d/3 the error of the trapezoidal rule (_: the previous
 *   node)
 * both are errors of a velocity in one step. Two measures follow for every coordinate:
 *   share of the acceleration that is not resolved,  sum |d| / sum |zdd|  over the last steps: 0.001 or less for a smooth
 *     motion, 0.03 to 0.2 for a short time when a stiff force sets in, above 0.5 permanently where explicit steps are
 *     too long to be stable and only saturating forces bound the motion
 *   the largest error of one step, relative to the largest velocity of the run: large if a step crosses a kink
 * An angle whose rate changes within a step by more than half a turn per step cannot be resolved, whatever the forces:
 * a body with hardly any inertia, between joints that come into line, turns as fast as that. All checks use real parts, and are those of each
 * design by itself.
 * Integrators that control the error of their steps are not checked.
 * Equations: theory.md §5.1 (5.1). */
#include "simulate/watch.h"

#include <stdio.h>
#include <string.h>

#include "dynamics/motion.h"
#include "formulation/nonsmooth.h"
#include "model/state.h"
#include "objective/node_states.h"

static const double fading = 15.0 / 16; /* factor of a sum over steps, from one step to the next */
static const double some = 0.3;         /* motions with a larger share are not well resolved */
static const double max = 0.5;          /* motions with a larger share are not resolved at all */
static const double gross = 0.1;        /* error of a step, relative to the largest velocity */
static const double sudden = 0.1;       /* part of a force's change in a step that its slopes do not predict */
static const double quiet = 1e-3;       /* accelerations below this part of the largest are ignored */
static const double slow =
    1e-3; /* and, in natural coordinates, changes of the velocity in a step below this part of it */
static const double half_turn = 3.14159265358979;
static const double nothing = 1e-6;                                   /* [rad/s^2, m/s^2], [rad/s, m/s] */
enum { WARN_MAX = 64, WARN_MIN = 16, FAIL_MAX = 200, FAIL_MIN = 32 }; /* steps on end */

struct sim_watch {           /* [nz] each */
  double *last;              /* zdd of the node before the previous node */
  double *error, *size;      /* fading sums of the unresolved part of zdd, and of zdd */
  double *top, *speed;       /* largest zdd, zd so far */
  double *jump, *jump_at;    /* largest error of a step, and its time [s] */
  int some_steps, max_steps; /* number of consecutive steps with too large a share */
  /* Data of the step with the largest error of a velocity, if it exceeds `gross`: the coordinate, -1: none; the error;
   * time and motion at both ends, 0: at the previous node. */
  int gross_of;
  double gross_jump, gross_t[2];
  mbd_real *gross_z[2], *gross_zd[2];
};

static sim_watch *watch_of(const mbd_sim *s) {
  return &s->monitor[s->design];
}

static void layout_one(mbd_sim *s, sim_watch *w, mbd_arena *a) {
  const size_t bytes = (size_t)s->m->nz * sizeof(double);
  double **vector[] = {&w->last, &w->error, &w->size, &w->top, &w->speed, &w->jump, &w->jump_at};
  for (size_t i = 0; i < sizeof vector / sizeof vector[0]; i++) { *vector[i] = mbd_arena_take(a, bytes); }
  MBD_ARENA_REALS(a, (size_t)s->m->nz, &w->gross_z[0], &w->gross_z[1], &w->gross_zd[0], &w->gross_zd[1]);
}

void watch_layout(mbd_sim *s, mbd_arena *a) {
  sim_watch counted;
  s->monitor = mbd_arena_take(a, MBD_DESIGNS * sizeof *s->monitor);
  for (int i = 0; i < MBD_DESIGNS; i++) { layout_one(s, s->monitor ? &s->monitor[i] : &counted, a); }
}

static int is_explicit(const mbd_sim *s) {
  return s->integrator->tableau && !s->integrator->tableau->error;
}

static int is_watched(const mbd_sim *s) {
  return s->integrator->scheme || is_explicit(s);
}

/* ---- states that are faster than the steps ---- */

static int follows_by_nodes(const mbd_sim *s, int i) {
  return s->node_states->acting.n > 0 || model_state_measures(s->m, i);
}

/* The part of a force, whose argument a is the coordinate of a state, in df/dx of the state. */
static double slope_of_force(const mbd_sim *s, const mbd_force *f, int a) {
  mbd_real K[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], D[ELEMENT_ARG_MAX][ELEMENT_ARG_MAX][9], rate[ELEMENT_ARG_MAX][3];
  mbd_arg_state x;
  mbd_element_input in;
  lift_values(s->w, &f->lift, 1, &x);
  params_force_input(s->p, f, s->t, s->w->turns, &x, &in);
  mbd_blocks_zero(f->lift.narg, K), mbd_blocks_zero(f->lift.narg, D);
  f->ops->f_x(&in, rate, K, D);
  return sim_of(s, D[a][a][0]);
}

/* df/dx of state i, by itself: minus the inverse of its time constant. */
static double slope_of_state(mbd_sim *s, int i) {
  if (follows_by_nodes(s, i)) { return node_states_slope(s, i); }
  const int j = model_first_state(s->m) + i;
  double slope = 0;
  for (int k = 0; k < s->m->nforce; k++) {
    const mbd_lift *l = &s->m->force[k].lift;
    for (int a = 0; a < l->narg; a++) {
      if (l->arg[a].kind == MBD_ARG_COORDINATE && l->arg[a].b == j) { slope += slope_of_force(s, &s->m->force[k], a); }
    }
  }
  return slope;
}

/* With a = -h/2 df/dx the trapezoidal rule multiplies what a state has left of its start by (1 - a)/(1 + a), which is negative for a > 1. */
static void warn_of_fast_states(mbd_sim *s) {
  const int newmark = strcmp(s->integrator->name, "newmark") == 0;
  for (int i = 0; i < s->m->nstate; i++) {
    const int by_nodes = follows_by_nodes(s, i);
    if (!newmark && !by_nodes) { continue; }
    const double slope = slope_of_state(s, i);
    if (!(s->h / 2 * -slope > 1)) { continue; }
    sim_warn(
        s, "unresolved", 0,
        "state '%s' has a time constant of %.3g s at the start, less than half the step of %g s: what is left of its "
        "start changes its sign from step to step. A smaller step,%s or a [quantity] in the place of a state as fast "
        "as "
        "this",
        s->m->z_name[model_first_state(s->m) + i], -1 / slope, s->h,
        by_nodes ? "" : " integrator = generalized_alpha, which damps it,");
    return;
  }
}

static void begin_one(mbd_sim *s) {
  sim_watch *w = watch_of(s);
  w->some_steps = w->max_steps = 0;
  w->gross_of = -1;
  for (int j = 0; j < s->m->nz; j++) {
    w->last[j] = sim_of(s, s->now.zdd[j]);
    w->error[j] = w->size[j] = w->jump[j] = 0;
    w->top[j] = fabs(sim_of(s, s->now.zdd[j])), w->speed[j] = fabs(sim_of(s, s->now.zd[j]));
  }
  warn_of_fast_states(s);
}

void watch_begin(mbd_sim *s) {
  SIM_EACH_DESIGN(s) {
    begin_one(s);
  }
}

/* The noise of an acceleration, from rounding and from the tolerance of Newton's iteration. */
static double noise(const mbd_sim *s) {
  if (is_explicit(s)) { return nothing; }
  return nothing + 4 * s->c.tolerance * (1 + model_extent(s->m, s->m->nz, s->now.z)) / (s->h * s->h);
}

static double unresolved(const mbd_sim *s, int j) {
  const double a = sim_of(s, s->now.zdd[j]), before = sim_of(s, s->before.zdd[j]);
  return is_explicit(s) ? s->stage_difference[j] : (a - 2 * before + watch_of(s)->last[j]) / 4;
}

/* In natural coordinates explicit steps resolve the accelerations of points and vectors, zd^2 in a steady rotation, of which zdd is what is left:
 * the smallest acceleration of coordinate j that counts. */
static double smallest(const mbd_sim *s, int j, double min) {
  const int natural = s->c.coordinates == MBD_COORDINATES_NATURAL;
  return natural && is_explicit(s) ? min + slow * watch_of(s)->speed[j] / s->h : min;
}

/* Updates the sums and largest values of coordinate j; returns its share. */
static double look_at(mbd_sim *s, int k, int j, double min) {
  sim_watch *w = watch_of(s);
  const double a = fabs(sim_of(s, s->now.zdd[j])), d = k > 1 || is_explicit(s) ? fabs(unresolved(s, j)) : 0;
  const double jump = s->h * d / (is_explicit(s) ? 6 : 3);
  if (jump > w->jump[j]) { w->jump[j] = jump, w->jump_at[j] = sim_of(s, s->t); }
  w->last[j] = sim_of(s, s->before.zdd[j]);
  w->top[j] = fmax(w->top[j], a), w->speed[j] = fmax(w->speed[j], fabs(sim_of(s, s->now.zd[j])));
  w->error[j] = fading * w->error[j] + d, w->size[j] = fading * w->size[j] + a;
  return w->error[j] / (w->size[j] + (quiet * w->top[j] + smallest(s, j, min)) / (1 - fading));
}

static void keep_gross(mbd_sim *s, int j) {
  sim_watch *w = watch_of(s);
  const sim_state *end[2] = {&s->before, &s->now};
  w->gross_of = j, w->gross_jump = w->jump[j];
  w->gross_t[0] = sim_of(s, s->t) - s->h, w->gross_t[1] = sim_of(s, s->t);
  for (int k = 0; k < 2; k++) {
    memcpy(w->gross_z[k], end[k]->z, (size_t)s->m->nz * sizeof *w->gross_z[k]);
    memcpy(w->gross_zd[k], end[k]->zd, (size_t)s->m->nz * sizeof *w->gross_zd[k]);
  }
}

/* Stores the step to the current node if its error is larger than that of the stored one, both relative to the largest
 * velocities so far. */
static void look_for_gross(mbd_sim *s, double min) {
  const sim_watch *w = watch_of(s);
  const double kept = w->gross_of < 0 ? 0 : w->gross_jump / (w->speed[w->gross_of] + min);
  double share = fmax(gross, kept);
  int found = -1;
  for (int j = 0; j < s->m->nz; j++) {
    const double q = w->jump_at[j] == sim_of(s, s->t) ? w->jump[j] / (w->speed[j] + min) : 0;
    if (q > share) { share = q, found = j; }
  }
  if (found >= 0) { keep_gross(s, found); }
}

/* The number of consecutive steps after which a share is reported: `longest`, in a short run half of the run, but at
 * least `min`. */
static int on_end(const mbd_sim *s, int longest, int min) {
  const int half = s->nsteps / 2, length = half < longest ? half : longest;
  return length > min ? length : min;
}

static void warn_unresolved(mbd_sim *s, int j, double share) {
  const double end = sim_of(s, s->t);
  const char *other = ", or integrator = generalized_alpha, which damps what it does not resolve";
  if (is_explicit(s)) {
    other = s->m->nphi > 0 ? ", or formulation = ali3p with integrator = " MBD_IMPLICIT_NAMES
                           : ", or integrator = " MBD_IMPLICIT_NAMES;
  } else if (strcmp(s->integrator->name, "generalized_alpha") == 0) {
    other = s->c.rho_inf > 0 ? ", or a smaller rho_inf, which damps more of what is not resolved" : "";
  }
  sim_warn(
      s, "unresolved", end - watch_of(s)->some_steps * s->h,
      "from t = %.4g to %.4g s and maybe later, steps of %g s do not resolve the accelerations, most of all that of "
      "'%s' (unresolved share %.2g): a smaller step%s",
      end - watch_of(s)->some_steps * s->h, end, s->h, s->m->z_name[j], share, other);
}

/* Warns if the rate of coordinate j changes in the step by more than half a turn per step. */
static void check_turn(mbd_sim *s, int j) {
  const double change = fabs(sim_of(s, s->now.zd[j]) - sim_of(s, s->before.zd[j]));
  const char *unit = s->m->z_unit[j];
  if (!(change * s->h > half_turn) || !unit || strcmp(unit, "rad") != 0) { return; }
  sim_warn(s, "whip", sim_of(s, s->t),
           "in the step to t = %.4g s the rate of '%s' changes by %.3g rad/s, more than half a turn in a step of %g s: "
           "the motion is not resolved from there on (hardly any inertia about that axis, in a position where joints "
           "are in line?). A smaller step, or more inertia",
           sim_of(s, s->t), s->m->z_name[j], change, s->h);
}

/* What else than the step helps where explicit steps are too long, if the model has forces. */
static const char *softer_force(const mbd_model *m) {
  for (int i = 0; i < m->nforce; i++) {
    for (const mbd_coef_info *coef = m->force[i].ops->info.coefs; coef->key; coef++) {
      if (strcmp(coef->key, "slip_speed") == 0) { return ", or a softer force (of tyres: a larger slip_speed)"; }
    }
  }
  return m->nforce ? ", or a softer force" : "";
}

static mbd_status step_of_one(mbd_sim *s, int k, mbd_error *err) {
  sim_watch *w = watch_of(s);
  const double min = noise(s);
  double share = 0, error = 0;
  int worst = 0; /* not the coordinate with the largest share, which may hardly move */
  for (int j = 0; j < s->m->nz; j++) {
    const double q = look_at(s, k, j, min);
    check_turn(s, j);
    share = fmax(share, q);
    if (q > some && w->error[j] > error) { error = w->error[j], worst = j; }
  }
  look_for_gross(s, nothing + s->h * min);
  w->some_steps = share > some ? w->some_steps + 1 : 0;
  w->max_steps = share > max ? w->max_steps + 1 : 0;
  if (is_explicit(s) && w->max_steps == on_end(s, FAIL_MAX, FAIL_MIN)) {
    MBD_FAIL(
        err, MBD_NO_CONVERGENCE,
        "explicit steps of %g s are too long: over the last %d of them accelerations changed within a step by more "
        "than half their size, most of all that of '%s'. %sa smaller step, integrator = newmark or dormand_prince%s",
        s->h, w->max_steps, s->m->z_name[worst],
        s->m->nforce ? "A stiff force is not resolved, or friction that saturates: " : "Expected ", softer_force(s->m));
  }
  if (w->some_steps == on_end(s, WARN_MAX, WARN_MIN)) { warn_unresolved(s, worst, share); }
  return MBD_OK;
}

mbd_status watch_step(mbd_sim *s, int k, mbd_error *err) {
  if (!is_watched(s)) { return MBD_OK; }
  SIM_EACH_DESIGN(s) {
    MBD_TRY(step_of_one(s, k, err));
  }
  return MBD_OK;
}

/* text: the force whose change in the step to that time its slopes predict worst, as the cause, or ""; remedy: what makes its law
 * smoother, ", or ...", or "". */
static mbd_status nonsmooth_text(mbd_sim *s, double at, char text[256], char remedy[80], mbd_error *err) {
  const sim_watch *w = watch_of(s);
  nonsmooth worst;
  text[0] = remedy[0] = '\0';
  if (w->gross_of < 0 || w->gross_t[1] != at) { return MBD_OK; }
  const nonsmooth_motion from = {w->gross_t[0], w->gross_z[0], w->gross_zd[0]},
                         to = {w->gross_t[1], w->gross_z[1], w->gross_zd[1]};
  MBD_TRY(nonsmooth_find(s, &from, &to, &worst, err));
  motion_place(s->w, s->p, s->t, s->now.z);
  motion_move(s->w, s->now.zd, s->now.zdd, 1);
  if (worst.force >= 0 && worst.missed > sudden * worst.change) {
    const mbd_force *force = &s->m->force[worst.force];
    snprintf(text, 256,
             ", by a force whose law bends or jumps within the step (most of all force '%.64s', %.40s, which changes "
             "by %.3g, of which its slopes before miss %.3g),",
             force->name, force->ops->info.name, worst.change, worst.missed);
    memcpy(remedy, ", or ", 6);
    nonsmooth_remedy(force, remedy + 5, 75);
  }
  return MBD_OK;
}

static mbd_status end_of_one(mbd_sim *s, mbd_error *err) {
  const sim_watch *w = watch_of(s);
  double share = 0;
  int worst = 0;
  const double min = nothing + s->h * noise(s);
  /* The coordinate with the largest error of one step relative to its largest velocity. */
  for (int j = 0; j < s->m->nz; j++) {
    const double q = w->jump[j] / (w->speed[j] + min);
    if (q > share) { share = q, worst = j; }
  }
  if (share <= gross) { return MBD_OK; }
  /* If it exceeds the bound, a warning names the coordinate, and the force that has the kink, if one has. */
  char force[256], remedy[80];
  MBD_TRY(nonsmooth_text(s, w->jump_at[worst], force, remedy, err));
  sim_warn(
      s, "kink", w->jump_at[worst],
      "in the step to t = %.4g s the acceleration of '%s' changes so much%s that its velocity is uncertain by about "
      "%.0f %% of the largest of the run: a smaller step%s",
      w->jump_at[worst], s->m->z_name[worst], force, 100 * share, remedy);
  return MBD_OK;
}

mbd_status watch_end(mbd_sim *s, mbd_error *err) {
  if (!is_watched(s)) { return MBD_OK; }
  SIM_EACH_DESIGN(s) {
    MBD_TRY(end_of_one(s, err));
  }
  return MBD_OK;
}
