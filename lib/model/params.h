/* The numbers of one design, and their changes along one direction of the coefficients. */
#ifndef MBD_PARAMS_INTERNAL_H
#define MBD_PARAMS_INTERNAL_H

#include "model/numbers.h"

#if MBD_DESIGNS > 1
/* mbd_params_set for all designs, theta [designs][ncoef]; mbd_dparams_set with the numbers value[i * stride + k], k < n, of design i. */
mbd_status params_set_designs(mbd_params *p, const double *theta, mbd_error *err);
void dparams_set_designs(mbd_dparams *d, const mbd_params *p, int n, const int *index, const double *value, int stride);
#endif

#ifdef MBD_COMPLEX
/* Adds i * value[k], with the imaginary unit i, to coefficient index[k], for n at most the number of coefficients. */
void params_set_imaginary(mbd_params *p, int n, const int *index, const double *value);
#endif

/* The numbers of `from` with coefficients moved by n amounts: coefficient index[k] by weight[k] by[i], first[i] <= k < first[i + 1]. Ranges are not
 * checked. */
void params_set_moved(mbd_params *p, const mbd_params *from, int n, const int *first, const int *index,
                      const double *weight, const mbd_real *by);

/* The number of coefficients that an element of this kind has. */
int params_ncoef(const mbd_element_info *info);

/* The input of an element: its arguments and the numbers of the design. */
void params_force_input(const mbd_params *p, const mbd_force *f, mbd_real t, const mbd_real *turns,
                        const mbd_arg_state *s, mbd_element_input *in);
/* The input of a force whose outputs are in the values of another one, from the input of that one. */
void params_force_input_beside(const mbd_model *m, const mbd_element_input *other, const mbd_force *f,
                               const mbd_arg_state *s, mbd_element_input *in);
void params_constraint_input(const mbd_params *p, const mbd_constraint *c, mbd_real t, const mbd_arg_state *s,
                             mbd_element_input *in);
/* dt: change of the time along the direction */
mbd_element_direction params_direction(const mbd_dparams *d, int coef, int prepared, mbd_real dt);

/* 1: the element depends on the time explicitly, through a curve or through its own law. */
int params_constraint_has_time(const mbd_constraint *c);
int params_force_has_time(const mbd_force *f);

#endif
