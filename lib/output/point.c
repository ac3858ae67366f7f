/* Position, velocity and acceleration of points, global components. */
#include "output/output.h"

static int find(const mbd_model *m, const char *ref) {
  mbd_error ignored;
  return model_find_marker(m, ref, 1, "", &ignored);
}

static const char *name(const mbd_model *m, int i) {
  return i == m->nnamed ? NULL : m->named[i].is_point ? m->named[i].name : "";
}

static void place(const mbd_model *m, const output *o, mbd_lift *l) {
  (void)m;
  l->narg = 1;
  l->arg[0] = (mbd_arg){MBD_ARG_POINT, o->object, -1};
}

#define OF_PLACE .shape = OUTPUT_VECTOR, OUTPUT_OF_ARGUMENTS, .arguments = place, .eval = component_of_argument

static const output_ops rows[] = {
    {.quantity = "position",
     .unit = "m",
     .doc = "place of a point; POINT@BODY says on which body, and is needed where no joint or constraint keeps those "
            "together that share the point; without component: x, y and z",
     .order = 0,
     OF_PLACE},
    {.quantity = "velocity", .unit = "m/s", .doc = "its velocity", .order = 1, OF_PLACE},
    {.quantity = "acceleration", .unit = "m/s^2", .doc = "its acceleration", .order = 2, OF_PLACE},
    {0}};

const output_object output_points = {
    .word = "POINT", .noun = "point", .row = rows, .name = name, .find = find, .check = model_check_shared};
