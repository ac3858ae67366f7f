/* Linear systems with multipliers,
 *   A x + Phi' y = f,   Phi x - y/k = g           (1/k: the compliance of what the multipliers hold; 0: none)
 * with A [n][n] and Phi [m][n] that may have redundant rows, by the augmented matrix A + alpha Phi' Phi: its factors
 * serve any number of right-hand sides, and corrections from the true residuals remove what penalty and rounding
 * leave, so that the result depends on neither. */
#ifndef MBD_SADDLE_H
#define MBD_SADDLE_H

#include "la/factors.h"
#include "la/packed.h"

/* y [n][k] += s A x for an A that is not there as a matrix. */
typedef void (*mbd_product)(void *user, int k, mbd_real s, const mbd_real *x, mbd_real *y);

typedef struct mbd_saddle {
  int n, m;
  mbd_product product; /* takes the place of A, transposed or not; NULL: A is a matrix */
  void *user;
  const mbd_real *A, *Phi;           /* [n][n], [m][n] */
  const mbd_nonzeros *A_at, *Phi_at; /* where these are not zero; NULL: not known */
  const mbd_packed *Phi_packed;      /* Phi once more, for products; NULL: not there */
  const mbd_factors *lu;             /* of A + alpha Phi' Phi */
  double alpha;
  double compliance;     /* 1/k with k >= alpha, or 0 */
  struct mbd_weak *weak; /* for constraints that the penalty hardly holds (weak.h); NULL: these are left as they are */
  int predict; /* 1: a correction that the contraction so far leaves nothing of is not made, whether or not rows hold */
  int once; /* 1: no correction follows the first solution, which is exact where the compliance is 1/alpha and alpha takes few digits */
  int transposed;   /* 1: A and its factors stand for their transposes */
  double part_of;   /* x is a change of numbers of this size, to which corrections are relative then; 0: of x alone */
  int at_least;     /* corrections to make in any case (the complex build makes more) */
  double accepted;  /* where corrections contract no more, a last one of this size relative to x serves; 0: 1e-10 */
  const char *what; /* what is solved for, in messages; NULL: a linear system */
} mbd_saddle;

/* x [n][k], y [m][k]: on entry a first guess of y (x is not used; nor is y of compliant constraints), on return
 * the solution.
 * f [n][k], g [m][k]; scratch: dx [n][k], rg [m][k].
 *
 * The solution answers for its residual: corrections contract to rounding in every column (one that the contraction so far leaves
 * nothing of is not made where the rows of Phi hold); where they do not, neither by the penalty nor by weak.h, the residual is that of
 * rounding, or it is an error:
 * MBD_SINGULAR, with `what` and the last correction; MBD_NOT_FINITE. Where redundant rows contradict each other in g, x is that of
 * least squares: what no x can change is left, and is no error here. */
mbd_status mbd_saddle_solve(const mbd_saddle *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                            mbd_real *dx, mbd_real *rg, mbd_error *err);

/* y [m][k] += c Phi x,   x [n][k] += c Phi' y */
void mbd_saddle_add_Phi(const mbd_saddle *s, int k, mbd_real c, const mbd_real *x, mbd_real *y);
void mbd_saddle_add_Phi_T(const mbd_saddle *s, int k, mbd_real c, const mbd_real *y, mbd_real *x);

/* A penalty that weighs the constraints well against A: large, but leaving half of the digits to A. */
double mbd_saddle_penalty(int n, int m, const mbd_real *A, const mbd_real *Phi);
double mbd_saddle_penalty_packed(int n, int m, const mbd_real *A, const mbd_packed *Phi);

#endif
