/* A force of one's own for tests, with an argument of every kind: x the difference of two points, u a vector of a body, w the rate of
 * one body against another, q a coordinate, p the value of an expression; d = (direction), s = sin(frequency (t + 1)).
 *   on x:  -(k + r |x|^2 + p^2) x - c xd + g s u
 *   on u:  b (d - u)
 *   on w:  -m sqrt(1 + w.w) w + (q + p) d
 *   on q:  -k atan(q) - c qd + u.x
 * Outputs: mixed = u.x + w.d + q qd + p q, swing = g s q. */
#include "own_force.h"

#include "mbd/plugin.h"

enum { STIFFNESS, RISE, DAMPING, SWING, FREQUENCY, BEND, TWIST, DIRECTION };

static scalar dot(const scalar a[3], const scalar b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void general(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], scalar f[][3],
                    scalar output[]) {
  const scalar *u = x[1], *w = xd[2], q = x[3][0], qd = xd[3][0], p = x[4][0];
  const scalar d[3] = {c[DIRECTION], c[DIRECTION + 1], c[DIRECTION + 2]};
  const scalar swing = c[SWING] * s_sin(c[FREQUENCY] * (t + 1));
  const scalar stiff = c[STIFFNESS] + c[RISE] * dot(x[0], x[0]) + p * p;
  const scalar twist = c[TWIST] * s_sqrt(1 + dot(w, w));
  for (int i = 0; i < 3; i++) {
    f[0][i] = -stiff * x[0][i] - c[DAMPING] * xd[0][i] + swing * u[i];
    f[1][i] = c[BEND] * (d[i] - u[i]);
    f[2][i] = -twist * w[i] + (q + p) * d[i];
  }
  f[3][0] = -c[STIFFNESS] * s_atan(q) - c[DAMPING] * qd + dot(u, x[0]);
  if (output) { output[0] = dot(u, x[0]) + dot(w, d) + q * qd + p * q, output[1] = swing * q; }
}

static const mbd_ref_info references[] = {{"points", MBD_REF_POINT, 2, "from, to"},
                                          {"along", MBD_REF_VECTOR, 1, "a vector"},
                                          {"bodies", MBD_REF_BODY, 2, "the one that reacts, the other"},
                                          {"command", MBD_REF_VALUE, 1, "an expression"},
                                          {"coordinate", MBD_REF_COORDINATE, 1, "a coordinate"},
                                          {0}};
static const mbd_arg_info arguments[] = {{MBD_ARG_POINT, 1, 0},
                                         {MBD_ARG_VECTOR, 2, -1},
                                         {MBD_ARG_ROTATION, 4, 3},
                                         {MBD_ARG_COORDINATE, 6, -1},
                                         {MBD_ARG_VALUE, 5, -1}};
static const mbd_coef_info coefficients[] = {{"stiffness", 1, "N/m", NAN, 0, 1e300, "k"},
                                             {"rise", 1, "N/m^3", NAN, 0, 1e300, "r"},
                                             {"damping", 1, "N s/m", 0, 0, 1e300, "c"},
                                             {"swing", 1, "N", NAN, -1e300, 1e300, "g"},
                                             {"frequency", 1, "rad/s", 1, 0, 1e300, "of s"},
                                             {"bend", 1, "N", NAN, -1e300, 1e300, "b"},
                                             {"twist", 1, "N m s/rad", NAN, -1e300, 1e300, "m"},
                                             {"direction", 3, "-", NAN, -1e300, 1e300, "d"},
                                             {0}};
static const mbd_user_output outputs[] = {{"mixed", "-"}, {"swing", "N"}, {0}};

MBD_USER_FORCE("general", "An argument of every kind.", references, arguments, coefficients, outputs, general)
