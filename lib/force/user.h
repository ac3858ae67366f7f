/* A user's force as an element: in->law is the mbd_user_force. */
#ifndef MBD_FORCE_USER_H
#define MBD_FORCE_USER_H

#include "force/force.h"
#include "mbd/user_force.h"

extern const mbd_force_ops mbd_force_user; /* the row of the table, without arguments */

/* The operations of the type, with the arguments, coefficients and outputs of this force. */
void user_force_ops(const mbd_user_force *u, mbd_force_ops *ops);

/* The state that its functions take as an argument [6 narg + 1]. */
void user_force_state(const mbd_user_force *u, const mbd_element_input *in, mbd_real *state);

#endif
