/* Outputs: named quantities for objectives, constraints and result files, OBJECT.QUANTITY[.COMPONENT]:
 * "P1.position.x", "chassis.roll_rate", "J1.angle", "spring.force", "rod.multiplier", "energy.total". */
#ifndef MBD_OUTPUT_H
#define MBD_OUTPUT_H

#include <stddef.h>

#include "mbd/model.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* A row of the table of quantities. */
typedef struct mbd_output_info {
  char name[96];    /* with the kind of object instead of its name: "BODY.rate[.x/.y/.z/.norm]" */
  const char *unit; /* "": the unit depends on the object */
  const char *doc;
} mbd_output_info;
/* Row i; returns 0, and does not change *info, past the end. */
int mbd_output_info_at_sized(int i, mbd_output_info *info, size_t size);
static inline int mbd_output_info_at(int i, mbd_output_info *info) {
  return mbd_output_info_at_sized(i, info, sizeof *info);
}

/* Returns the number of characters at the start of a text that can be the name of an output: "P1.position@chassis.x", "angle(u, v).rate". These are
 * letters, digits, '_', '.', '@', and the text in the parentheses of a relation, "distance(" or "angle("; the grammar is in
 * lib/output/names.c. 0: no name begins there, or the name of a function, as in "sin(x)". mbd_outputs_add tells whether the output exists. */
size_t mbd_output_name_span(const char *text);

typedef struct mbd_outputs mbd_outputs;

/* Makes an empty list of outputs of a model, which must outlive the list. The caller destroys *out. MBD_NO_MEMORY. */
mbd_status mbd_outputs_create(const mbd_model *m, mbd_outputs **out, mbd_error *err);
/* NULL allowed. */
void mbd_outputs_destroy(mbd_outputs *o);

/* Makes a list *out, which the caller destroys, of the same outputs under the same numbers. Outputs that are added to it get no warnings. MBD_NO_MEMORY. */
mbd_status mbd_outputs_copy(const mbd_outputs *from, mbd_outputs **out, mbd_error *err);

/* Adds a quantity, which has one to three scalars, *first .. *first + *count - 1. A quantity that was added before keeps its numbers.
 * MBD_BAD_INPUT: the message gives the part of the name that is not known, and the nearest known one. MBD_NO_MEMORY. */
mbd_status mbd_outputs_add(mbd_outputs *o, const char *quantity, int *first, int *count, mbd_error *err);

/* Outputs that are added from now on are only shown: a simulation does not warn where they are no number. */
void mbd_outputs_shown(mbd_outputs *o);

/* The number of scalars that have been added; and name ("P1.position.x") and unit ("m"; "" of a number without unit) of scalar
 * i = 0 .. count - 1. The list owns the texts. */
int mbd_outputs_count(const mbd_outputs *o);
const char *mbd_outputs_name(const mbd_outputs *o, int i);
const char *mbd_outputs_unit(const mbd_outputs *o, int i);

/* For tables with one column for each quantity. is_repeated: 1 for the second of two scalars with the same name, which exist if an output was
 * added alone and as a component of a vector. coordinate: the number of the coordinate of which the output is the value, rate or
 * acceleration, of states that of theirs (mbd_model_nstate); multiplier: the number of the equation of a multiplier; -1 for all others. */
int mbd_outputs_is_repeated(const mbd_outputs *o, int i);
int mbd_outputs_coordinate(const mbd_outputs *o, int i);
int mbd_outputs_multiplier(const mbd_outputs *o, int i);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
