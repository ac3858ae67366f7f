/* The terms of the mechanics, each by itself, which motion.c puts together. All at the motion in the work. */
#ifndef MBD_DYNAMICS_PARTS_H
#define MBD_DYNAMICS_PARTS_H

#include "dynamics/element.h"
#include "dynamics/motion.h"

/* Arguments of a force, and what it is evaluated from. */
static inline void force_input(const mbd_work *w, const mbd_force *q, mbd_arg_state *s, mbd_element_input *in) {
  lift_values(w, &q->lift, 1, s);
  params_force_input(w->p, q, w->t, s, in);
}

/* Row i of a list of elements: a constraint or a held quantity, and its first row. */
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

/* The wrenches of the bodies alone, inertia less applied forces, into w->F; then their sums over the bodies beyond every joint, with
 * r_j += b_j . F. Both add forces on coordinates, and read columns, for r [nz] alone; NULL: not wanted. */
void wrenches_of_bodies(mbd_work *w, mbd_real *r);
void wrenches_inwards(mbd_work *w, mbd_real *r);
/* Subtracts sign times forces f on arguments from the wrenches of their bodies. */
void wrenches_apply(mbd_work *w, const mbd_lift *l, mbd_real sign, const mbd_real (*f)[3]);

/* K, C -= those of the forces, K += d(Phi_z' lam)/dz at fixed lam, but those of elements that touch one body alone, which wait for
 * bodies_jacobian, and second derivatives, which wait for second_sum. bodies_jacobian adds them, and K and C of inertia if there is
 * inertia; M is written. C, M may be NULL. */
/* Where entry i, j of K, C is. *place: that of the entry j, i of packed ones, -1 at first, for rows i that follow each other. */
static inline size_t entry_of_column(const mbd_nonzeros *packed, int n, int i, int j, int *place) {
  if (!packed) { return (size_t)i * (size_t)n + (size_t)j; }
  *place = mbd_nonzeros_place_after(packed, *place, j, i);
  return (size_t)packed->mirror[*place];
}

void forces_jacobian(mbd_work *w, mbd_real *K, mbd_real *C);
void reactions_jacobian(mbd_work *w, motion_rows rows, const mbd_real *lam, mbd_real *K);
void bodies_jacobian(mbd_work *w, int inertia, mbd_real *K, mbd_real *C, mbd_real *M);

/* Changes of the inertia wrench of one body, and of the forces f on the arguments of one element, along w->vary; f is set where the
 * arguments move. */
typedef enum element_change { ELEMENT_SAME, ELEMENT_OTHER, ELEMENT_MOVED } element_change;
int inertia_change(const mbd_work *w, int i, mbd_real dW[6]); /* at a fixed place of its reference point; 0: none */
element_change force_change(const mbd_work *w, int i, mbd_real (*f)[3], mbd_real (*df)[3]);
/* of f_a = sum_r lam_r J_ra, by the arguments, and, if `own`, by the element's own coefficients */
element_change reaction_change(const mbd_work *w, const mbd_constraint *c, int own, const mbd_real *lam,
                               mbd_real (*f)[3], mbd_real (*df)[3]);

/* Wrenches from outside: among the wrenches of the bodies; second derivatives that wait for second_sum; their change along w->vary into
 * the sums of vary_sum; L += mu . of them. */
void externals_apply(mbd_work *w);
void externals_jacobian(mbd_work *w);
void externals_direction(mbd_work *w);
void externals_pull(mbd_pull *q, int mu);

/* Inertias of single coordinates: added to r; to M, after the bodies; their change along w->vary, to dr; L += mu . M zdd; and its
 * derivatives by the coefficients, of L = mu . M x with x [nz]. */
void rotors_residual(const mbd_work *w, mbd_real *r);
void rotors_mass(const mbd_work *w, mbd_real *M);
void rotors_direction(const mbd_work *w, mbd_real *dr);
void rotors_pull(mbd_pull *q, int mu);
void rotors_pull_own(mbd_pull *q, int mu, const mbd_real *x);

/* Changes along w->vary into the sums of vary_sum, and what needs no sum into dr. */
void inertia_direction(mbd_work *w);
void forces_direction(mbd_work *w, mbd_real *dr);
void reactions_direction(mbd_work *w, motion_rows rows, const mbd_real *lam, mbd_real *dr);
/* dphi, dphid, dphidd, each may be NULL, overwritten. */
void rows_direction(const mbd_work *w, motion_rows rows, mbd_real *dphi, mbd_real *dphid, mbd_real *dphidd);

/* g, gd of row r of one element, of which its rates' derivatives are made (equations.c). */
void row_rate(const mbd_constraint *c, const element_state *q, int r, mbd_real (*g)[3], mbd_real (*gd)[3]);

/* Values and slopes of a force to *kept and back, which goes on; nothing of a force that is not kept. */
void force_keep(const mbd_force *f, const mbd_real (*value)[3], const mbd_real (*K)[MBD_ARG_MAX][9],
                const mbd_real (*D)[MBD_ARG_MAX][9], mbd_real **kept);
void force_read_kept(const mbd_force *f, const mbd_real **kept, mbd_real (*value)[3], mbd_real (*K)[MBD_ARG_MAX][9],
                     mbd_real (*D)[MBD_ARG_MAX][9]);

/* kept: of the current motion, or NULL */
void forces_linearize(const mbd_work *w, const mbd_real *kept, force_linear *list);
void reactions_linearize(const mbd_work *w, motion_rows rows, const mbd_real *lam, reaction_linear *list);

/* Derivatives of U . W of one body: by its rates, and by the coefficients of its inertia and gravity. */
void inertia_pull_rates(const body_state *b, const mbd_real U[6], int moving, body_pull *body);
void inertia_pull_coefficients(mbd_pull *q, int i, const mbd_real U[6]);

/* L += mu . of each, mu: number of a virtual field; coefficients: those of inertia and forces that are no geometry. */
void inertia_pull(mbd_pull *q, int mu);
void forces_pull(mbd_pull *q, const force_linear *list, int mu);
void coefficients_pull(mbd_pull *q, int mu);
void mass_pull(mbd_pull *q, int mu, int x);
void reactions_pull(mbd_pull *q, motion_rows rows, const reaction_linear *list, int mu);
void reactions_pull_once(mbd_pull *q, motion_rows rows, const mbd_real *lam, int mu); /* without a list */

#endif
