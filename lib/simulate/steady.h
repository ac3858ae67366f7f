/* Steady motions (trim): declarations that the parts of the search for one, and what builds on it, share.
 *
 * On a flat road nothing changes under shifts in the plane and turns about the vertical, nor as a wheel turns about its axle. A steady motion goes along
 * these alone, at constant rates w: the velocity of the base, which is the joint on the ground that has place and heading; the rate r of turn; and
 * the rates of the cyclic coordinates. For an observer who moves and turns along all is constant:
 *   zd = X(z) w,   zdd = r S zd,   S the generator of a turn                                          theory.md §5.8 (5.14)
 *
 * Beyond the start of a case with start = steady, and at the nodes of one with analysis = steady, the motion is s->now.z, zd, zdd, lam. */
#ifndef MBD_STEADY_H
#define MBD_STEADY_H

#include "simulate/analysis.h"
#include "simulate/start.h"
#include "state/adjoint.h"

/* ---- for what is computed about a steady motion (steady_group.c) ---- */

/* Does the case begin with a steady motion, or consist of steady motions? The functions below are for such cases, after a start. */
int steady_requested(const mbd_sim *s);

/* r: the rate of turn about the vertical [rad/s], positive to the left; 0 where the mechanism has no base. */
mbd_real steady_turn(const mbd_sim *s);

/* Sx [nz] := S x, linear in x: -y, x of the base's place, half the product with the unit turn of its Euler parameters, zero elsewhere. (The angle of
 * a planar joint, which a turn increases whatever it is, has a zero.) */
void steady_generator(const mbd_sim *s, const mbd_real *x, mbd_real *Sx);

/* dz [nz] := symmetry i = 0, 1, ..., a direction in which nothing changes: with a base its two shifts and its turn on the spot; then
 * one for each cyclic coordinate. Where constraints couple cyclic coordinates, sums of these are the symmetries: Phi_z dz = 0. Returns 0 past the end. */
int steady_symmetry(const mbd_sim *s, int i, mbd_real *dz);

/* ---- the search for it ---- */

/* Memory of a search. Unknowns are z, the multipliers lam, the rates w and the inputs delta, in this order; equations those of (5.15). */
struct sim_steady {
  /* The symmetries: the base and the cyclic coordinates. */
  int base;     /* body that the base carries; -1: there is none */
  int shift[2]; /* coordinates of its place in the plane */
  int angle;    /* planar: its heading; -1: floating */
  int euler;    /* floating: the first Euler parameter */
  int axis;     /* floating: up is sign e_axis, and planar: sign times the axis of the joint */
  double sign;
  int ncyclic, *cyclic; /* [nz] */
  int nrate;            /* rates w: with a base those of its place and of its turn; those of the cyclic coordinates */
  int known;            /* 1: the symmetries have been found, which do not depend on the design */
  int told;             /* 1: the run has a motion that is unstable, of which a warning tells */
  /* Rows of the start, which say where along the symmetries the motion is: held quantities, and kept coordinates behind them. */
  int nphase, *phase; /* [nrate] */
  int place[2];       /* the two of them that say where the base is: the size of their rates is the speed */
  int nmoving,
      *moving; /* [nphi] equations whose rates are among the equations: velocity constraints, and those with cyclic coordinates */
  unsigned char *dependent; /* [nphi] 1: redundant, of which neither the equation nor the multiplier counts */
  int *held_state;          /* [nz] row of the start that gives a state its value; -1: the state settles */

  /* What is given, as curves over time; -1: not given. part: of the turn, on the way to it from straight on. */
  int speed, curvature, lateral;
  double part;
  mbd_real V, turn, v[2]; /* its values, and the velocity of the place */

  /* Inputs that are found: each moves coefficients, as the case says. */
  int ninput;
  mbd_params *own;          /* the numbers of the design with the inputs; NULL: there are none */
  const mbd_params *design; /* those of the caller */
  mbd_dparams **input;      /* [ninput] directions of the inputs */
  int nd;
  mbd_dparams **d;             /* [nd] directions of the caller, with the changes of the inputs */
  mbd_dparams *const *given_d; /* those of the caller */
  int *index;                  /* [ncoef] 0, 1, 2, ... */
  double *value;               /* [ncoef] scratch */
  unsigned char *requested;    /* [ncoef] coefficients of which an adjoint is requested */
  mbd_real
      *by_input; /* [ninput][npsi] derivatives by them in those by the coefficients, when the node before was left */

  /* The unknowns beside z. lam [rows of the start] is zero behind nphi; delta: less the values that the design has. */
  mbd_real *lam, *w, *delta;
  mbd_real *kept, *from; /* [nunknown] where a correction begins; a solution to return to */

  /* The equations, their derivatives by the unknowns, and the independent ones of these, scaled and factored. */
  int nrow, nunknown;
  mbd_real *G, *Gy, *row_scale, *col_scale; /* [nrow], [nrow][nunknown], [nrow], [nunknown] */
  double *work;                             /* [nrow][nunknown + 1] */
  int rank, *row, *col, *piv;
  mbd_real *lu, *b;           /* [rank][rank], [rank][directions or objectives] */
  mbd_real *first;            /* [nunknown] the first correction of a part of the way */
  double *slope;              /* [2][1 + ninput] how fast unknowns change where the way began, and now */
  mbd_real *dy, *simple, *dG; /* [nunknown], [nunknown]: corrections; [nrow]: change along a direction */
  mbd_real *yp;               /* [nunknown or nrow][directions or objectives] */
  mbd_real *r, *K, *C, *M;    /* [nz], [nz][nz] */
  mbd_real *J, *Phid_z;       /* [rows of the start][nz] */
  mbd_real *phi, *phi_t;      /* [rows of the start] */
  mbd_real *dphi, *dphid;     /* [rows of the start] */
  mbd_real *dr, *dzd, *dzdd;  /* [nz] */
  mbd_real *zdd;              /* [nz] */
  mbd_arena arena;
};

static inline sim_steady *steady_of(const mbd_sim *s) {
  return s->start->steady;
}

/* Numbers of the first equations of each kind: (5.15a) r + Phi_z' lam = 0, (b) Phi = 0, (c) rates, (d) phases, (e) what is given; and of the first
 * unknowns. */
static inline int steady_row_phi(const mbd_sim *s) {
  return s->m->nz;
}
static inline int steady_row_rates(const mbd_sim *s) {
  return s->m->nz + s->velocity_row;
}
static inline int steady_row_phases(const mbd_sim *s) {
  return steady_row_rates(s) + steady_of(s)->nmoving;
}
static inline int steady_row_given(const mbd_sim *s) {
  return steady_row_phases(s) + steady_of(s)->nphase;
}
static inline int steady_col_lam(const mbd_sim *s) {
  return s->m->nz;
}
static inline int steady_col_rate(const mbd_sim *s) {
  return s->m->nz + s->m->nphi;
}
static inline int steady_col_input(const mbd_sim *s) {
  return steady_col_rate(s) + steady_of(s)->nrate;
}

/* Memory for the runs of s, in s->start->steady; MBD_BAD_INPUT for a case that gives what cannot be given. Destroys it, NULL allowed. */
mbd_status steady_create(mbd_sim *s, mbd_error *err);
void steady_destroy(sim_steady *trim);

/* Finds the symmetries about the assembled position, once for a simulation: MBD_UNSUPPORTED where the mechanism is not the same
 * everywhere on its way (steady_group.c); and the rows that say where along them it is. */
mbd_status steady_find_symmetries(mbd_sim *s, mbd_error *err);
mbd_status steady_find_phases(mbd_sim *s, mbd_error *err);

/* s->now.zd, zdd := (5.14) from s->now.z and w. The change of both along unknown c; returns 0 if there is none. */
void steady_move(mbd_sim *s);
int steady_rates_along(const mbd_sim *s, int c, mbd_real *dzd, mbd_real *dzdd);

/* ---- equations (steady_equations.c) ---- */

/* G at the present unknowns; G_y, factored; a correction dy := -G_y^-1 G with the factors that are there. */
void steady_evaluate(mbd_sim *s);
mbd_status steady_factor(mbd_sim *s, mbd_error *err);
void steady_correct(mbd_sim *s, mbd_real *dy);
/* dG [nrow] := the change of G along a direction of the coefficients with a stretch of the time, unknowns held. */
void steady_change(mbd_sim *s, const mbd_dparams *d, mbd_real stretch, mbd_real *dG);
/* The numbers of the design with the present inputs become those of the simulation. */
void steady_take_inputs(mbd_sim *s);
/* For messages: the equation with the largest scaled value and its name; the name of an unknown. */
const char *steady_worst_row(const mbd_sim *s, int *row, double *left);
const char *steady_unknown_name(const mbd_sim *s, int c);

/* ---- Newton's iteration, and the way to a solution (steady_path.c) ---- */

/* From the start, straight on at first; from the node before to that at s->t. */
mbd_status steady_begin(mbd_sim *s, mbd_error *err);
mbd_status steady_follow(mbd_sim *s, mbd_error *err);

/* ---- the motion as a start, and its derivatives (steady.c, steady_sens.c) ---- */

/* After the assembly (and static equilibrium, where quantities settle): z, zd, zdd, and lam in q->lam. steady_sens: derivatives of all of
 * them along the directions, in s->sens and, of lam, in yp; s->d are then those with the changes of the inputs. */
mbd_status steady_state(mbd_sim *s, mbd_error *err);
mbd_status steady_sens(mbd_sim *s, mbd_error *err);
/* The transpose: from the derivatives a->z, a->zd, a->zdd, of lam [nphi][npsi] (NULL: none), and by the inputs, which those by the
 * coefficients contain, less what they were in `before` [ninput][npsi] (NULL: zero), to those by the coefficients. */
mbd_status steady_back(mbd_sim *s, sim_adjoint *a, const mbd_real *by_lam, const mbd_real *before, mbd_error *err);
/* by [ninput][npsi] := the derivatives by the inputs that those by the coefficients contain now. */
void steady_by_inputs(mbd_sim *s, sim_adjoint *a, mbd_real *by);
/* What a state has beside z, zd, zdd, lam. */
size_t steady_state_reals(const mbd_sim *s);
void steady_copy_state(mbd_sim *s, sim_copy copy, mbd_real **at);
/* Begins an adjoint: the coefficients requested, with those that inputs move. */
const unsigned char *steady_request(mbd_sim *s, const unsigned char *requested);

#endif
