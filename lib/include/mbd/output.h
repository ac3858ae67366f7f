/* Outputs: the named quantities that objectives, constraints and result files are made of, OBJECT.QUANTITY[.COMPONENT]:
 * "P1.position.x", "chassis.roll_rate", "J1.angle", "spring.force", "rod.multiplier", "energy.total". */
#ifndef MBD_OUTPUT_H
#define MBD_OUTPUT_H

#include <stddef.h>

#include "mbd/model.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* Entry i of the table of quantities. Returns 0, and leaves *info alone, past the end. */
typedef struct mbd_output_info {
  char name[96];    /* with the kind of object in place of its name: "BODY.rate[.x/.y/.z/.norm]" */
  const char *unit; /* "": of each object its own */
  const char *doc;
} mbd_output_info;
int mbd_output_info_at(int i, mbd_output_info *info);

/* How many characters at the start of a text are the name of an output: "P1.position@chassis.x", "angle(u, v).rate". Letters,
 * digits, '_', '.', '@', and what is in the parentheses of a relation, "distance(" or "angle("; the grammar is in lib/output/names.c.
 * 0: no name begins there, or the name of a function, as in "sin(x)". Whether the output exists, mbd_outputs_add tells. */
size_t mbd_output_name_span(const char *text);

typedef struct mbd_outputs mbd_outputs;

/* An empty list of outputs of a model, which must outlive it. *out is to be destroyed. MBD_NO_MEMORY. */
mbd_status mbd_outputs_create(const mbd_model *m, mbd_outputs **out, mbd_error *err);
/* NULL: nothing. */
void mbd_outputs_destroy(mbd_outputs *o);

/* Add a quantity: one to three scalars, *first .. *first + *count - 1. The same quantity added twice is found again.
 * MBD_BAD_INPUT: what part of the name is not known, and the nearest that is. */
mbd_status mbd_outputs_add(mbd_outputs *o, const char *quantity, int *first, int *count, mbd_error *err);

/* The number of scalars that have been added; of number i in 0 .. count - 1 the name ("P1.position.x") and the unit ("m", "" of a
 * number), which belong to the list. */
int mbd_outputs_count(const mbd_outputs *o);
const char *mbd_outputs_name(const mbd_outputs *o, int i);
const char *mbd_outputs_unit(const mbd_outputs *o, int i);

/* For tables with a column per quantity. An output that was added alone and as a part of a vector is there twice, with one
 * name: 1 for the second. A coordinate, its rate or acceleration: its number; a multiplier: its equation's; else -1. */
int mbd_outputs_is_repeated(const mbd_outputs *o, int i);
int mbd_outputs_coordinate(const mbd_outputs *o, int i);
int mbd_outputs_multiplier(const mbd_outputs *o, int i);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
