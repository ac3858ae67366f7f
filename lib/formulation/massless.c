/* Which motion has neither mass nor a constraint: an x with M x = 0 and Phi_z x = 0, where accelerations are not determined.
 * Equations: theory.md §3 (3.6) for M, theory.md §4 (4.2) for Phi_z. */
#include <stdio.h>
#include <stdlib.h>

#include "formulation/mass.h"

static const double nothing = 1e-13; /* of the largest entry of M, or of Phi_z */
enum { NAMES = 4 };

/* Divides the rows [n][nz] by their largest entries. */
static void scale(size_t size, const mbd_real *from, double *to) {
  double largest = 0;
  for (size_t i = 0; i < size; i++) { largest = fmax(largest, mbd_largest(from[i])); }
  for (size_t i = 0; i < size; i++) { to[i] = largest > 0 ? mbd_first(from[i]) / largest : 0; }
}

/* Writes the names of the coordinates in col [n] as "'A', 'B'". */
static void list_names(const mbd_model *m, int n, const int *col, char *text, size_t size) {
  size_t used = 0;
  for (int i = 0; i < n && i < NAMES && used < size; i++) {
    const int printed = snprintf(text + used, size - used, "%s'%s'", i ? ", " : "", m->z_name[col[i]]);
    if (printed > 0) { used += (size_t)printed; }
  }
  if (n > NAMES && used < size) { snprintf(text + used, size - used, " and %d more", n - NAMES); }
}

/* Finds the rank of the rows of M and Phi_z; the dependent columns come last in col [nz]. */
static int rank_of_both(mbd_sim *s, mbd_real *M, mbd_real *Phi_z, double *stacked, int *row, int *col) {
  const size_t n = (size_t)s->m->nz, m = (size_t)s->m->nphi;
  motion_phi(s->w, s->eq, NULL, Phi_z);
  motion_mass(s->w, NULL, M);
  scale(n * n, M, stacked);
  scale(m * n, Phi_z, stacked + n * n);
  return mbd_rank((int)(n + m), (int)n, stacked, nothing, row, col);
}

mbd_status mass_missing(mbd_sim *s, mbd_error *err) {
  const size_t n = (size_t)s->m->nz, rows = n + (size_t)s->m->nphi;
  double *stacked = malloc(rows * (n + 1) * sizeof *stacked);
  mbd_real *Phi_z = calloc(rows * n + 1, sizeof *Phi_z), *M = Phi_z + (rows - n) * n;
  int *row = malloc(rows * sizeof *row), *col = malloc(n * sizeof *col);
  char names[400] = "";
  /* The rank of [M; Phi_z] is less than nz by the number of motions without mass and constraint. */
  const int enough = stacked && Phi_z && row && col,
            free_of_mass = enough ? (int)n - rank_of_both(s, M, Phi_z, stacked, row, col) : 0;
  if (enough) { list_names(s->m, free_of_mass, col + n - free_of_mass, names, sizeof names); }
  free(stacked), free(Phi_z), free(row), free(col);
  if (!enough) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the mass matrix"); }
  /* With full rank the factorization has failed for rounding, and the message says so. */
  if (free_of_mass == 0) {
    MBD_FAIL(err, MBD_SINGULAR,
             "accelerations are not determined: a motion that the constraints allow has no inertia to working "
             "precision (are masses or inertias of very different sizes?)");
  }
  MBD_FAIL(err, MBD_SINGULAR,
           "accelerations are not determined: coordinate%s %s %s neither mass nor a constraint; expected a mass, or an "
           "inertia about the axis, of some body that moves with it, or a constraint",
           free_of_mass > 1 ? "s" : "", names, free_of_mass > 1 ? "have" : "has");
}
