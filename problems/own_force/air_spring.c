/* Air spring between two points: a volume of gas under pressure, closed by a piston of area A.
 *   V(s) = V0 + A (s - s0),   p(s) = p0 (V0/V)^n,   F = (p - pa) A pushes the points apart;   s: their distance
 * with the damping c sd. The force on the argument x = p2 - p1 is f = (F - c sd) x/s. Outputs: length, pressure, force. */
#include "mbd/plugin.h"

enum { AREA, VOLUME, LENGTH, PRESSURE, ATMOSPHERE, EXPONENT, DAMPING };

static void air_spring(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], scalar f[][3],
                       scalar output[]) {
  const scalar *d = x[0], *v = xd[0];
  const scalar s = s_sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  const scalar sd = (d[0] * v[0] + d[1] * v[1] + d[2] * v[2]) / s;
  const scalar volume = c[VOLUME] + c[AREA] * (s - c[LENGTH]);
  const scalar pressure = c[PRESSURE] * s_pow(c[VOLUME] / volume, c[EXPONENT]);
  const scalar force = (pressure - c[ATMOSPHERE]) * c[AREA] - c[DAMPING] * sd;
  (void)t;
  for (int i = 0; i < 3; i++) { f[0][i] = force * d[i] / s; }
  if (output) { output[0] = s, output[1] = pressure, output[2] = force; }
}

static const mbd_ref_info references[] = {{"points", MBD_REF_POINT, 2, "its two ends"}, {0}};
static const mbd_arg_info arguments[] = {{MBD_ARG_POINT, 1, 0}}; /* the second point less the first */
static const mbd_coef_info coefficients[] = {
    {"area", 1, "m^2", NAN, 0, 1e300, "area A of the piston"},
    {"volume", 1, "m^3", NAN, 1e-12, 1e300, "volume V0 of the gas at the length s0"},
    {"length", 1, "m", NAN, 0, 1e300, "length s0"},
    {"pressure", 1, "Pa", NAN, 0, 1e300, "pressure p0 of the gas at the length s0"},
    {"atmosphere", 1, "Pa", 101325, 0, 1e300, "pressure pa outside"},
    {"exponent", 1, "-", 1.3, 1, 2, "polytropic exponent n: 1 slow, 1.4 fast changes of the volume"},
    {"damping", 1, "N s/m", 0, 0, 1e300, "damping c along the line of the points"},
    {0}};
static const mbd_user_output outputs[] = {{"length", "m"}, {"pressure", "Pa"}, {"force", "N"}, {0}};

MBD_USER_FORCE("air_spring", "Air spring: a gas that is compressed between two points, with damping.", references,
               arguments, coefficients, outputs, air_spring)
