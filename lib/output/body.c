/* Angles of bodies and their rates. The axes of bodies are lifted to z by theory.md §4 (4.1). */
#include "output/expand.h"

static int find(const mbd_model *m, const char *ref) {
  const int body = model_find_body(m, ref);
  return body > 0 ? body : -1;
}

static const char *name(const mbd_model *m, int i) {
  return i == m->nb ? NULL : i == 0 ? "" : m->body[i].name; /* not the ground */
}

static mbd_arg body_axis(const mbd_model *m, int body, int axis) {
  return (mbd_arg){MBD_ARG_VECTOR, model_axis_marker(m, body, axis), -1};
}

static void rotation(const mbd_model *m, const output *o, mbd_lift *l) {
  (void)m;
  l->arg[l->narg++] = (mbd_arg){MBD_ARG_ROTATION, o->object, -1};
}

static void centre(const mbd_model *m, const output *o, mbd_lift *l) {
  l->arg[l->narg++] = (mbd_arg){MBD_ARG_POINT, model_com_marker(m, o->object), -1};
}

/* ---- angle about global axis k, in the plane (p, q) normal to it, (k, p, q) cyclic ---- */

/* The body axis e_p: the angle is zero where the frames are parallel. */
static void axis_in_plane(const mbd_model *m, const output *o, mbd_lift *l) {
  l->arg[l->narg++] = body_axis(m, o->object, (o->component + 1) % 3);
}

/* The angle atan2(a, b), or its rate (b ad - a bd)/(a^2 + b^2), of a = x[A][i] and b = x[B][k]. */
static mbd_real angle_of_two(const output_at *at, const mbd_arg_state *s, int A, int i, int B, int k,
                             output_gradient *g) {
  const mbd_real a = s->x[A][i], b = s->x[B][k], ad = s->xd[A][i], bd = s->xd[B][k];
  const mbd_real r2 = a * a + b * b;
  if (at->o->ops->order == 0) {
    g->x[A][i] = b / r2, g->x[B][k] = -a / r2;
    return mbd_atan2(a, b);
  }
  const mbd_real rate = (b * ad - a * bd) / r2;
  g->x[A][i] = -(bd + 2 * a * rate) / r2, g->x[B][k] = (ad - 2 * b * rate) / r2;
  g->xd[A][i] = b / r2, g->xd[B][k] = -a / r2;
  return rate;
}

static mbd_real angle(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  const int p = (at->o->component + 1) % 3, q = (at->o->component + 2) % 3;
  return angle_of_two(at, s, 0, q, 0, p, g);
}

/* ---- attitude of axes e_x forward, e_y left, e_z up (ISO 8855: yaw, then pitch, then roll), z up ---- */

static void axes_y_z(const mbd_model *m, const output *o, mbd_lift *l) {
  l->narg = 2;
  l->arg[0] = body_axis(m, o->object, 1), l->arg[1] = body_axis(m, o->object, 2);
}

static void axis_x(const mbd_model *m, const output *o, mbd_lift *l) {
  l->arg[l->narg++] = body_axis(m, o->object, 0);
}

/* atan2(e_y.z, e_z.z) */
static mbd_real roll(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  return angle_of_two(at, s, 0, 2, 1, 2, g);
}

/* atan2(e_x.y, e_x.x) */
static mbd_real yaw(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  return angle_of_two(at, s, 0, 1, 0, 0, g);
}

/* -asin(e_x.z) */
static mbd_real pitch(const output_at *at, const mbd_arg_state *s, output_gradient *g) {
  const mbd_real z = s->x[0][2], c = mbd_sqrt(1 - z * z);
  if (at->o->ops->order == 0) {
    g->x[0][2] = -1 / c;
    return -mbd_atan2(z, c);
  }
  const mbd_real zd = s->xd[0][2];
  g->xd[0][2] = -1 / c;
  g->x[0][2] = -zd * z / (c * c * c);
  return -zd / c;
}

static const output_ops rows[] = {
    {.quantity = "angle",
     .unit = "rad",
     .doc = "angle of a body about a global axis as seen along it, with its turns since the start",
     .shape = OUTPUT_AXIS,
     OUTPUT_OF_ANGLE,
     .arguments = axis_in_plane,
     .eval = angle},
#define VECTOR(WORD, ORDER, UNIT, ARGUMENTS, DOC)                                                            \
  {                                                                                                          \
    .quantity = WORD, .unit = UNIT, .doc = DOC, .order = ORDER, .shape = OUTPUT_VECTOR, OUTPUT_OF_ARGUMENTS, \
    .arguments = ARGUMENTS, .eval = component_of_argument, .expand = expand_component                        \
  }
    VECTOR("rate", 1, "rad/s", rotation, "angular velocity, global components"),
    VECTOR("angular_acceleration", 2, "rad/s^2", rotation, "its rate"),
    VECTOR("com", 0, "m", centre, "place of the centre of mass"),
    VECTOR("com_velocity", 1, "m/s", centre, "its velocity"),
    VECTOR("com_acceleration", 2, "m/s^2", centre, "its acceleration"),
#define ATTITUDE(WORD, VALUE, AXES, DOC)                                                                               \
  {.quantity = #WORD, .unit = "rad", .doc = DOC, VALUE, .arguments = AXES, .eval = WORD}, {                            \
    .quantity = #WORD "_rate", .unit = "rad/s", .doc = "its rate", .order = 1, OUTPUT_OF_ARGUMENTS, .arguments = AXES, \
    .eval = WORD                                                                                                       \
  }
    ATTITUDE(roll, OUTPUT_OF_ANGLE, axes_y_z,
             "attitude of the body's frame, x forward, y left, z up: yaw, then pitch, then roll (ISO 8855), "
             "with the turns of roll and yaw since the start"),
    ATTITUDE(pitch, OUTPUT_OF_ARGUMENTS, axis_x, "likewise"),
    ATTITUDE(yaw, OUTPUT_OF_ANGLE, axis_x, "likewise"),
    {0}};

const output_object output_bodies = {
    .word = "BODY", .noun = "body", .row = rows, .name = name, .find = find, .seen = 1};
