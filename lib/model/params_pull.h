/* The transpose of params.h: derivatives of one scalar with respect to all coefficients at once, for reverse sweeps.
 *
 * Along a direction of coefficients (mbd_dparams), first dtheta is set, then the changes of prepared data, joint frames and markers,
 * then those of elements. Here derivatives are computed in the reverse order. Reverse sweeps add to the members below, elements
 * through params_pull_force and the like; params_pull_finish then propagates the derivatives by prepared data, frames
 * and markers to theta. With weights w of any quantities y, theta . dtheta = w . dy(dtheta) holds for every direction.
 * Equations: theory.md §3 (3.5). */
#ifndef MBD_PARAMS_PULL_H
#define MBD_PARAMS_PULL_H

#include <string.h>

#include "model/params.h"

/* Derivatives by the changes of a joint's frames of joint_dparams. */
typedef struct joint_pull {
  mbd_real ds[2][3], phi[2][3], phi_mid[3];
} joint_pull;

typedef struct params_pull {
  const mbd_model *model;
  mbd_real *theta;   /* [ntheta] */
  mbd_real *aux;     /* [naux] */
  joint_pull *joint; /* [njoint] */
  mbd_real *dlocal;  /* [nmarker][3] */
  mbd_real stretch;  /* derivative by a stretch of the time, t' = t s' */

  unsigned char *wanted; /* [ntheta] 1: the derivative is needed */
  int stretch_wanted;    /* set before params_pull_want */
  /* Bits for the wanted derivatives of each element: by own coefficients or prepared data, by each curve, and by the time. */
  unsigned char *force_wants, *constraint_wants, *hold_wants;
  unsigned char *curve_wanted;                               /* [ncurve] */
  unsigned char *joint_wanted, *marker_wanted, *body_wanted; /* [njoint] frames, [nmarker], [nb] inertia */
  int any_joint, any_geometry,
      gravity_wanted; /* any joint of the tree; any joint, marker or slope of a constraint; gravity */
  mbd_real *unit,
      *zero; /* directions of an element's coefficients, with room for any element; all zero between calls */
  mbd_arena arena;
} params_pull;

mbd_status params_pull_create(const mbd_model *m, params_pull **out, mbd_error *err); /* all wanted, all zero */
void params_pull_destroy(params_pull *u);

/* Sets the derivatives that are needed: wanted [ncoef], copied; NULL: all. Elements skip all others, whose entries of theta are
 * incomplete. */
void params_pull_want(params_pull *u, const unsigned char *wanted);

/* Is the derivative by any of the coefficients coef .. coef + n - 1 needed? */
static inline int params_any_wanted(const params_pull *u, int coef, int n) {
  return coef >= 0 && n > 0 && memchr(u->wanted + coef, 1, (size_t)n) != NULL;
}

void params_pull_clear(params_pull *u);

/* Propagates aux, joint and dlocal to theta and sets them to zero. To be called once per gradient; cost: linear in the
 * size of the model. */
void params_pull_finish(params_pull *u, const mbd_params *p);

/* ---- elements, at the input `in` of params_force_input or params_constraint_input ----
 * They evaluate the changes of the element along unit directions: one evaluation for each wanted coefficient, and three for each
 * evaluation of a curve, whatever the number of its coefficients. */

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
/* += nu . phi_c and, with nud and nudd, the products with its time derivatives; each [nphi] of this constraint or held quantity, NULL:
 * none. */
void params_pull_constraint(params_pull *u, const mbd_params *p, const mbd_constraint *c, const mbd_element_input *in,
                            const mbd_real *nu, const mbd_real *nud, const mbd_real *nudd);

/* += derivatives of sum_r lam_r phi_r,x v, the power of the reactions phi_x' lam on fixed virtual velocities v [narg][3]. */
void params_pull_reaction(params_pull *u, const mbd_params *p, const mbd_constraint *c, const mbd_element_input *in,
                          const mbd_real *lam, const mbd_real (*v)[3]);

#endif
