/* Rows of quantities that are sums over all bodies. */
#ifndef MBD_OUTPUT_SUMS_H
#define MBD_OUTPUT_SUMS_H

#include "output/output.h"

/* The wrenches w->F of the bodies are derivatives (kinematics/reverse.h) by a displacement x, by a change c of the velocity, or by a
 * change e of the acceleration. */
typedef enum sum_kind { SUM_PLACE, SUM_VELOCITY, SUM_ACCELERATION } sum_kind;

/* g += derivatives by the coordinates. Overwrites the wrenches by their sums towards the ground. */
void sum_wrenches(mbd_work *w, sum_kind kind, const output_row *g);

#endif
