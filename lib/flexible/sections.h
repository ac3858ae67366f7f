/* Sections of beams: area, second moments and torsion constant from their dimensions, one row for each. */
#ifndef MBD_SECTIONS_H
#define MBD_SECTIONS_H

#include "la/dual.h"
#include "mbd/beam.h"

/* Area; second moments of bending `up` and to the side; torsion constant; what walls leave clear, which has to be positive; and the distances of
 * the outermost fibres from the axis, up and aside, zero where they are not known. */
typedef struct section_numbers {
  dual area, up, side, torsion, clear, fibre_up, fibre_side;
} section_numbers;

static const double section_pi = 3.14159265358979323846;

static inline section_numbers section_circle(const dual *d) {
  const dual d2 = d_square(d[0]), I = d_scale(section_pi / 64, d_square(d2));
  return (section_numbers){d_scale(section_pi / 4, d2), I, I, d_scale(2, I), d_const(1), d_scale(0.5, d[0]),
                           d_scale(0.5, d[0])};
}

/* The difference of two circles. */
static inline section_numbers section_tube(const dual *d) {
  const dual inner = d_sub(d[0], d_scale(2, d[1])), a2 = d_square(d[0]), b2 = d_square(inner);
  const dual I = d_scale(section_pi / 64, d_sub(d_square(a2), d_square(b2)));
  return (section_numbers){
      d_scale(section_pi / 4, d_sub(a2, b2)), I, I, d_scale(2, I), inner, d_scale(0.5, d[0]), d_scale(0.5, d[0])};
}

/* b h^3/12 */
static inline dual section_of_rectangle(dual b, dual h) {
  return d_scale(1.0 / 12, d_mul(d_mul(b, h), d_square(h)));
}

/* Saint-Venant's torsion of a bar with sides a >= b, whose series is summed with tanh = 1 - 2/(e^2y + 1) and sum of 1/n^5 = (31/32) zeta(5)
 * over odd n (S. Timoshenko, J. N. Goodier, Theory of Elasticity, 3rd ed. 1970, article 109):
 *   Jt = a b^3/3 (1 - 192 b/(pi^5 a) sum_odd tanh(n pi a/(2 b))/n^5)
 * Sides may be exchanged, so that the choice of a leaves no corner where they are equal. */
static inline dual section_torsion_of_rectangle(dual x, dual y) {
  const dual a = d_select(mbd_re(x.v) >= mbd_re(y.v), x, y), b = d_select(mbd_re(x.v) >= mbd_re(y.v), y, x);
  const dual ratio = d_div(a, b), slender = d_div(b, a);
  const double pi5 = section_pi * section_pi * section_pi * section_pi * section_pi;
  dual sum = d_const(31.0 / 32 * 1.03692775514336992633);
  for (int n = 1; n < 14; n += 2) {
    const double n5 = (double)n * n * n * n * n;
    sum = d_sub(sum, d_div(d_const(2 / n5), d_shift(d_exp(d_scale(n * section_pi, ratio)), 1)));
  }
  const dual factor = d_shift(d_scale(-192 / pi5, d_mul(slender, sum)), 1);
  return d_scale(1.0 / 3, d_mul(d_mul(d_mul(a, b), d_square(b)), factor));
}

static inline section_numbers section_rectangle(const dual *d) {
  return (section_numbers){d_mul(d[0], d[1]),
                           section_of_rectangle(d[1], d[0]),
                           section_of_rectangle(d[0], d[1]),
                           section_torsion_of_rectangle(d[0], d[1]),
                           d_const(1),
                           d_scale(0.5, d[0]),
                           d_scale(0.5, d[1])};
}

/* A web between two flanges; torsion as of three thin strips. */
static inline section_numbers section_i_beam(const dual *d) {
  const dual h = d[0], b = d[1], tf = d[2], tw = d[3], web = d_sub(h, d_scale(2, tf));
  const dual area = d_add(d_scale(2, d_mul(b, tf)), d_mul(web, tw));
  const dual up = d_sub(section_of_rectangle(b, h), section_of_rectangle(d_sub(b, tw), web));
  const dual side = d_add(d_scale(2, section_of_rectangle(tf, b)), section_of_rectangle(web, tw));
  const dual torsion = d_scale(4, d_add(d_scale(2, section_of_rectangle(b, tf)), section_of_rectangle(web, tw)));
  const dual flange = d_sub(b, tw);
  return (section_numbers){
      area,           up, side, torsion, d_select(mbd_re(web.v) < mbd_re(flange.v), web, flange), d_scale(0.5, h),
      d_scale(0.5, b)};
}

static inline section_numbers section_given(const dual *d) {
  return (section_numbers){d[0], d[1], d[2], d[3], d_const(1), d_const(0), d_const(0)};
}

#endif
