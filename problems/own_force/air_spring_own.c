/* The air spring of air_spring.c with derivatives of its own. With u = x/s, F(s, sd) the force along the line and V, p the volume and
 * the pressure of the gas:
 *   f = F u,   F_s = -n p A^2/V,   F_sd = -c,   sd = u . xd
 *   df/dx = F_s u u' + F_sd u w' + F (1 - u u')/s,   df/dxd = F_sd u u',   w = (xd - sd u)/s = d(sd)/dx */
#include "mbd/plugin.h"

enum { AREA, VOLUME, LENGTH, PRESSURE, ATMOSPHERE, EXPONENT, DAMPING };

typedef struct spring {
  scalar s, sd, u[3], w[3];
  scalar volume, ratio, pressure, force; /* ratio: V0/V */
} spring;

static spring evaluate(const scalar d[3], const scalar v[3], const coefficient c[]) {
  spring q;
  q.s = s_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  q.sd = (d[0] * v[0] + d[1] * v[1] + d[2] * v[2]) / q.s;
  for (int i = 0; i < 3; i++) { q.u[i] = d[i] / q.s; }
  for (int i = 0; i < 3; i++) { q.w[i] = (v[i] - q.sd * q.u[i]) / q.s; }
  q.volume = c[VOLUME] + c[AREA] * (q.s - c[LENGTH]);
  q.ratio = c[VOLUME] / q.volume;
  q.pressure = c[PRESSURE] * s_pow(q.ratio, c[EXPONENT]);
  q.force = (q.pressure - c[ATMOSPHERE]) * c[AREA] - c[DAMPING] * q.sd;
  return q;
}

static void air_spring(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], scalar f[][3],
                       scalar output[]) {
  const spring q = evaluate(x[0], xd[0], c);
  (void)t;
  for (int i = 0; i < 3; i++) { f[0][i] = q.force * q.u[i]; }
  if (output) { output[0] = q.s, output[1] = q.pressure, output[2] = q.force; }
}

static void slopes(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], const mbd_slopes *J) {
  const spring q = evaluate(x[0], xd[0], c);
  const scalar p_s = -c[EXPONENT] * q.pressure * c[AREA] / q.volume, F_s = p_s * c[AREA], F_sd = -c[DAMPING];
  (void)t;
  for (int j = 0; j < 3; j++) {
    const scalar by = F_s * q.u[j] + F_sd * q.w[j];
    for (int i = 0; i < 3; i++) {
      *by_x(J, i, 0, j) = q.u[i] * by + q.force / q.s * ((i == j) - q.u[i] * q.u[j]);
      *by_xd(J, i, 0, j) = F_sd * q.u[i] * q.u[j];
    }
    if (!J->outputs) { continue; }
    *by_x(J, 3, 0, j) = q.u[j];
    *by_x(J, 4, 0, j) = p_s * q.u[j];
    *by_x(J, 5, 0, j) = by;
    *by_xd(J, 5, 0, j) = F_sd * q.u[j];
  }
}

static void along(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], scalar dt,
                  const coefficient dc[], scalar df[][3], scalar doutput[]) {
  const spring q = evaluate(x[0], xd[0], c);
  const scalar dvolume = dc[VOLUME] + dc[AREA] * (q.s - c[LENGTH]) - c[AREA] * dc[LENGTH];
  const scalar dratio = (dc[VOLUME] - q.ratio * dvolume) / q.volume;
  const scalar dpressure =
      q.pressure * (dc[PRESSURE] / c[PRESSURE] + c[EXPONENT] * dratio / q.ratio + dc[EXPONENT] * s_log(q.ratio));
  const scalar dforce =
      (dpressure - dc[ATMOSPHERE]) * c[AREA] + (q.pressure - c[ATMOSPHERE]) * dc[AREA] - dc[DAMPING] * q.sd;
  (void)t, (void)dt;
  for (int i = 0; i < 3; i++) { df[0][i] = dforce * q.u[i]; }
  if (doutput) { doutput[1] = dpressure, doutput[2] = dforce; }
}

static const mbd_ref_info references[] = {{"points", MBD_REF_POINT, 2, "its two ends"}, {0}};
static const mbd_arg_info arguments[] = {{MBD_ARG_POINT, 1, 0}}; /* the second point less the first */
static const mbd_coef_info coefficients[] = {
    {"area", 1, "m^2", NAN, 0, 1e300, "area A of the piston"},
    {"volume", 1, "m^3", NAN, 1e-12, 1e300, "volume V0 of the gas at the length s0"},
    {"length", 1, "m", NAN, 0, 1e300, "length s0"},
    {"pressure", 1, "Pa", NAN, 1e-9, 1e300, "pressure p0 of the gas at the length s0"},
    {"atmosphere", 1, "Pa", 101325, 0, 1e300, "pressure pa outside"},
    {"exponent", 1, "-", 1.3, 1, 2, "polytropic exponent n: 1 slow, 1.4 fast changes of the volume"},
    {"damping", 1, "N s/m", 0, 0, 1e300, "damping c along the line of the points"},
    {0}};
static const mbd_user_output outputs[] = {{"length", "m"}, {"pressure", "Pa"}, {"force", "N"}, {0}};

MBD_USER_FORCE_OWN("air_spring", "Air spring: a gas that is compressed between two points, with damping.", references,
                   arguments, coefficients, outputs, air_spring, slopes, along)
