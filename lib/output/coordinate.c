/* Coordinates of joints and added ones, with their rates. */
#include <string.h>

#include "output/output.h"

static const char *name(const mbd_model *m, int i) {
  return i == m->nz ? NULL : m->z_name[i];
}

static const char *unit_of(const mbd_model *m, const output *o) {
  static const char *const unit[][3] = {{"rad", "rad/s", "rad/s^2"}, {"m", "m/s", "m/s^2"}, {"-", "1/s", "1/s^2"}};
  int k = 0;
  while (k < 2 && strcmp(m->z_unit[o->object], unit[k][0]) != 0) { k++; }
  return unit[k][o->ops->order];
}

static void coordinate(const mbd_model *m, const output *o, mbd_lift *l) {
  (void)m;
  l->narg = 1;
  l->arg[0] = (mbd_arg){MBD_ARG_COORDINATE, o->object, -1};
}

#define OF_COORDINATE .unit_of = unit_of, OUTPUT_OF_ARGUMENTS, .arguments = coordinate, .eval = component_of_argument

static const output_ops rows[] = {
    {.quantity = "", .doc = "coordinate of a joint, JOINT.NAME, or one added by [coordinate NAME]", OF_COORDINATE},
    {.quantity = "rate", .doc = "its rate", .order = 1, OF_COORDINATE},
    {.quantity = "acceleration", .doc = "its second rate", .order = 2, OF_COORDINATE},
    {0}};

const output_object output_coordinates = {
    .word = "COORDINATE", .noun = "coordinate", .row = rows, .find = model_find_coordinate, .name = name};
