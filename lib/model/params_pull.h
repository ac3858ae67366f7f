/* The transpose of params.h: derivatives of one scalar with respect to all coefficients at once, for reverse sweeps.
 *
 * A direction of coefficients (mbd_dparams) runs forward: dtheta, then prepared data, joint frames and markers, then
 * elements. Here weights run back the same way. Reverse sweeps add to the members below, elements through
 * params_pull_force and the like; params_pull_finish then takes what came to prepared data, frames and markers to theta.
 * With w the weights of any quantities q:  theta . dtheta = w . dq(dtheta)  for every direction. */
#ifndef MBD_PARAMS_PULL_H
#define MBD_PARAMS_PULL_H

#include <string.h>

#include "model/params.h"

/* Weights of the changes of a joint's frames, as in joint_dparams. */
typedef struct joint_pull {
  mbd_real ds[2][3], phi[2][3], phi_mid[3];
} joint_pull;

typedef struct params_pull {
  const mbd_model *model;
  mbd_real *theta;   /* [ntheta] */
  mbd_real *aux;     /* [naux] */
  joint_pull *joint; /* [njoint] */
  mbd_real *dlocal;  /* [nmarker][3] */
  mbd_real stretch;  /* of time: t changes by t times this */

  unsigned char *wanted; /* [ntheta] 1: its derivative is asked for */
  int stretch_wanted;    /* set before params_pull_want */
  /* What elements have that is wanted, in bits: own coefficients or prepared data, each curve, and the time. */
  unsigned char *force_wants, *constraint_wants, *hold_wants;
  unsigned char *curve_wanted;                               /* [ncurve] */
  unsigned char *joint_wanted, *marker_wanted, *body_wanted; /* [njoint] frames, [nmarker], [nb] inertia */
  int any_joint, any_geometry,
      gravity_wanted;    /* joints of the tree; these, markers or slopes of constraints; gravity */
  mbd_real *unit, *zero; /* directions of an element's coefficients, as many as any has; zero between calls */
  mbd_arena arena;
} params_pull;

mbd_status params_pull_create(const mbd_model *m, params_pull **out, mbd_error *err); /* all wanted, all zero */
void params_pull_destroy(params_pull *u);

/* Which derivatives are asked for: wanted [ncoef], copied; NULL: all. Elements skip all others, so that theta is
 * incomplete there. */
void params_pull_want(params_pull *u, const unsigned char *wanted);

/* Is the derivative in any of the coefficients coef .. coef + n - 1 asked for? */
static inline int params_any_wanted(const params_pull *u, int coef, int n) {
  return coef >= 0 && n > 0 && memchr(u->wanted + coef, 1, (size_t)n) != NULL;
}

void params_pull_clear(params_pull *u);

/* Take aux, joint and dlocal to theta; they come back zero. Once per gradient; cost: linear in the model's size. */
void params_pull_finish(params_pull *u, const mbd_params *p);

/* ---- elements, at the input `in` of params_force_input or params_constraint_input ----
 * The same operations as for directions, along unit directions: one evaluation for each wanted coefficient, three for
 * each evaluation of a curve, whatever its length. */

/* += ybar . f_c,  ybar [narg][3] */
void params_pull_force(params_pull *u, const mbd_params *p, const mbd_force *f, const mbd_element_input *in,
                       const mbd_real (*ybar)[3]);
/* += s scalar_c  of scalar k */
void params_pull_force_scalar(params_pull *u, const mbd_params *p, const mbd_force *f, int k,
                              const mbd_element_input *in, mbd_real s);
/* += s potential_c */
void params_pull_potential(params_pull *u, const mbd_params *p, const mbd_force *f, const mbd_element_input *in,
                           mbd_real s);
/* += s inertia_c, of a force that has some */
void params_pull_rotor(params_pull *u, const mbd_params *p, const mbd_force *f, const mbd_element_input *in,
                       mbd_real s);
/* += nu . phi_c, and its time derivatives with nud, nudd; each [nphi] of this constraint, NULL: none. A constraint or a
 * held quantity. */
void params_pull_constraint(params_pull *u, const mbd_params *p, const mbd_constraint *c, const mbd_element_input *in,
                            const mbd_real *nu, const mbd_real *nud, const mbd_real *nudd);

/* += sum_r lam_r phi_r,x v along the coefficients, v [narg][3] fixed: of the reactions phi_x' lam on virtual velocities v. */
void params_pull_reaction(params_pull *u, const mbd_params *p, const mbd_constraint *c, const mbd_element_input *in,
                          const mbd_real *lam, const mbd_real (*v)[3]);

#endif
