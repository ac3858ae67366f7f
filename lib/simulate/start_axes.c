/* The closure of a cut joint keeps an axis parallel on both bodies by dot products that are zero. These are zero for the reversed axis,
 * too, and Newton's iteration may end there, at a position that the joint does not allow.
 * Equations: theory.md §5.5. */
#include "simulate/start.h"

/* P . C of an axis of the joint's frame: 1, or -1 for the reversed axis */
static mbd_real between(const mbd_sim *s, int joint, int axis) {
  const mbd_joint *j = &s->m->joint[joint];
  mbd_real e[2][3];
  for (int side = 0; side < 2; side++) {
    const mbd_real *F = s->p->joint[joint].F[side], local[3] = {F[axis], F[3 + axis], F[6 + axis]};
    m3_vec(e[side], s->w->body[j->body[side]].A, local);
  }
  return v3_dot(e[0], e[1]);
}

mbd_status start_check_axes(const mbd_sim *s, mbd_error *err) {
  for (int i = 0; i < s->m->njoint; i++) {
    const mbd_joint *j = &s->m->joint[i];
    for (const char *axis = j->cut ? j->ops->shared : NULL; axis && *axis; axis++) {
      if (mbd_none(!(mbd_re(between(s, i, *axis - 'x')) > 0))) { continue; }
      MBD_FAIL(err, MBD_NO_ASSEMBLY,
               "the mechanism is assembled with the two bodies of the cut joint '%s' half a turn off: an axis that "
               "they share has opposite directions (guesses that are closer keep them together)",
               j->name);
    }
  }
  return MBD_OK;
}
