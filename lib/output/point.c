/* Position, velocity and acceleration of points, along the global axes or those of their bodies.
 * Arguments are lifted to z by theory.md §4 (4.1); along the axes of a body, (4.3). */
#include "output/expand.h"

static mbd_status check(const mbd_model *m, const char *point, const char *where, mbd_error *err) {
  return model_check_shared(m, point, 1, where, err);
}

static int find(const mbd_model *m, const char *ref) {
  mbd_error ignored;
  return model_find_marker(m, ref, 1, "", &ignored);
}

static const char *name(const mbd_model *m, int i) {
  return i == m->nnamed ? NULL : m->named[i].is_point ? m->named[i].name : "";
}

static void place(const mbd_model *m, const output *o, mbd_lift *l) {
  (void)m;
  l->arg[l->narg++] = (mbd_arg){MBD_ARG_POINT, o->object, -1};
}

/* ---- along the axes e of the point's body:  v . e_k,  a . e_k ---- */

static mbd_status has_axes(const output *o, const mbd_model *m, const char *asked, mbd_error *err) {
  if (m->marker[o->object].body > 0) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT,
           "output '%s': the point is taken on the ground, expected one of a body (POINT@BODY tells it)", asked);
}

static void place_and_axis(const mbd_model *m, const output *o, mbd_lift *l) {
  place(m, o, l);
  if (o->component == 3) { return; } /* the norm is the same as that of the global components */
  l->arg[l->narg++] = (mbd_arg){MBD_ARG_VECTOR, model_axis_marker(m, m->marker[o->object].body, o->component), -1};
}

static mbd_real along_axis(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  const int second = at->o->ops->order == 2;
  const mbd_real *v = second ? s->xdd[0] : s->xd[0], *e = s->x[1];
  if (at->o->component == 3) { return component_of_argument(at, s, g); }
  v3_copy(second ? g->xdd[0] : g->xd[0], e);
  v3_copy(g->x[1], v);
  return v3_dot(v, e);
}

#define OF_PLACE                                                                                  \
  .shape = OUTPUT_VECTOR, OUTPUT_OF_ARGUMENTS, .arguments = place, .eval = component_of_argument, \
  .expand = expand_component
#define OF_PLACE_AND_AXIS                                                                                          \
  .shape = OUTPUT_VECTOR, .check = has_axes, OUTPUT_OF_ARGUMENTS, .arguments = place_and_axis, .eval = along_axis, \
  .expand = expand_along_axis

static const output_ops rows[] = {
    {.quantity = "position",
     .unit = "m",
     .doc = "place of a point; POINT@BODY says on which body, and is needed where no joint or constraint keeps those "
            "together that share the point; without component: x, y and z",
     .order = 0,
     OF_PLACE},
    {.quantity = "velocity", .unit = "m/s", .doc = "its velocity", .order = 1, OF_PLACE},
    {.quantity = "acceleration", .unit = "m/s^2", .doc = "its acceleration", .order = 2, OF_PLACE},
    {.quantity = "local_velocity",
     .unit = "m/s",
     .doc = "its velocity along the axes of the point's body, as the forward and the lateral speed of a vehicle",
     .order = 1,
     OF_PLACE_AND_AXIS},
    {.quantity = "local_acceleration",
     .unit = "m/s^2",
     .doc = "its acceleration along these axes, as an accelerometer on the body shows it but for gravity",
     .order = 2,
     OF_PLACE_AND_AXIS},
    {0}};

const output_object output_points = {
    .word = "POINT", .noun = "point", .row = rows, .name = name, .find = find, .check = check, .seen = 1};
