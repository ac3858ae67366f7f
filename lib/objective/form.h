/* Forms of objectives: how s(t) = output - target becomes a number psi of a run.
 *
 * A form is a function u(s) and an operation over time: the integral or the mean of u over time, its value at the end,
 * or its smooth maximum, in which p is the sharpness of the term:
 *   psi = sum_k q_k u(s_k),   psi' = sum_k q_k u'(s_k) s_k',   Gauss-Newton  sum_k q_k u'' s_k' s_k'^T  of squares
 *   psi = sign ln(sum_k q_k exp(p u(s_k)) / sum_k q_k) / p
 * These can be summed during the run (quadrature.c). The other forms (`is_history` of their rows) need the history of the outputs, and so does
 * every form in a window (history_forms.c). */
#ifndef MBD_FORM_H
#define MBD_FORM_H

#include "base/real.h"
#include "mbd/simulate.h"

typedef enum form_over {
  FORM_INTEGRAL,
  FORM_MEAN,
  FORM_END,
  FORM_PEAK,
  FORM_ROOT,     /* the root of the mean */
  FORM_RANGE,    /* smooth maximum of u minus smooth minimum */
  FORM_AT,       /* value at a time */
  FORM_SETTLED,  /* last time above a tolerance */
  FORM_QUANTILE, /* the value that u stays below for a part of the time */
  FORM_SPLIT,    /* the integral of a u that bends where s is zero, in pieces from zero to zero */
  FORM_MEASURED, /* the sum of u over the samples of a series */
  FORM_SAMPLES   /* the sum of weights times s over samples */
} form_over;

typedef struct form_ops {
  mbd_form_info info;
  form_over over;
  double sign; /* of smooth extrema: 1, or -1 of a minimum, whose u is -s */
  /* Returns q u(s). u_s[0]: its derivative q u'; u_s[1]: q u'' of a square, 0 of others; of a loss q u'/s, which is not negative. */
  mbd_real (*u)(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]);
} form_ops;

/* loss.c: rho(r) of the samples' loss. r_s: rho'; rho'/r, at r = 0 its limit; rho''. */
mbd_real loss_value(const mbd_samples *samples, mbd_real r, mbd_real r_s[3]);

const form_ops *form_at(int i); /* NULL past the end */
const form_ops *form_find(const char *name);

#endif
