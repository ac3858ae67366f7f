/* The table of forms: a new one is one row here. Equations: theory.md §6 (6.1). */
#include <string.h>

#include "objective/form.h"

static mbd_real value(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]) {
  (void)k;
  u_s[0] = q, u_s[1] = 0;
  return q * s;
}

static mbd_real negative(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]) {
  (void)k;
  u_s[0] = -q, u_s[1] = 0;
  return -q * s;
}

static mbd_real square(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]) {
  (void)k;
  u_s[0] = 2 * q * s, u_s[1] = 2 * q;
  return q * s * s;
}

/* r^2 with r = (s + a)/2 in place of max(s, 0), a = sqrt(s^2 + e^2), e the smoothing; for s < 0 written without cancellation.
 *   r' = r/a,  r'' = e^2/(2 a^3) */
static mbd_real square_above(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]) {
  const double e2 = k->smoothing * k->smoothing;
  const mbd_real a = mbd_sqrt(s * s + e2);
  u_s[0] = u_s[1] = 0;
  if (mbd_re(a) == 0) { return 0; }
  const mbd_real r = mbd_re(s) < 0 ? e2 / (2 * (a - s)) : (s + a) / 2, slope = r / a;
  u_s[0] = 2 * q * r * slope;
  u_s[1] = 2 * q * (slope * slope + r * e2 / (2 * a * a * a));
  return q * r * r;
}

/* a = sqrt(s^2 + e^2), e the smoothing. Its derivative is taken as zero where both are zero. */
static mbd_real smooth_size(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]) {
  const mbd_real a = mbd_sqrt(s * s + k->smoothing * k->smoothing);
  u_s[0] = mbd_re(a) > 0 ? q * s / a : 0, u_s[1] = 0; /* it is no square */
  return a;
}

static mbd_real size(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]) {
  return q * smooth_size(k, q, s, u_s);
}

static mbd_real size_from_zero(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]) {
  return q * (smooth_size(k, q, s, u_s) - k->smoothing);
}

/* rho(s/sigma); without samples, which are refused elsewhere, 0. */
static mbd_real measured(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]) {
  const mbd_samples *m = k->samples;
  mbd_real r_s[3];
  u_s[0] = u_s[1] = 0;
  if (!m) { return 0; }
  const mbd_real value = loss_value(m, s / m->sigma, r_s);
  u_s[0] = q * r_s[0] / m->sigma, u_s[1] = q * r_s[1] / (m->sigma * m->sigma);
  return q * value;
}

enum { WINDOW = MBD_TAKES_FROM | MBD_TAKES_UNTIL };

static const form_ops forms[] = {
    {{"integral",
      "integral of s over time; over an output that falls, its sign is that of a work: the integral of s dx along the "
      "motion",
      0,
      0,
      0,
      WINDOW,
      {1, 1}},
     FORM_INTEGRAL,
     1,
     value},
    {{"integral_square", "integral of s^2 over time", 0, 1, 0, WINDOW, {2, 1}}, FORM_INTEGRAL, 1, square},
    {{"integral_square_above",
      "integral of max(s, 0)^2 over time, taken as ((s + sqrt(s^2 + smoothing^2))/2)^2: how far and how long the "
      "target "
      "is exceeded",
      0,
      1,
      0,
      WINDOW,
      {2, 1}},
     FORM_SPLIT,
     1,
     square_above},
    {{"integral_abs",
      "integral of |s| over time, taken as sqrt(s^2 + smoothing^2) - smoothing",
      0,
      0,
      0,
      WINDOW,
      {1, 1}},
     FORM_SPLIT,
     1,
     size_from_zero},
    {{"mean_square", "integral of s^2 over time, divided by the duration", 0, 1, 0, WINDOW, {2, 0}},
     FORM_MEAN,
     1,
     square},
    {{"rms",
      "square root of the mean of s^2 over time; of a vector, of the sum of its squares. Where it can become zero, "
      "mean_square is the smooth one",
      0,
      1,
      0,
      WINDOW,
      {1, 0}},
     FORM_ROOT,
     1,
     square},
    {{"terminal", "s at the end", 0, 0, 0, MBD_TAKES_UNTIL, {1, 0}}, FORM_END, 1, value},
    {{"value_at",
      "s at the time `at`, or at the moment at which a quantity crosses a value",
      0,
      0,
      MBD_NEEDS_AT,
      0,
      {1, 0}},
     FORM_AT,
     1,
     value},
    {{"peak",
      "smooth maximum of s over time, ln(mean over time of exp(sharpness s))/sharpness",
      1,
      0,
      0,
      WINDOW,
      {1, 0}},
     FORM_PEAK,
     1,
     value},
    {{"peak_abs", "smooth maximum of |s|, taken as sqrt(s^2 + smoothing^2)", 1, 0, 0, WINDOW, {1, 0}},
     FORM_PEAK,
     1,
     size},
    {{"trough", "smooth minimum of s over time: minus the smooth maximum of -s", 1, 0, 0, WINDOW, {1, 0}},
     FORM_PEAK,
     -1,
     negative},
    {{"range", "smooth maximum of s over time less its smooth minimum", 1, 0, 0, WINDOW, {1, 0}}, FORM_RANGE, 1, value},
    {{"settling_time",
      "time from the beginning of the window to the last time at which |s| is above `tolerance`; of a vector, its size",
      0,
      0,
      MBD_NEEDS_TOLERANCE,
      WINDOW,
      {0, 1}},
     FORM_SETTLED,
     1,
     value},
    {{"quantile",
      "value below which s is for the part `level` of the time: q with the mean over time of "
      "1/(1 + exp((s - q)/width)) = level",
      0,
      0,
      MBD_NEEDS_LEVEL,
      WINDOW,
      {1, 0}},
     FORM_QUANTILE,
     1,
     value},
    {{"measured",
      "of a [measurement NAME], which needs no form: the sum over its samples of loss((output - value)/sigma)",
      0,
      1,
      MBD_NEEDS_SAMPLES,
      0,
      {0, 0}},
     FORM_MEASURED,
     1,
     measured},
};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

const form_ops *form_at(int i) {
  return i >= 0 && i < N_FORMS ? &forms[i] : NULL;
}

const form_ops *form_find(const char *name) {
  int i = 0;
  while (i < N_FORMS && strcmp(forms[i].info.name, name) != 0) { i++; }
  return form_at(i);
}

const mbd_form_info *mbd_form_at(int i) {
  return form_at(i) ? &form_at(i)->info : NULL;
}

const mbd_form_info *mbd_form_find(const char *name) {
  return form_find(name) ? &form_find(name)->info : NULL;
}

const char *mbd_form_name(int i) {
  return form_at(i) ? form_at(i)->info.name : NULL;
}

const char *mbd_form_doc(int i) {
  const mbd_form_info *q = mbd_form_at(i);
  return q ? q->doc : NULL;
}
