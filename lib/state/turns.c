/* Turns of angles, from one place of a run to the next (turns.h). With the rate r of an angle y at both ends of an interval h,
 *   y = atan2(a, b) + 2 pi n,  n such that y is nearest to  y_ + h (r_ + r)/2                                (6.11)
 * If the rate between the ends lies between r_ and r, the angle differs from this prediction by h |r - r_|/2 at most, which decides on n if it
 * is less than half a turn, however far the angle has moved. Where the rates differ by more than that, as beside a singularity of the angle,
 * they predict nothing, and y is the value nearest to y_.
 * Equation: theory.md §6 (6.11). */
#include "state/turns.h"

#include <math.h>
#include <stdlib.h>

#include "output/acting.h"

static const double doubtful = 0.75 * 3.14159265358979; /* away from the prediction; half a turn decides on n */

/* ---- memory ---- */

/* Lists the angles of `outputs`, each at its number, behind those that forces read. */
static void list_angles(sim_turns *turns, const mbd_outputs *outputs) {
  for (int i = 0; i < outputs->n; i++) {
    const output *o = &outputs->item[i];
    if (o->formula) { list_angles(turns, o->formula->input); }
    if (o->turn >= 0) { turns->angle[o->turn] = o; }
  }
}

mbd_status turns_create(mbd_sim *s, mbd_error *err) {
  sim_turns *turns = s->turns = calloc(1, sizeof *turns);
  if (!turns) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for angles"); }
  const size_t n = (size_t)s->o->nturn;
  while (mbd_arena_pass(&turns->arena)) {
    turns->angle = mbd_arena_take(&turns->arena, (n + 1) * sizeof *turns->angle);
    MBD_ARENA_REALS(&turns->arena, 1 + 2 * n, &turns->node, &turns->point);
  }
  MBD_TRY(mbd_arena_check(&turns->arena, "angles", err));
  turns->n = s->o->nturn;
  acting_list_turns(s->m, turns->angle);
  list_angles(turns, s->o);
  turns_begin(s);
  return MBD_OK;
}

void turns_destroy(sim_turns *turns) {
  if (!turns) { return; }
  free(turns->passed);
  free(turns->arena.base);
  free(turns);
}

/* ---- counting ---- */

/* The angles at the motion at hand, from those at the last place. */
static void count(mbd_sim *s, mbd_real *last) {
  sim_turns *turns = s->turns;
  s->w->turns = last;
  for (int i = 0; i < turns->n; i++) {
    const output_at at = {s->w, s->m, turns->angle[i], NULL, NULL, s->p->theta};
    mbd_real slope, *angle = last + 1 + 2 * i;
    mbd_truth agree;
    const mbd_real y = arguments_value_rate(&at, &slope);
    const mbd_value near = turns_predict(last, i, s->t, mbd_re(slope), &agree), before = mbd_re(angle[0]);
    const mbd_value said = (mbd_same(s->t) - mbd_same(last[0])) * (mbd_re(angle[1]) + mbd_re(slope)) / 2;
    angle[0] = mbd_re(turns_add(last, i, s->t, y, slope)), angle[1] = mbd_re(slope);
    if (mbd_if(near != near)) { continue; }
    const mbd_value moved = mbd_re(angle[0]) - before;
    if (mbd_none(!agree || mbd_abs(moved - (near - before)) > doubtful)) { continue; }
    sim_warn(
        s, "turns", mbd_first(s->t),
        "the number of turns of '%s' is uncertain from t = %.6g s on: it has moved by %.3g rad since the last place "
        "where it was read, and its rates say %.3g rad: a smaller step, if the angle turns as fast as that; where what "
        "it is measured by comes near to its axis (yaw and roll at a pitch of 90 degrees), it is not defined",
        turns->angle[i]->name, mbd_first(s->t), mbd_first(moved), mbd_first(said));
  }
  last[0] = mbd_re(s->t);
}

void turns_begin(mbd_sim *s) {
  sim_turns *turns = s->turns;
  turns->node[0] = NAN;
  turns->npassed = 0;
  s->w->turns = turns->node;
}

void turns_at_node(mbd_sim *s) {
  count(s, s->turns->node);
}

/* ---- points between the nodes ---- */

mbd_status turns_at_point(mbd_sim *s, mbd_error *err) {
  sim_turns *turns = s->turns;
  const size_t n = turns_reals(s);
  if (n == 0) { return MBD_OK; }
  if (turns->npassed == turns->capacity) {
    const int capacity = turns->capacity ? 2 * turns->capacity : 3 * s->nsteps + 1000;
    mbd_value *passed = realloc(turns->passed, (size_t)capacity * n * sizeof *passed);
    if (!passed) {
      MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the turns of %d angles at %d points", turns->n, capacity);
    }
    turns->passed = passed, turns->capacity = capacity;
  }
  if (turns->npassed == 0) { memcpy(turns->point, turns->node, n * sizeof *turns->point); }
  count(s, turns->point);
  for (size_t i = 0; i < n; i++) { turns->passed[(size_t)turns->npassed * n + i] = mbd_re(turns->point[i]); }
  turns->npassed++;
  return MBD_OK;
}

void turns_begin_back(mbd_sim *s) {
  s->turns->back = s->turns->npassed;
}

int turns_points_back(mbd_sim *s, int n) {
  return s->turns->back -= n;
}

void turns_of_point(mbd_sim *s, int point) {
  sim_turns *turns = s->turns;
  const size_t n = turns_reals(s);
  for (size_t i = 0; i < n; i++) { turns->point[i] = turns->passed[(size_t)point * n + i]; }
  s->w->turns = turns->point;
}

/* ---- the state ---- */

size_t turns_reals(const mbd_sim *s) {
  return s->turns->n ? 1 + 2 * (size_t)s->turns->n : 0;
}

void turns_copy(mbd_sim *s, sim_copy copy, mbd_real **at) {
  copy(at, s->turns->node, (int)turns_reals(s));
  s->w->turns = s->turns->node;
}
