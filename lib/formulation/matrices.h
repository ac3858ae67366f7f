/* The mass matrix and Phi_z of a formulation that forms matrices, and sums A + alpha Phi_z' Phi_z: where they can differ from zero,
 * dense or sparse factors, and products. */
#ifndef MBD_MATRICES_H
#define MBD_MATRICES_H

#include "la/near_singular.h"
#include "natural/system.h"
#include "state/sim.h"

typedef struct matrix_places matrix_places; /* matrices.c: where sparse matrices can differ from zero */

/* Owned by one formulation, which fills M and Phi_z at the current position. On joint coordinates, or on natural ones, for which z and nz stand
 * here then. */
typedef struct matrices {
  int n, m;                      /* coordinates, constraints */
  const natural_system *natural; /* the places on natural coordinates, not owned; NULL: on joint coordinates */
  mbd_real *M;                   /* [nz][nz], or packed */
  mbd_real *Phi_z;               /* [nphi][nz] if dense */
  mbd_real *other_Phi;           /* likewise */
  mbd_nonzeros M_at;             /* where M can differ from zero */
  mbd_nonzeros K_at;             /* where dr/dz, dr/dzd and their sums with M can differ from zero */
  mbd_nonzeros Phi_at;           /* where Phi_z and its rates can differ from zero */
  mbd_fill *fill;                /* fill of dense factors; NULL: factors are sparse, or computed by a library */
  int sparse;                    /* 1: factors are sparse */
  int packed;                    /* 1: matrices are packed: M, P at M_at, others at K_at */
  const mbd_packed *Phi_packed;  /* Phi_z if packed, else NULL */
  matrix_places *places;
  mbd_factors mass;                /* of M + alpha Phi_z' Phi_z */
  mbd_saddle motion;               /* M x + Phi_z' y = f, Phi_z x = g on these factors, after mass_factor */
  mbd_near_singular near_singular; /* for constraints on which a penalty has little effect */
  mbd_arena arena, dense;          /* dense: memory of the factors of M and of Phi_z if these are dense */
} matrices;

/* Creates, in an object of zeros, the memory for the model and the solver of the case. MBD_NOT_BUILT_IN: no sparse
 * factors in this build. */
mbd_status matrices_create(const mbd_sim *s, matrices *system, mbd_error *err);
/* The same for matrices on the natural coordinates of a system, which outlives them. */
mbd_status matrices_create_natural(const natural_system *system, matrices *forms, mbd_error *err);
void matrices_destroy(matrices *system);
/* f: factors of the same kind as those of M; factors_layout gives dense ones their memory, sparse ones are owned by the
 * caller. symmetric: 1 for matrices such as M, 0 for the tangent. */
void factors_layout(mbd_factors *f, size_t n, mbd_arena *a);
mbd_status matrices_more_factors(const matrices *system, int symmetric, mbd_factors *f, mbd_error *err);

/* Creates the lists of a model, as in struct matrices, in lists of zeros. The caller destroys each of them, also if
 * this call fails; M_at may be NULL (nonzeros.c). */
mbd_status nonzeros_create(const mbd_model *m, mbd_nonzeros *M_at, mbd_nonzeros *K_at, mbd_nonzeros *Phi_at,
                           mbd_error *err);
void nonzeros_destroy(mbd_nonzeros *at);
/* Creates the list of the places of a symmetric matrix that are marked (NULL: all), and packs it. */
mbd_status nonzeros_of(int n, const mbd_columns *places, const unsigned char *mark, mbd_nonzeros *at, mbd_error *err);
/* Changes the symmetric list `at` of an [n][n] matrix so that matrices with this list are stored packed. */
mbd_status nonzeros_pack(int n, mbd_nonzeros *at, mbd_error *err);

/* f := factors of A + alpha Phi_z' W Phi_z, A at its places `at`. weight [nphi]: the diagonal of W; NULL: ones. MBD_SINGULAR with the
 * text `why`. */
mbd_status matrices_factor(const mbd_sim *s, const matrices *system, const mbd_nonzeros *at, const mbd_real *A,
                           double alpha, const double *weight, mbd_factors *f, const char *why, mbd_error *err);

/* How many numbers a matrix with the list `at` has. */
size_t matrices_size(const matrices *system, const mbd_nonzeros *at);

/* Where K and C can differ from zero, for motion_jacobian; NULL: not listed. */
static inline const mbd_nonzeros *matrices_tangent_at(const matrices *system) {
  return system->packed ? &system->K_at : NULL;
}

/* M := the entries at M_at of a packed matrix at K_at. */
void matrices_take_mass(const matrices *system, const mbd_real *at_K);

/* T := a M + c C + k K, at K_at */
void matrices_sum(const matrices *system, mbd_real a, mbd_real c, const mbd_real *C, mbd_real k, const mbd_real *K,
                  mbd_real *T);

/* matrices_phi_z evaluates Phi (NULL: not wanted) and Phi_z at the current position, only the packed Phi_z if matrices
 * are sparse. The others are products with it: y [nphi][k] += c Phi_z x [nz][k], and x [nz][k] += c Phi_z' y
 * [nphi][k]. */
void matrices_phi_z(mbd_sim *s, const matrices *system, mbd_real *phi);
void matrices_phi_mul_add(const matrices *system, int k, mbd_real c, const mbd_real *x, mbd_real *y);
void matrices_phi_mulT_add(const matrices *system, int k, mbd_real c, const mbd_real *y, mbd_real *x);

/* The rows of velocity constraints that are left out become zero. */
void matrices_leave_out(const mbd_sim *s, const mbd_packed *phi);

/* There is memory for two Phi_z; exchanges them, so that all functions of this file use the other one. */
void matrices_exchange_phi(matrices *system);

/* The penalty alpha for this A and Phi_z. The first one is for corrections that are iterated to
 * convergence. The second one is for a given number of iterations, whose result depends on alpha: it is the alpha of
 * dense matrices, also where matrices are sparse. */
double matrices_penalty(const matrices *system, const mbd_nonzeros *at, const mbd_real *A);
double matrices_penalty_iterated(const matrices *system, const mbd_nonzeros *at, const mbd_real *A);

#endif
