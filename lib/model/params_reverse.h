/* The transpose of params.h: derivatives of one scalar with respect to all coefficients at once, for reverse sweeps.
 *
 * Along a direction of coefficients (mbd_dparams), first dtheta is set, then the changes of prepared data, joint frames and markers,
 * then those of elements. Here derivatives are computed in the reverse order. Reverse sweeps add to the members of params_reverse, elements
 * through params_reverse_force and the like; params_reverse_finish then propagates the derivatives by prepared data, frames
 * and markers to theta. With weights w of any quantities y, theta . dtheta = w . dy(dtheta) holds for every direction.
 * Equations: theory.md §3 (3.5). */
#ifndef MBD_PARAMS_REVERSE_H
#define MBD_PARAMS_REVERSE_H

#include "model/params.h"

mbd_status params_reverse_create(const mbd_model *m, params_reverse **out, mbd_error *err); /* all wanted, all zero */
void params_reverse_destroy(params_reverse *u);

/* Sets the derivatives that are needed: wanted [ncoef], copied; NULL: all. Elements skip all others, whose entries of theta are
 * incomplete. */
void params_reverse_request(params_reverse *u, const unsigned char *requested);

void params_reverse_clear(params_reverse *u);

/* Propagates aux, joint and dlocal to theta and sets them to zero. To be called once per gradient; cost: linear in the
 * size of the model. */
void params_reverse_finish(params_reverse *u, const mbd_params *p);

/* ---- elements, at the input `in` of params_force_input or params_constraint_input ----
 * They evaluate the changes of the element along unit directions: one evaluation for each wanted coefficient, and three for each
 * evaluation of a curve, whatever the number of its coefficients. */

/* += ybar . f_c,  ybar [narg][3] */
void params_reverse_force(params_reverse *u, const mbd_params *p, const mbd_force *f, const mbd_element_input *in,
                          const mbd_real (*ybar)[3]);
/* += s scalar_c  of scalar k */
void params_reverse_force_scalar(params_reverse *u, const mbd_params *p, const mbd_force *f, int k,
                                 const mbd_element_input *in, mbd_real s);
/* += s potential_c */
void params_reverse_potential(params_reverse *u, const mbd_params *p, const mbd_force *f, const mbd_element_input *in,
                              mbd_real s);
/* += s inertia_c, of a force that has some */
void params_reverse_rotor(params_reverse *u, const mbd_params *p, const mbd_force *f, const mbd_element_input *in,
                          mbd_real s);
/* += nu . phi_c and, with nud and nudd, the products with its time derivatives; each [nphi] of this constraint or held quantity, NULL:
 * none. */
void params_reverse_constraint(params_reverse *u, const mbd_params *p, const mbd_constraint *c,
                               const mbd_element_input *in, const mbd_real *nu, const mbd_real *nud,
                               const mbd_real *nudd);

/* += derivatives of sum_r lam_r phi_r,x v, the power of the reactions phi_x' lam on fixed virtual velocities v [narg][3]. */
void params_reverse_reaction(params_reverse *u, const mbd_params *p, const mbd_constraint *c,
                             const mbd_element_input *in, const mbd_real *lam, const mbd_real (*v)[3]);

#endif
