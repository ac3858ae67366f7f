/* Static equilibrium as the start. */
#ifndef MBD_EQUILIBRIUM_H
#define MBD_EQUILIBRIUM_H

#include "la/near_singular.h"
#include "simulate/analysis.h"
#include "simulate/start.h"

/* Rows: Phi, the held quantities that stay, the coordinates that keep their guess; at most nphi + held rows + nz. */
struct sim_equilibrium {
  mbd_real *J, *F;                 /* [nrow][nz], [nrow][np]: the rows, and the right-hand sides of their derivatives */
  mbd_real *y;                     /* [nrow] multipliers */
  mbd_real *r;                     /* [nz] r + J' y */
  mbd_real *zero, *rates;          /* [nz] accelerations of a mechanism at rest, zero; its rates, zero but for states */
  mbd_real *K, *C, *M;             /* [nz][nz] derivatives of r + J' y */
  mbd_real *K_damped, *lu;         /* [nz][nz] K + sigma M; its factors with the penalty */
  int *piv;                        /* [nz] */
  mbd_factors factors;             /* in lu */
  mbd_saddle system;               /* K_damped and J with these factors */
  mbd_near_singular near_singular; /* for rows on which the penalty has little effect */
  mbd_real *b;                     /* [nz][np] right-hand sides of the derivatives */
  mbd_real *dz, *dy;               /* corrections, or derivatives: [nz], [nrow][np] */
  mbd_real *step, *left;           /* of the solver: [nz][np], [nrow][np] */
  mbd_real *assembled;             /* [nz] the position at which the search begins */
  mbd_real *check_work;            /* [4 nz][nz] scratch of equilibrium_judge */
  double *check_J;                 /* [nrow][nz + 1] */
  int *check_row, *check_col, *check_piv; /* [nrow], [nz], [nz] */
  int states_act; /* 1: states that settle act on the mechanism, whose stiffness without them says nothing of its stability */
};

/* Allocates s->start->settle for the runs of s, from the arena of s->start. */
void equilibrium_layout(mbd_sim *s, mbd_arena *a);

/* Finds the static equilibrium, beginning at the assembled position; and the derivatives of its position, in s->sens.z,
 * and of its multipliers, in dy. */
mbd_status equilibrium_state(mbd_sim *s, mbd_error *err);
mbd_status equilibrium_sens(mbd_sim *s, mbd_error *err);
mbd_status equilibrium_sens_at(mbd_sim *s, mbd_error *err); /* after equilibrium_system, with y there */
/* The adjoint of the equilibrium, after equilibrium_system with its y: from the derivatives a->z by the position and a->lam
 * [nphi][npsi] by the multipliers of Phi (NULL: none of them) to those by the coefficients. */
mbd_status equilibrium_solve_back(mbd_sim *s, sim_adjoint *a, const mbd_real *by_lam, mbd_error *err);

/* A state x is the rate of its coordinate, whose place in z holds x during the search. The first function gives the rates of a mechanism at
 * rest these values, rates [nz][columns] = z there; the other moves the derivatives a->zd by them to a->z. */
void equilibrium_states(const mbd_model *m, int columns, const mbd_real *z, mbd_real *rates);
void equilibrium_states_back(const mbd_model *m, sim_adjoint *a);
/* 1: equilibrium determines state i, whose rate is then zero. */
static inline int equilibrium_settles_state(const mbd_sim *s, int i) {
  return s->analysis->settles || s->m->state[i].settles;
}

/* Called after the last iteration, with J and K of the equilibrium: warns if the equilibrium is unstable, or far from
 * the assembled position. MBD_SINGULAR: nothing determines some of its coordinates; the message names them. */
mbd_status equilibrium_check(mbd_sim *s, mbd_error *err);

/* The properties of the current equilibrium, for which J, K and M must have been evaluated; dz is undefined after
 * equilibrium_judge. */
typedef struct equilibrium_verdict {
  char leaves[200]; /* "": it is stable; else the coordinates along which an instability grows most */
  char floats[300]; /* "": none; else coordinates that neither rows nor forces determine */
  int nfloating;    /* the number of these coordinates */
  int nnegative;    /* number of motions with a negative stiffness */
} equilibrium_verdict;
void equilibrium_judge(mbd_sim *s, equilibrium_verdict *v);

/* MBD_SINGULAR: nothing determines the coordinates of v->floats. equilibrium_not_found returns the same if nothing
 * determines some coordinates at the position where the search for an equilibrium found a singular matrix or, in a
 * static case, at the position where it began; else the `status` of the search, whose message is in err. */
mbd_status equilibrium_floats(const mbd_sim *s, const equilibrium_verdict *v, mbd_error *err);
mbd_status equilibrium_not_found(mbd_sim *s, mbd_status status, mbd_error *err);

/* "'A', 'B' and 3 more": the coordinates that x [nz] moves most, each by at least half of the largest change; at most
 * `names` of them by name. */
void equilibrium_list_moving(const mbd_sim *s, const mbd_real *x, int names, char *text, size_t size);

/* Rows of Phi and of the held quantities that keep their values; the number of coordinates that keep their guess (in a
 * static case none: forces determine what constraints leave free); the number of all rows. */
static inline motion_rows equilibrium_rows(const mbd_sim *s) {
  return s->analysis->settles ? s->eq : motion_with_holds(s->m, s->m->nhold_kept);
}
static inline int equilibrium_kept(const mbd_sim *s) {
  return s->analysis->settles ? 0 : s->start->nfree;
}
static inline int equilibrium_all_rows(const mbd_sim *s) {
  return equilibrium_rows(s).nrow + equilibrium_kept(s);
}

/* equilibrium_system evaluates J, F, r, K at the current position with the multipliers y, and prepares q->system of K and J;
 * equilibrium_correct solves it for the corrections dz, dy, and overwrites r and F (rough: a low accuracy, which suffices
 * before the last iterations). */
mbd_status equilibrium_system(mbd_sim *s, mbd_error *err);
mbd_status equilibrium_correct(mbd_sim *s, int rough, mbd_error *err);

#endif
