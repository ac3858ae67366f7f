/* How far the constraints and drives are from being met: the length of Phi, `mechanism.opening`. */
#ifndef MBD_OUTPUT_OPENING_H
#define MBD_OUTPUT_OPENING_H

#include "output/output.h"

mbd_real opening_value(const output_at *at);
void opening_rows(const output_at *at, const output_row *g);
mbd_real opening_direction(const output_at *at);
void opening_reverse(const output_at *at, mbd_real s, const output_back *to);

/* 1: the output is this one. */
static inline int output_is_opening(const output *o) {
  return o->ops->value == opening_value;
}

#endif
