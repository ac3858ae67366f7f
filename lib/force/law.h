/* A force as one formula: a law in dual numbers (la/dual.h), of which slopes by the arguments and derivatives along a direction of
 * coefficients follow without a formula of their own. law_along.h makes a force along a length of a law, law_of_arguments.h one of any
 * arguments, tyre.h a tyre. What follows is how a law reads its coefficients and curves: where a direction is given, their change along it
 * is derivative number 0, and the arguments are held. */
#ifndef MBD_FORCE_LAW_H
#define MBD_FORCE_LAW_H

#include "force/force.h"
#include "la/dual.h"

typedef struct law_input {
  const mbd_element_input *in;
  const mbd_element_direction *d; /* NULL: none */
} law_input;

/* Coefficient k of the element. */
static inline dual law_coef(const law_input *law, int k) {
  dual c = d_const(law->in->c[k]);
  if (law->d) { c.d[0] = law->d->dc[k]; }
  return c;
}

/* Coefficient k times x: that which is proportional to it costs less so. */
static inline dual law_times(const law_input *law, int k, dual x) {
  dual y = d_scale(law->in->c[k], x);
  if (law->d) { y.d[0] += law->d->dc[k] * x.v; }
  return y;
}

static inline dual law_time(const law_input *law) {
  dual t = d_const(law->in->t);
  if (law->d) { t.d[0] = law->d->dt; }
  return t;
}

/* The curve in slot k at x, and its slope there; both are 0 where it is left out. */
static inline dual law_curve(const law_input *law, int k, dual x, dual *slope) {
  mbd_curve_value v, dv;
  *slope = d_const(0);
  if (!law->in->curve[k]) { return d_const(0); }
  mbd_element_curve(law->in, k, x.v, &v);
  dual y = d_chain(v.y, v.yx, x);
  *slope = d_chain(v.yx, v.yxx, x);
  if (law->d) {
    mbd_element_dcurve(law->in, law->d, k, x.v, &dv);
    y.d[0] += dv.y, slope->d[0] += dv.yx;
  }
  return y;
}

#endif
