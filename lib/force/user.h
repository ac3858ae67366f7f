/* A user's force as an element: in->law is the mbd_user_force, or, where expressions are among its arguments, the expression_law with their values
 * u_k. It is then f(x, xd, u(x, xd, t), t), and its arguments as an element are its own without these values, then those of the values. */
#ifndef MBD_FORCE_USER_H
#define MBD_FORCE_USER_H

#include "force/expression.h"
#include "mbd/user_force.h"

extern const mbd_force_ops mbd_force_user; /* the row of the table, without arguments */

/* The number of values that it takes: expressions of the model file. */
int user_force_nvalue(const mbd_user_force *u);

/* The operations of the type, with the arguments, coefficients and outputs of this force. mirror: 1 + an axis for its image along this axis, 0 for the
 * force itself. */
void user_force_ops(const mbd_user_force *u, int mirror, mbd_force_ops *ops);

/* The law of a force with values, which are not compiled yet, by its operations, in new memory; NULL: no memory. */
expression_law *user_law_create(const mbd_force_ops *ops);

/* The state that its functions take as an argument [6 narg + 1]. */
void user_force_state(const mbd_user_force *u, const mbd_element_input *in, mbd_real *state);

#endif
