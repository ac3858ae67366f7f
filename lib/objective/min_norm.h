/* The distribution of reactions among redundant constraints. Mechanics determines Phi_z' lam, not lam: the multipliers
 * mu of a step have a part in the null space of Phi_z' that depends on the course of its iteration. Outputs read those
 * of least norm (theory.md §6 (6.4), (6.5)),
 *   lam = P mu = Phi_z u,     P the projection onto the range of Phi_z
 * With difference = mu - lam, an output that has the derivative g by lam changes by
 *   g . dlam = (P g) . dmu + u . d(Phi_z') (1 - P) g + v . d(Phi_z') difference,     Phi_z v = P g
 * where d(Phi_z') is the change of the reactions of fixed multipliers.
 *
 * An output has a share that mechanics does not determine if lam + v changes it, where v is in the null space of Phi_z' and so exerts no
 * force on the mechanism (6.10). Other components of the same reaction may be determined. */
#ifndef MBD_MIN_NORM_H
#define MBD_MIN_NORM_H

#include "la/blocks.h"
#include "state/adjoint.h"

/* s->objectives->min_norm; its arrays belong to the arena of the objectives. Multipliers and reactions in the units of their rows. */
typedef struct sim_min_norm {
  mbd_blocks *rows; /* Phi_z, of the start, which owns it; min_norm_update overwrites it and its factors */
  int reads, shown; /* reads: 1, a term reads reactions; shown: 1, an output does */
  int present;      /* 1: lam, difference, u belong to the current motion */
  int lost;         /* 1: the redundant rows are not those of the start */
  mbd_real *lam, *difference, *u; /* [nphi], [rows and coordinates], [nz] */
  mbd_real *by_difference, *v;    /* [rows and coordinates] (1 - P) g, [nz] v, of the current g */
  mbd_real *x;                    /* [nz] scratch */
  int *row, *col;                 /* [nphi], [nz] rows and columns of Phi_z, independent ones first */
  mbd_real *other, *probe;        /* [nphi] lam + v, and lam + v with every component of v times another number */
  unsigned char *undetermined;    /* [outputs] 1: found so at a node of this run */
  double since;                   /* [s] time of the first of these nodes; NAN: none has been found */
} sim_min_norm;

void min_norm_layout(sim_min_norm *min_norm, const mbd_sim *s, mbd_arena *arena);

/* Computes lam, difference, u at the current motion, if rows are redundant and a term reads reactions, or all outputs are
 * wanted and one of them does. If such shares are not determined, q->lost is set. Cost: one factorization of the rows'
 * blocks. */
void min_norm_update(mbd_sim *s, int all);
/* After min_norm_update. MBD_SINGULAR: a term reads reactions that are not determined here. */
mbd_status min_norm_check(const mbd_sim *s, mbd_error *err);
/* The multipliers that outputs read, [nphi]: lam, or those of the step if no others have been computed. */
const mbd_real *min_norm_lam(const mbd_sim *s);

/* min_norm_reset begins a run. min_norm_look, after min_norm_update, marks the outputs that have been computed and have an undetermined share at the
 * current motion; min_norm_warn adds the warning that names them. Cost of a look: that of one output for each output that reads reactions. */
void min_norm_reset(mbd_sim *s);
void min_norm_look(mbd_sim *s);
void min_norm_warn(mbd_sim *s);

/* From the derivatives g_lam [nphi] of an output to those by mu, P g; the other terms are added to g_z [nz]. */
void min_norm_rows(mbd_sim *s, mbd_real *g_lam, mbd_real *g_z);
/* The change of that output along the direction of motion_along, at fixed mu. */
mbd_real min_norm_direction(mbd_sim *s);
/* From the derivatives g_lam of adjoint k to those by mu; the other terms are added to its reverse sweep and its
 * coefficients. */
void min_norm_reverse(mbd_sim *s, sim_adjoint *a, int k, mbd_real *g_lam);

#endif
