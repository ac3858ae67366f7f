/* The mass matrix and Phi_z of a formulation that forms matrices, and sums A + alpha Phi_z' Phi_z: where they can differ from zero,
 * dense or sparse factors, and products. */
#ifndef MBD_MATRICES_H
#define MBD_MATRICES_H

#include "la/weak.h"
#include "state/sim.h"

typedef struct matrix_places matrix_places; /* matrices.c: of sparse matrices */

/* Owned by one formulation, which fills M and Phi_z at the current position. */
typedef struct matrices {
  mbd_real *M;                  /* [nz][nz], packed if sparse */
  mbd_real *Phi_z;              /* [nphi][nz] if dense */
  mbd_real *other_Phi;          /* likewise */
  mbd_nonzeros M_at;            /* where M can differ from zero */
  mbd_nonzeros K_at;            /* where dr/dz, dr/dzd and their sums with M can */
  mbd_nonzeros Phi_at;          /* where Phi_z and its rates can */
  mbd_fill *fill;               /* of dense factors; NULL: these are a library's, or sparse */
  int sparse;                   /* factors are sparse, and matrices packed: M, P at M_at, others at K_at */
  const mbd_packed *Phi_packed; /* Phi_z of matrices_phi_z if sparse, else NULL */
  matrix_places *places;
  mbd_factors mass;       /* of M + alpha Phi_z' Phi_z */
  mbd_saddle motion;      /* M x + Phi_z' y = f, Phi_z x = g on these factors, after mass_factor */
  mbd_weak weak;          /* for constraints that a penalty hardly holds */
  mbd_arena arena, dense; /* dense: of factors of M and of Phi_z if they are */
} matrices;

/* In an object of zeros: memory for the model and the solver of the case. MBD_NOT_BUILT_IN: no sparse factors in this build. */
mbd_status matrices_create(const mbd_sim *s, matrices *q, mbd_error *err);
void matrices_destroy(matrices *q);
/* f: factors of the same kind as those of M; dense ones have their memory from factors_layout, sparse ones are the caller's too.
 * symmetric: those of M are, and the tangent is not. */
void factors_layout(mbd_factors *f, size_t n, mbd_arena *a);
mbd_status matrices_more_factors(const matrices *q, int symmetric, mbd_factors *f, mbd_error *err);

/* Lists of a model, as in struct matrices, with memory for its places alone, each to be destroyed, also where this fails (lists of zeros
 * before); M_at may be NULL (nonzeros.c). */
mbd_status nonzeros_create(const mbd_model *m, mbd_nonzeros *M_at, mbd_nonzeros *K_at, mbd_nonzeros *Phi_at,
                           mbd_error *err);
void nonzeros_destroy(mbd_nonzeros *at);
/* Matrices with these symmetric places [n][n] are packed from now on. */
mbd_status nonzeros_pack(int n, mbd_nonzeros *at, mbd_error *err);

/* f := factors of A + alpha Phi_z' Phi_z, A at its places `at` and Phi_z of matrices_phi_z. MBD_SINGULAR with the text `why`. */
mbd_status matrices_factor(const mbd_sim *s, const matrices *q, const mbd_nonzeros *at, const mbd_real *A, double alpha,
                           mbd_factors *f, const char *why, mbd_error *err);

/* Numbers of a matrix with the places `at`. */
size_t matrices_size(const matrices *q, const mbd_nonzeros *at);

/* Where K and C can differ from zero, for motion_jacobian; NULL: not listed. */
static inline const mbd_nonzeros *matrices_tangent_at(const matrices *q) {
  return q->sparse ? &q->K_at : NULL;
}

/* T := a M + c C + k K, at K_at */
void matrices_sum(const matrices *q, mbd_real a, mbd_real c, const mbd_real *C, mbd_real k, const mbd_real *K,
                  mbd_real *T);

/* Phi (NULL: not wanted) and Phi_z at the current position, packed alone if sparse; products with it: y [nphi][k] += c Phi_z x [nz][k],
 * and x [nz][k] += c Phi_z' y [nphi][k] */
void matrices_phi_z(mbd_sim *s, const matrices *q, mbd_real *phi);
void matrices_phi_mul_add(const mbd_sim *s, const matrices *q, int k, mbd_real c, const mbd_real *x, mbd_real *y);
void matrices_phi_mulT_add(const mbd_sim *s, const matrices *q, int k, mbd_real c, const mbd_real *y, mbd_real *x);

/* There is memory for two Phi_z: makes the other one that of all functions here. */
void matrices_exchange_phi(matrices *q);

/* alpha for this A and Phi_z of matrices_phi_z, where corrections follow to the end; for a number of iterations, whose result depends
 * on it, that of dense matrices in any case */
double matrices_penalty(const mbd_sim *s, const matrices *q, const mbd_nonzeros *at, const mbd_real *A);
double matrices_penalty_iterated(const mbd_sim *s, const matrices *q, const mbd_nonzeros *at, const mbd_real *A);

#endif
