/* Forces by expression. With the values u_k(x, xd, theta, t) and the directions d_ka(x) of the line, the force on argument a and its slopes are
 *   f_a = sum_k u_k d_ka
 *   df_a/dx_b = sum_k [ d_ka (du_k/dx_b)' + u_k dd_ka/dx_b ],     df_a/dxd_b = sum_k d_ka (du_k/dxd_b)'           theory.md §4.2 (4.13)
 * Lines of action, by their keys:
 *   points         d_0 = -e,  e = x/|x|,  x = r_2 - r_1     u is a tension, as of a spring
 *   coordinate     d_0 = 1                                  u makes it grow, as a motor
 *   coordinates    d_0 = 1,  d_1 = -1                       u makes z_1 - z_2 grow
 *   bodies, axis   d_0 = n/|n|                              u turns the second body against the first one about the vector n
 *   point, frame   d_k0 = e_k                               u_k is a component along axis k of a body */
#include "force/expression.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/v3.h"

static const expression_law *law_of(const mbd_element_input *in) {
  return in->law;
}

/* ---- lines of action ---- */

/* e = v/|v|; returns |v| */
static mbd_real unit_of(const mbd_real v[3], mbd_real e[3]) {
  const mbd_real length = mbd_sqrt(v3_dot(v, v));
  v3_scale(e, 1 / length, v);
  return length;
}

/* K += c d(v/|v|)/dv = c (1 - e e')/|v| */
static void bend_unit(const mbd_real v[3], mbd_real c, mbd_real K[9]) {
  mbd_real e[3];
  const mbd_real length = unit_of(v, e);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) { K[3 * i + j] += c / length * ((i == j) - e[i] * e[j]); }
  }
}

static void points_direct(const mbd_element_input *in, line_direction *d) {
  mbd_real e[3];
  unit_of(in->s->x[0], e);
  v3_scale(d[0][0], -1, e);
}

static void points_bend(const mbd_element_input *in, const mbd_real *u, mbd_real (*K)[ELEMENT_ARG_MAX][9]) {
  bend_unit(in->s->x[0], -u[0], K[0][0]);
}

static void coordinates_direct(const mbd_element_input *in, line_direction *d) {
  (void)in;
  v3_set(d[0][0], 1, 0, 0), v3_set(d[0][1], -1, 0, 0);
}

static void axis_direct(const mbd_element_input *in, line_direction *d) {
  unit_of(in->s->x[1], d[0][0]);
}

static void axis_bend(const mbd_element_input *in, const mbd_real *u, mbd_real (*K)[ELEMENT_ARG_MAX][9]) {
  bend_unit(in->s->x[1], u[0], K[0][1]);
}

static void frame_direct(const mbd_element_input *in, line_direction *d) {
  for (int k = 0; k < 3; k++) { v3_copy(d[k][0], in->s->x[1 + k]); }
}

static void frame_bend(const mbd_element_input *in, const mbd_real *u, mbd_real (*K)[ELEMENT_ARG_MAX][9]) {
  (void)in;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++) { K[0][1 + k][4 * i] += u[k]; }
  }
}

/* ---- the force ---- */

static void expression_f(const mbd_element_input *in, mbd_real (*f)[3]) {
  const expression_law *law = law_of(in);
  line_direction d[EXPRESSION_VALUES];
  mbd_args_zero(law->ops.narg, f);
  law->line->direct(in, d);
  for (int k = 0; k < law->line->nvalue; k++) {
    const mbd_real u = law->value(law, k, in, NULL, NULL);
    for (int a = 0; a < law->line->npushed; a++) { v3_axpy(f[a], u, d[k][a]); }
  }
}

static void expression_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                           mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  const expression_law *law = law_of(in);
  const int n = law->ops.narg;
  line_direction d[EXPRESSION_VALUES];
  mbd_real u[EXPRESSION_VALUES], g_x[ELEMENT_ARG_MAX][3], g_xd[ELEMENT_ARG_MAX][3];
  mbd_args_zero(n, f);
  law->line->direct(in, d);
  for (int k = 0; k < law->line->nvalue; k++) {
    mbd_args_zero(n, g_x), mbd_args_zero(n, g_xd);
    u[k] = law->value(law, k, in, g_x, g_xd);
    for (int a = 0; a < law->line->npushed; a++) { v3_axpy(f[a], u[k], d[k][a]); }
    expression_add_slopes(law, CONST3(d[k]), CONST3(g_x), CONST3(g_xd), K, D);
  }
  if (law->line->bend) { law->line->bend(in, u, K); }
}

static void expression_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]) {
  const expression_law *law = law_of(in);
  line_direction direction[EXPRESSION_VALUES];
  mbd_args_zero(law->ops.narg, df);
  law->line->direct(in, direction);
  for (int k = 0; k < law->line->nvalue; k++) {
    const mbd_real du = law->along(law, k, in, d);
    for (int a = 0; a < law->line->npushed; a++) { v3_axpy(df[a], du, direction[k][a]); }
  }
}

void expression_weights(const mbd_element_input *in, const mbd_real (*w)[3], mbd_real *weight) {
  const expression_law *law = law_of(in);
  line_direction d[EXPRESSION_VALUES];
  law->line->direct(in, d);
  for (int k = 0; k < law->line->nvalue; k++) {
    weight[k] = 0;
    for (int a = 0; a < law->line->npushed; a++) { weight[k] += v3_dot(w[a], d[k][a]); }
  }
}

/* ---- outputs: those of the line, then the values ---- */

enum { LENGTH, SPEED }; /* of two points */

/* s = |x|,  sd = e . xd,  with dsd/dx = (xd - sd e)/s */
static mbd_real points_geometry(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  mbd_real e[3];
  const mbd_real *xd = in->s->xd[0], length = unit_of(in->s->x[0], e), speed = v3_dot(e, xd);
  if (k == LENGTH) {
    v3_copy(g_x[0], e);
    return length;
  }
  v3_copy(g_xd[0], e);
  for (int i = 0; i < 3; i++) { g_x[0][i] = (xd[i] - speed * e[i]) / length; }
  return speed;
}

static mbd_real expression_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]) {
  const expression_law *law = law_of(in);
  const int first = law->line->ngeometry;
  return k < first ? points_geometry(in, k, g_x, g_xd) : law->value(law, k - first, in, g_x, g_xd);
}

static mbd_real expression_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d) {
  const expression_law *law = law_of(in);
  const int first = law->line->ngeometry;
  return k < first ? 0 : law->along(law, k - first, in, d);
}

void expression_scalar_weights(const mbd_element_input *in, int k, mbd_real s, mbd_real *weight) {
  const expression_law *law = law_of(in);
  const int n = law->line->nvalue;
  for (int i = 0; i < n; i++) { weight[i] = i == k - law->line->ngeometry; }
  if (law->line->by_values) { law->line->by_values(in, k, weight); }
  for (int i = 0; i < n; i++) { weight[i] *= s; }
}

/* ---- the tables ---- */

static const mbd_ref_info points[] = {
    {"points", MBD_REF_POINT, 2,
     "along the line of two points: `value` is a tension, positive where it pulls them together"},
    {0}};
static const mbd_ref_info coordinate[] = {
    {"coordinate", MBD_REF_COORDINATE, 1, "on a coordinate: `value` is positive where it makes the coordinate grow"},
    {0}};
static const mbd_ref_info coordinates[] = {
    {"coordinates", MBD_REF_COORDINATE, 2,
     "on the difference of two, the first less the second one: `value` is positive where it makes the difference grow"},
    {0}};
static const mbd_ref_info bodies_axis[] = {
    {"bodies", MBD_REF_BODY, 2, "a torque: the body that reacts, and the body it acts on"},
    {"axis", MBD_REF_VECTOR, 1,
     "about which, a vector fixed in a body, of any length; positive by the right-hand rule"},
    {0}};
static const mbd_ref_info point_frame[] = {
    {"point", MBD_REF_POINT, 1, "on a point: `value` is three expressions, the components"},
    {"frame", MBD_REF_BODY, 1, "along the axes of this body; `ground`: global ones"},
    {0}};

#define INFO(REFS) .info = {"expression", "Its line of action is given by keys of its own.", REFS, NO_COEFS, NO_CURVES}

static const expression_line lines[] = {
    {.ops = {INFO(points), .look = MBD_LOOK_SPRING, .narg = 1, .arg = {{MBD_ARG_POINT, 1, 0}}, FORCE_F(expression),
             .nscalar = 3, .scalar_name = {"length", "speed", "force"}, .scalar_unit = {"m", "m/s", "N"},
             FORCE_SCALARS(expression)},
     .nvalue = 1,
     .ngeometry = 2,
     .frame = -1,
     .npushed = 1,
     .direct = points_direct,
     .bend = points_bend},
    {.ops = {INFO(coordinate), .look = MBD_LOOK_MOTOR, .narg = 1, .arg = {{MBD_ARG_COORDINATE, 0, -1}},
             FORCE_F(expression), .nscalar = 1, .scalar_name = {"force"}, FORCE_SCALARS(expression)},
     .nvalue = 1,
     .frame = -1,
     .npushed = 1,
     .direct = coordinates_direct},
    {.ops = {INFO(coordinates), .look = MBD_LOOK_MOTOR, .narg = 2,
             .arg = {{MBD_ARG_COORDINATE, 0, -1}, {MBD_ARG_COORDINATE, 1, -1}}, FORCE_F(expression), .nscalar = 1,
             .scalar_name = {"force"}, FORCE_SCALARS(expression)},
     .nvalue = 1,
     .frame = -1,
     .npushed = 2,
     .direct = coordinates_direct},
    {.ops = {INFO(bodies_axis), .look = MBD_LOOK_MOTOR, .narg = 2,
             .arg = {{MBD_ARG_ROTATION, 1, 0}, {MBD_ARG_VECTOR, 2, -1}}, FORCE_F(expression), .nscalar = 1,
             .scalar_name = {"torque"}, .scalar_unit = {"N m"}, FORCE_SCALARS(expression)},
     .nvalue = 1,
     .frame = -1,
     .npushed = 1,
     .direct = axis_direct,
     .bend = axis_bend},
    {.ops = {INFO(point_frame), .look = MBD_LOOK_PUSH, .narg = 1, .arg = {{MBD_ARG_POINT, 0, -1}}, FORCE_F(expression),
             .nscalar = 3, .scalar_name = {"force_x", "force_y", "force_z"}, .scalar_unit = {"N", "N", "N"},
             FORCE_SCALARS(expression)},
     .nvalue = 3,
     .frame = 1,
     .npushed = 1,
     .direct = frame_direct,
     .bend = frame_bend},
};

const expression_line *expression_line_at(int i) {
  return i >= 0 && i < (int)(sizeof lines / sizeof lines[0]) ? &lines[i] : NULL;
}

const expression_line *expression_line_find(const char *name) {
  const expression_line *line;
  for (int i = 0; (line = expression_line_at(i)) != NULL; i++) {
    if (strcmp(line->ops.info.refs[0].key, name) == 0) { return line; }
  }
  return NULL;
}

const mbd_ref_info *mbd_expression_line(int i, int *nvalue) {
  const expression_line *line = expression_line_at(i);
  if (!line) { return NULL; }
  *nvalue = line->nvalue;
  return line->ops.info.refs;
}

expression_law *expression_law_create(const expression_line *line) {
  expression_law *law = mbd_zeros(1, sizeof *law);
  if (!law) { return NULL; }
  law->line = line;
  law->ops = line->ops;
  law->ops.law = law;
  law->frame = -1;
  return law;
}

static const mbd_ref_info refs[] = {
    {"value", MBD_REF_LINE, 1,
     "the force: an expression of quantities of positions and velocities, outputs and [quantity NAME], of scalars and "
     "`time`"},
    {0}};

const mbd_force_ops mbd_force_expression = {
    .info =
        {"expression",
         "A force, or torque, whose value is an expression of outputs: a controller, a driver, a damper with a law "
         "of one's own. Outputs in it are functions of positions and velocities, of points, bodies, coordinates, "
         "distances, angles and other forces, not accelerations, reactions and multipliers, which follow from the "
         "forces; angles count their turns. One line of action: `points`, `coordinate`, `coordinates`, `bodies` with "
         "`axis`, or `point` with "
         "`frame`. Its own outputs: `force`, of `points` also `length` and `speed`, of an axis `torque`, in a frame "
         "`force_x`, `force_y`, `force_z`. It has no potential energy. In a mirrored part its line is reflected and "
         "its value is as written, so that it may name what is the same on both sides; with `point` and `frame` it has "
         "no mirror image.",
         refs, NO_COEFS, NO_CURVES},
    .image = IMAGE({"axis", MBD_IMAGE_AXIS}), /* of a line with this key */
    .timed = 1,
    FORCE_F(expression),
    FORCE_SCALARS(expression),
};
