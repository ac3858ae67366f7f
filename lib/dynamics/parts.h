/* The separate terms of the mechanics, from which motion.c composes its functions. All of them are evaluated at the
 * motion in the work. */
#ifndef MBD_DYNAMICS_PARTS_H
#define MBD_DYNAMICS_PARTS_H

#include "dynamics/element.h"
#include "dynamics/motion.h"

/* The arguments of a force and the input of its evaluation. */
static inline void force_input(const mbd_work *w, const mbd_force *force, mbd_arg_state *s, mbd_element_input *in) {
  lift_values(w, &force->lift, 1, s);
  params_force_input(w->p, force, w->t, w->turns, s, in);
}

/* Element i of a list of rows: a constraint or a held quantity, and its first row. */
typedef struct motion_row {
  const mbd_constraint *c;
  int first;
} motion_row;

static inline int rows_elements(const motion_rows *rows) {
  return rows->m->nconstraint + rows->nhold;
}

static inline motion_row rows_element(const motion_rows *rows, int i) {
  const mbd_model *m = rows->m;
  if (i < m->nconstraint) { return (motion_row){&m->constraint[i], m->constraint[i].row}; }
  const mbd_constraint *held = &m->hold[i - m->nconstraint];
  return (motion_row){held, m->nphi + held->row};
}

/* wrenches_of_bodies computes w->F, the wrenches of inertia minus those of the applied forces, body by body;
 * wrenches_inwards sums them over the bodies outward of every joint, and adds r_j += b_j . F. Both add the forces on
 * coordinates to r [nz], for which they read the columns; r NULL: not wanted. */
void wrenches_of_bodies(mbd_work *w, mbd_real *r);
void wrenches_inwards(mbd_work *w, mbd_real *r);
/* Subtracts sign times forces f on arguments from the wrenches of their bodies. */
void wrenches_apply(mbd_work *w, const mbd_lift *l, mbd_real sign, const mbd_real (*f)[3]);

/* The index of entry i, j in K, C. *place: the place of entry j, i if they are packed; -1 before the first of
 * consecutive rows i. */
static inline size_t entry_of_column(const mbd_nonzeros *packed, int n, int i, int j, int *place) {
  if (!packed) { return (size_t)i * (size_t)n + (size_t)j; }
  *place = mbd_nonzeros_place_after(packed, *place, j, i);
  return (size_t)packed->mirror[*place];
}

/* forces_jacobian subtracts the slopes of the forces from K, C; reactions_jacobian adds d(Phi_z' lam)/dz at fixed lam
 * to K. Slopes of elements on one body alone are stored for bodies_jacobian, and second derivatives for second_sum.
 * bodies_jacobian adds the stored slopes, and K and C of inertia if `inertia` is 1; it overwrites M, whose nonzeros are at M_at (NULL:
 * anywhere). C, M may be NULL. */
void forces_jacobian(mbd_work *w, mbd_real *K, mbd_real *C);
void reactions_jacobian(mbd_work *w, motion_rows rows, const mbd_real *lam, mbd_real *K);
void bodies_jacobian(mbd_work *w, int inertia, mbd_real *K, mbd_real *C, const mbd_nonzeros *M_at, mbd_real *M);

/* Inertia of the light bodies (beam_points.c), the points of beams: their wrenches, added to w->F of the bodies of the beams and to r [nz] of the
 * amplitudes (NULL: not wanted); and the same for matrices, whose sums are added to w->comp of these bodies, what amplitudes cause in
 * w->formed.shape, and their own entries of K, C, M. inertia = 0: no sums, w->formed.shape is set to zero. K = NULL: M alone, placed. */
void beams_residual(mbd_work *w, mbd_real *r);
void beams_matrices(mbd_work *w, int inertia, mbd_real *K, mbd_real *C, mbd_real *M);

/* Changes, along w->vary, of the inertia wrench of one body, and of the forces f on the arguments of one element; f is
 * written if the arguments move. */
typedef enum element_change { ELEMENT_SAME, ELEMENT_OTHER, ELEMENT_MOVED } element_change;
int inertia_change(const mbd_work *w, int i, mbd_real dW[6]); /* at a fixed reference point; 0: no change */
element_change force_change(const mbd_work *w, int i, mbd_real (*f)[3], mbd_real (*df)[3]);
/* Returns 1 if coefficients of a constraint, or the time on which it depends, change along the direction. */
int constraint_moves(const mbd_work *w, int i);

/* the change of f_a = sum_r lam_r J_ra by the arguments, and, if `own`, by the element's own coefficients */
element_change reaction_change(const mbd_work *w, const mbd_constraint *c, int own, const mbd_real *lam,
                               mbd_real (*f)[3], mbd_real (*df)[3]);

/* External wrenches: externals_apply adds them to the wrenches of the bodies; externals_jacobian stores their second
 * derivatives for second_sum; externals_direction adds their change along w->vary to the sums of vary_sum;
 * externals_reverse adds the derivative of their power in the virtual motion mu. */
void externals_apply(mbd_work *w);
void externals_jacobian(mbd_work *w);
void externals_direction(mbd_work *w);
void externals_reverse(mbd_reverse *sweep, int mu);

/* Inertias of single coordinates: added to r; to M, after the bodies; their change along w->vary, to dr; L += mu . M
 * zdd; and the derivatives of L = mu . M x, x [nz], by the coefficients. */
void rotors_residual(const mbd_work *w, mbd_real *r);
void rotors_mass(const mbd_work *w, mbd_real *M);
void rotors_direction(const mbd_work *w, mbd_real *dr);
void rotors_reverse(mbd_reverse *sweep, int mu);
void rotors_reverse_own(mbd_reverse *sweep, int mu, const mbd_real *x);

/* Add changes along w->vary to the sums of vary_sum, and terms that need no sum to dr. */
void inertia_direction(mbd_work *w);
void forces_direction(mbd_work *w, mbd_real *dr);
void reactions_direction(mbd_work *w, motion_rows rows, const mbd_real *lam, mbd_real *dr);
/* dphi, dphid, dphidd, each may be NULL, overwritten. */
void rows_direction(const mbd_work *w, motion_rows rows, mbd_real *dphi, mbd_real *dphid, mbd_real *dphidd);

/* Copy values and slopes of a force to *kept, or back, and advance *kept; they do nothing for a force that is not
 * kept. */
void force_keep(const mbd_force *f, const mbd_real (*value)[3], const mbd_real (*K)[ELEMENT_ARG_MAX][9],
                const mbd_real (*D)[ELEMENT_ARG_MAX][9], mbd_real **kept);
void force_read_kept(const mbd_force *f, const mbd_real **kept, mbd_real (*value)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                     mbd_real (*D)[ELEMENT_ARG_MAX][9]);

/* kept: of the current motion, or NULL */
void forces_linearize(const mbd_work *w, const mbd_real *kept, force_linear *list);
void reactions_linearize(const mbd_work *w, motion_rows rows, const mbd_real *lam, reaction_linear *list);

/* Derivatives of U . W of one body: by its rates, and by the coefficients of its inertia and gravity. */
void inertia_reverse_rates(const body_state *b, const mbd_real U[6], int moving, body_reverse *body);
void inertia_reverse_coefficients(mbd_reverse *sweep, int i, const mbd_real U[6]);

/* Add the derivatives of mu . (each term) to those of L; mu: number of a virtual field. coefficients_reverse: by
 * coefficients of inertia and forces that are not geometry. */
void inertia_reverse(mbd_reverse *sweep, int mu);
void forces_reverse(mbd_reverse *sweep, const force_linear *list, int mu);
void coefficients_reverse(mbd_reverse *sweep, int mu);
void mass_reverse(mbd_reverse *sweep, int mu, int x);
void reactions_reverse(mbd_reverse *sweep, motion_rows rows, const reaction_linear *list, int mu);
void reactions_reverse_once(mbd_reverse *sweep, motion_rows rows, const mbd_real *lam, int mu); /* without a list */

#endif
