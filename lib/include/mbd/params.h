/* The numbers of one design: values of all coefficients, and directions in them. */
#ifndef MBD_PARAMS_H
#define MBD_PARAMS_H

#include "mbd/model.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbd_params mbd_params;
typedef struct mbd_dparams mbd_dparams;

/* Makes the numbers of a design, which the caller destroys. theta [ncoef]: values of the coefficients, copied, each in its unit; NULL: the
 * nominal ones. The model must outlive the object. Errors: those of mbd_params_set, and MBD_NO_MEMORY; *out is NULL then. */
mbd_status mbd_params_create(const mbd_model *m, const double *theta, mbd_params **out, mbd_error *err);

/* Sets new values theta [ncoef] and computes what follows from them alone (axes, joint frames, data of curves). MBD_OUT_OF_DOMAIN, with the
 * name of the coefficient, if one is not finite, if an axis has no length, or if a mass is negative; the object then keeps its earlier
 * values. Cost: linear in the coefficients; no allocation. */
mbd_status mbd_params_set(mbd_params *p, const double *theta, mbd_error *err);
void mbd_params_destroy(mbd_params *p); /* NULL allowed */

/* A direction in the coefficients, which the caller destroys; MBD_NO_MEMORY. mbd_dparams_set gives it the entries (index[k], value[k]), k < n;
 * all others are zero. It holds the changes of joint frames and prepared data, which depend on the values in p, so that it has to be set again
 * for each design. */
mbd_status mbd_dparams_create(const mbd_model *m, mbd_dparams **out, mbd_error *err);
void mbd_dparams_set(mbd_dparams *d, const mbd_params *p, int n, const int *index, const double *value);
void mbd_dparams_destroy(mbd_dparams *d); /* NULL allowed */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
