/* Static analysis: what its files share. */
#ifndef MBD_STATIC_H
#define MBD_STATIC_H

#include "simulate/analysis.h"
#include "simulate/equilibrium.h"

/* Memory of a static case, s->memory. [nz]; multipliers and right-hand sides of rows [nphi]. */
typedef struct statics {
  mbd_real *from_z, *from_lam; /* the last equilibrium on the way */
  mbd_real *to_z, *to_lam;     /* where Newton's iteration leads from there */
  mbd_real *first;             /* the first correction */
  int negative;                /* motions with a negative stiffness there */
  double turned;               /* when their number changed last */
  equilibrium_verdict verdict; /* of the last equilibrium judged, */
  double judged_at;            /* and its time, if it is that of a node */
  int left_unstable;           /* 1: the equilibrium before has been found unstable */

  mbd_arena arena;
} statics;

static inline statics *statics_of(const mbd_sim *s) {
  return s->memory;
}

/* The equilibrium at the time s->t from that of s->before, in s->now.z and s->start->settle->y (static_path.c). */
mbd_status static_follow(mbd_sim *s, mbd_error *err);

/* Checks the stability of the equilibrium of a node, whose system is factored; the next equilibrium is followed from it. */
void static_keep(mbd_sim *s);

/* The end of a path of equilibria: after the time `last`, none is found for times up to `failed`. `to`: the time of the next node; slope:
 * the largest rate of a coordinate where the step to it began. static_lost reports the cause (static_limit.c). */
typedef struct static_end {
  mbd_real last, failed, to;
  double slope;
} static_end;
mbd_status static_lost(mbd_sim *s, const static_end *e, mbd_error *err);

#endif
