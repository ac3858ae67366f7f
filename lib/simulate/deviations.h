/* The deviations of a linearization (linearize.c), and what its modes are made of (modes.c). */
#ifndef MBD_DEVIATIONS_H
#define MBD_DEVIATIONS_H

#include "formulation/matrices.h"
#include "mbd/linearize.h"

/* Deviations and the changes of accelerations that they cause: one column for each of y and w, and one for the motion
 * itself, along which the change of the accelerations with time is the jerk. */
typedef struct deviations {
  int n, nphi, rank, nfree,
      k;      /* coordinates, equations, independent ones of positions, degrees of freedom and states, columns */
  int nstate; /* states, which are the last independent coordinates */
  int nrate,
      *rate; /* independent rates, those of states among them: of [nfree] coordinates the first ones have rates that follow, the last nrate
                     * are independent */
  int *row, *col;                        /* independent rows and the coordinates that they determine come first */
  mbd_real *dz, *dzd, *dzdd;             /* [n][k] */
  mbd_real *seen_dzd, *seen_dzdd;        /* [n][k] dzd, dzdd as the frame of a steady turn sees them */
  mbd_real turn;                         /* its rate; 0: there is none */
  mbd_real *g, *dlam;                    /* [nphi][k] */
  mbd_real *f, *step, *rg;               /* right-hand side and scratch of the solver: [n][k], [n][k], [nphi][k] */
  mbd_real *K, *C;                       /* [n][n] derivatives of the residual */
  mbd_real *Phid_z, *Phidd_z, *Phidd_zd; /* [nphi][n] */
  matrices x;                            /* M */
  mbd_real *Phi_z;                       /* [nphi][n] */
  mbd_real *lu, *dep;                    /* Phi_z of the dependent coordinates; right-hand side there, [rank][k] */
  int *piv;
  mbd_real *AN, *y_rate; /* of velocity constraints: A N [rows][nfree]; y' by the columns, [nfree][k] */
  double *work;          /* [nphi][n + 1] */
  double *weight;        /* [n] of every independent coordinate, by which it is compared with others */
  mbd_real *exact;       /* [order][order] A, the caller's; NULL: not wanted */
} deviations;

/* A part of a mode that is a rigid motion by itself: entry - 1 of A times re + i im. 0: there is none. */
enum { MODE_APART = 3 };
typedef struct mode_apart {
  int entry;
  double re, im;
} mode_apart;

/* The linear system of small motions with the vectors of its modes, from the start of `s`. */
struct mbd_modes {
  mbd_linear l;
  int differentiated; /* 1: with `vectors` and `has` */
  int nz, nphi;
  double *v, *w;      /* [order][2][order] right and left vectors of A, real and imaginary parts, w'v = 1 */
  mode_apart *apart;  /* [order][MODE_APART] parts that are not in v */
  unsigned char *has; /* [order] 1: a mode has vectors for its derivatives */
  double *vectors;    /* [order] of them, in the order of modes.c */
};

static inline int linear_order_of(const mbd_linear *l) {
  return l->n + l->nrate + l->nstate;
}

/* Memory for the vectors of a system, once its order is known, and its release; then, of the modes with v and w, what they are made of. */
mbd_status modes_allocate(const mbd_sim *s, const mbd_linear *l, mbd_modes *modes, mbd_error *err);
void modes_release(mbd_modes *m);
mbd_status modes_vectors(mbd_sim *s, deviations *columns, const mbd_linear *l, mbd_modes *modes, mbd_error *err);

#endif
