/* The loop that a constraint closes, for messages. */
#ifndef MBD_LOOP_H
#define MBD_LOOP_H

#include "model/model.h"

/* The constraint with row `row` of Phi. */
const mbd_constraint *model_row_constraint(const mbd_model *m, int row);

/* "A1 - B12 - ground - B3": the bodies along the tree between the two that a constraint is about, as far as there is room; "" if
 * it is not about two. Returns text. */
const char *model_loop_text(const mbd_model *m, const mbd_constraint *c, char *text, size_t size);

#endif
