/* Numbers that are computed from the coefficients once for a design: joint frames, markers, prepared data of constraints and curves,
 * bodies with masses at points; each with its change along a direction of coefficients (direct), the transpose of that (reverse), and a
 * mark of whether the transpose has any derivative to compute (want). */
#ifndef MBD_DERIVED_H
#define MBD_DERIVED_H

#include "model/numbers.h"

/* MBD_OUT_OF_DOMAIN: an axis has no length, two make no frame. */
mbd_status derived_check(const mbd_model *m, const double *theta, mbd_error *err);

void derived_set(mbd_params *p);
/* Local coordinates of a marker, in the model or not, once coefficients and joint frames are set. */
void derived_marker(const mbd_params *p, const mbd_marker *k, mbd_real x[3]);
/* The change of its local coordinates, which are `local`, once the changes of joint frames are set. */
void derived_marker_change(const mbd_params *p, const mbd_dparams *d, const mbd_marker *k, const mbd_real local[3],
                           mbd_real dx[3]);
/* Its transpose: propagates derivatives xbar by the local coordinates to the coefficients and the joint frames. */
void derived_marker_reverse(const mbd_params *p, const mbd_marker *k, const mbd_real xbar[3], params_reverse *u);
void derived_direct(const mbd_params *p, mbd_dparams *d); /* sets all changes; of the any_ members any_joint alone */

/* Propagates derivatives by aux, joint and dlocal to theta, in the reverse order of derived_direct. */
void derived_reverse(const mbd_params *p, params_reverse *u);

void derived_request(
    params_reverse *u); /* marks the joints and markers with wanted derivatives, and whether there are any */
int derived_own_requested(const params_reverse *u, const mbd_constraint *c);

int derived_nonzero(const mbd_real *x, int n); /* is any of x [n] not zero? */

#endif
