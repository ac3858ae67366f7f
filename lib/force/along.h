/* Forces along a length s: a law F(s, sd; c), positive if it resists lengthening, and a definition of s.
 *   line of two points, one argument x = r_2 - r_1:
 *     s = |x|,  u = x/s,  sd = u . xd,  w = (xd - sd u)/s      (ds/dx = dsd/dxd = u, dsd/dx = w)
 *     f = -F u
 *     df/dx  = -[ u (F_s u' + F_sd w') + (F/s)(1 - u u') ],   df/dxd = -F_sd u u'
 *   one coordinate, or the difference of two:
 *     s = z_1 [- z_2],  f_1 = -F,  f_2 = F
 * A type is a law and one of these definitions. */
#ifndef MBD_FORCE_ALONG_H
#define MBD_FORCE_ALONG_H

#include "force/force.h"

/* A force and its slopes. */
typedef struct tension {
  mbd_real F, F_s, F_sd;
} tension;

/* A law: these functions written by hand, or made of one formula (law_along.h). */
typedef struct force_law {
  void (*F)(const mbd_element_input *in, mbd_real s, mbd_real sd, tension *T);
  mbd_real (*F_c)(const mbd_element_input *in, mbd_real s, mbd_real sd, const mbd_element_direction *d);
  mbd_real (*energy)(const mbd_element_input *in, mbd_real s); /* potential of the elastic part */
  mbd_real (*energy_c)(const mbd_element_input *in, mbd_real s, const mbd_element_direction *d);
} force_law;

void line_f(const mbd_element_input *in, mbd_real (*f)[3]);
void line_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
              mbd_real (*D)[ELEMENT_ARG_MAX][9]);
void line_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]);
mbd_real line_potential(const mbd_element_input *in);
mbd_real line_potential_c(const mbd_element_input *in, const mbd_element_direction *d);
mbd_real line_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]);
mbd_real line_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d);

void coordinate_f(const mbd_element_input *in, mbd_real (*f)[3]);
void coordinate_f_x(const mbd_element_input *in, mbd_real (*f)[3], mbd_real (*K)[ELEMENT_ARG_MAX][9],
                    mbd_real (*D)[ELEMENT_ARG_MAX][9]);
void coordinate_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real (*df)[3]);
mbd_real coordinate_potential(const mbd_element_input *in);
mbd_real coordinate_potential_c(const mbd_element_input *in, const mbd_element_direction *d);
mbd_real coordinate_scalar(const mbd_element_input *in, int k, mbd_real (*g_x)[3], mbd_real (*g_xd)[3]);
mbd_real coordinate_scalar_c(const mbd_element_input *in, int k, const mbd_element_direction *d);

extern const mbd_ref_info line_refs[];

#define FORCE_ALONG(LENGTH, LAW) .frame_free = 1, .law = &LAW, FORCE_F(LENGTH), FORCE_POTENTIAL(LENGTH)
#define FORCE_ALONG_LINE(LAW)                                                      \
  .narg = 1, .arg = {{MBD_ARG_POINT, 1, 0}}, FORCE_ALONG(line, LAW), .nscalar = 3, \
  .scalar_name = {"length", "speed", "force"}, .scalar_unit = {"m", "m/s", "N"}, FORCE_SCALARS(line)
/* n: 1, or 2 for the difference */
#define FORCE_ALONG_COORDINATES(n, LAW)                                                       \
  .variant = n, .narg = n, .arg = {{MBD_ARG_COORDINATE, 0, -1}, {MBD_ARG_COORDINATE, 1, -1}}, \
  FORCE_ALONG(coordinate, LAW), .nscalar = 1, .scalar_name = {"force"}, FORCE_SCALARS(coordinate)

#endif
