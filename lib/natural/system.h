/* Matrices on q: masses, slopes of forces and reactions, alpha Phi_q' Phi_q. All of them have their nonzeros in the same places, which are
 * found once for a model, together with those of the factors. A matrix is an array of its entries there, row by row:
 * [natural_system.count]. Equations: theory.md §4.1 (4.8), (4.12), §5.1 (5.3). */
#ifndef MBD_NATURAL_SYSTEM_H
#define MBD_NATURAL_SYSTEM_H

#include "la/saddle.h"
#include "natural/natural.h"

typedef struct natural_system {
  const natural *n;
  int count;          /* places */
  mbd_columns at;     /* the places, row by row */
  mbd_columns set;    /* sets of coupled variables: of each row of Phi_q, then of each rigid body, then of each force */
  int *pair_from;     /* of each set: the start of its pairs in */
  int *pair;          /* the places of its pairs of variables, row by row */
  int widest;         /* number of variables of the largest set of a force */
  mbd_sparse *sparse; /* owns the lists of `at`; NULL: dense factors, and every entry is a place */
  mbd_real *X, *U, *Y, *G, *D; /* [model_arg_max][3][widest], scratch of the slopes */
} natural_system;

/* Finds the places of a model, which has to outlive the system. dense: every entry is a place, with dense factors; natural_system_create
 * and dense = 0: sparse factors, if built with KLU. */
mbd_status natural_system_create(const natural *n, natural_system **out, mbd_error *err);
mbd_status natural_system_create_as(const natural *n, int dense, natural_system **out, mbd_error *err);
void natural_system_destroy(natural_system *s); /* NULL allowed */

/* Marks the places of M in mark [count], and the diagonal. */
void natural_mark_mass(const natural_system *s, unsigned char *mark);
/* A += c M */
void natural_add_mass(const natural_system *s, const natural_params *v, mbd_real c, mbd_real *A);
/* A += alpha Phi_q' W Phi_q, Phi_q as natural_phi leaves it. weight [nphi]: the diagonal of W; NULL: ones */
void natural_add_squares(const natural_system *s, mbd_real alpha, const double *weight, const mbd_real *Phi_q,
                         mbd_real *A);
/* Adds the slopes of Phi_q' lam - Q by q and by qd (slopes.c):
 *   K += d(Phi_q' lam)/dq - dQ/dq,   C -= dQ/dqd */
void natural_add_slopes(const natural_system *s, const natural_params *v, mbd_real t, const mbd_real *q,
                        const mbd_real *qd, const mbd_real *lam, mbd_real *K, mbd_real *C);
/* A += k d(Phi_q' lam)/dq (curvature.c). */
void natural_add_reactions(const natural_system *s, const natural_params *v, mbd_real t, const mbd_real *q,
                           const mbd_real *lam, mbd_real k, mbd_real *A);
/* y [nq][width] += c d(Phi_q' lam)/dq x [nq][width] (curvature.c). */
void natural_reactions_times(const natural_params *v, mbd_real t, const mbd_real *q, const mbd_real *lam, int width,
                             mbd_real c, const mbd_real *x, mbd_real *y);

/* Packs the entries of A that are not zero, for products; the caller owns first [nq + 1], col and val [count]. */
void natural_pack(const natural_system *s, const mbd_real *A, mbd_packed *out);

/* The matrix with all places, for products. */
static inline mbd_packed natural_packed(const natural_system *s, mbd_real *A) {
  return (mbd_packed){s->at.first, s->at.col, A, NULL};
}

/* Take memory for factors, and factor A. MBD_SINGULAR, without a text. */
mbd_status natural_factors_create(const natural_system *s, mbd_factors *f, mbd_error *err);
void natural_factors_destroy(mbd_factors *f);
mbd_status natural_factor(const natural_system *s, const mbd_real *A, mbd_factors *f);

/* A sparse matrix with all places, if there are sparse factors. */
mbd_status natural_sparse_create(const natural_system *s, mbd_sparse **out, mbd_error *err);

/* A penalty alpha for A + alpha Phi_q' Phi_q, from the largest of their `count` and `entries` numbers. */
double natural_penalty(int count, const mbd_real *A, int entries, const mbd_real *Phi_q);

/* The system
 *   A x + Phi_q' y = f,  Phi_q x = g          (la/saddle.h)
 * with A by its places, M or another matrix, and the factors of A + alpha Phi_q' Phi_q. */
typedef struct natural_saddle {
  const natural_system *s;
  const mbd_packed *A;
  int transposed;
} natural_saddle;
void natural_saddle_product(void *user, int k, mbd_real c, const mbd_real *x, mbd_real *y);

#endif
