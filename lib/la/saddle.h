/* Linear systems with multipliers (saddle-point systems),
 *   A x + Phi' y = f,   Phi x - W^-1 y/k = g           (W^-1/k: compliance of the constraints; 0: rigid ones)
 * with A [n][n], and Phi [m][n] whose rows may be redundant, by an augmented Lagrangian: the factors of A + alpha Phi' W Phi
 * serve any number of right-hand sides, and corrections from the true residuals remove the errors of penalty and rounding, so
 * that the result depends on neither. W is diagonal, a unit matrix unless there are weights; below it is left out.
 * The equations of the last rows may have other coefficients than the columns (`extra`): (Phi + E) x in the place of Phi x; the factors
 * are those of A + alpha Phi' W (Phi + E) then.
 * Equations: the systems of theory.md §5.1 (5.3), (5.4) and §7 (7.1), (7.2), (7.4). */
#ifndef MBD_SADDLE_H
#define MBD_SADDLE_H

#include "la/factors.h"
#include "la/packed.h"

/* y [n][k] += s A x for an A that is not stored as a matrix. */
typedef void (*mbd_product)(void *user, int k, mbd_real s, const mbd_real *x, mbd_real *y);

typedef struct mbd_saddle {
  int n, m;
  mbd_product product; /* takes the place of A, transposed or not; NULL: A is a matrix */
  void *user;
  const mbd_real *A, *Phi;           /* [n][n], [m][n] */
  const mbd_nonzeros *A_at, *Phi_at; /* their nonzeros; NULL: not known */
  const mbd_packed *Phi_packed;      /* a packed copy of Phi, for products; NULL: none */
  const mbd_factors *lu;             /* of A + alpha Phi' W Phi */
  int nextra; /* number of the last rows that have an E, of which Phi' y has none; transposed: of which Phi' y has one alone */
  const mbd_real *extra; /* E [nextra][n] */
  double alpha;
  const double *weight; /* [m] the diagonal of W: the penalty of row r is alpha W_r, its stiffness k W_r; NULL: 1 */
  double compliance;    /* 1/k with k >= alpha, or 0 */
  struct mbd_near_singular *
      near_singular; /* solves for constraints to which the penalty gives little stiffness (near_singular.h); NULL: not done */
  int predict; /* 1: a correction whose predicted size is at rounding is omitted, even if the rows of Phi do not hold to rounding */
  int once; /* 1: the first solution is not corrected; it is exact where the compliance is 1/alpha and alpha costs few digits */
  int transposed; /* 1: A and its factors stand for their transposes */
  double
      part_of; /* x is a change of numbers of this size, and corrections are measured relative to them; 0: relative to x */
  int at_least;     /* least number of corrections (the complex build makes more) */
  double accepted;  /* if corrections no longer contract, a last one of this size relative to x is accepted; 0: 1e-10 */
  const char *what; /* the unknowns, for messages; NULL: "a linear system" */
} mbd_saddle;

/* x [n][k], y [m][k]: on entry a first guess of y (x is not used; nor is y of compliant constraints), on return
 * the solution.
 * f [n][k], g [m][k]; scratch: dx [n][k], rg [m][k].
 *
 * Corrections are made until they are at rounding in every column; one whose predicted size is at rounding is omitted
 * where the rows of Phi hold. If corrections stop contracting above that level, with near_singular.h too, the solution is
 * accepted only if its residual is at the level of rounding; otherwise returns MBD_SINGULAR, with `what` and the last
 * correction in the message, or MBD_NOT_FINITE. If redundant rows contradict each other in g, x solves them in the
 * sense of least squares, without an error. */
mbd_status mbd_saddle_solve(const mbd_saddle *s, int k, const mbd_real *f, const mbd_real *g, mbd_real *x, mbd_real *y,
                            mbd_real *dx, mbd_real *rg, mbd_error *err);

/* y [m][k] += c Phi x,   x [n][k] += c Phi' y */
void mbd_saddle_add_Phi(const mbd_saddle *s, int k, mbd_real c, const mbd_real *x, mbd_real *y);
void mbd_saddle_add_Phi_T(const mbd_saddle *s, int k, mbd_real c, const mbd_real *y, mbd_real *x);

/* x times or divided by the weight of row r; weight NULL: x. */
static inline double mbd_weighted(double x, const double *weight, int r) {
  return weight ? x * weight[r] : x;
}
static inline double mbd_per_weight(double x, const double *weight, int r) {
  return weight ? x / weight[r] : x;
}

/* A penalty alpha for this A and Phi: large, but small enough that A keeps half of its digits in A + alpha Phi' Phi. */
double mbd_saddle_penalty(int n, int m, const mbd_real *A, const mbd_real *Phi);
double mbd_saddle_penalty_packed(int n, int m, const mbd_real *A, const mbd_nonzeros *at, const mbd_packed *Phi);

#endif
