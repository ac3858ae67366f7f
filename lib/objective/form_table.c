/* The table of forms: a new one is one row here. Equations: theory.md §6 (6.1). */
#include <string.h>

#include "base/table.h"
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
  if (mbd_if(mbd_re(a) == 0)) { return 0; }
  const mbd_real r = mbd_select(mbd_re(s) < 0, e2 / (2 * (a - s)), (s + a) / 2), slope = r / a;
  u_s[0] = 2 * q * r * slope;
  u_s[1] = 2 * q * (slope * slope + r * e2 / (2 * a * a * a));
  return q * r * r;
}

/* a = sqrt(s^2 + e^2), e the smoothing. Its derivative is taken as zero where both are zero. */
static mbd_real smooth_size(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]) {
  const mbd_real a = mbd_sqrt(s * s + k->smoothing * k->smoothing);
  u_s[0] = mbd_select(mbd_re(a) > 0, q * s / a, 0), u_s[1] = 0; /* it is no square */
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
    {.info = {.name = "integral",
              .doc = "integral of s over time; over an output that falls, its sign is that of a work: the integral "
                     "of s dx along the motion",
              .takes = WINDOW,
              .power = {1, 1}},
     .over = FORM_INTEGRAL,
     .u = value},
    {.info = {.name = "integral_square",
              .doc = "integral of s^2 over time",
              .is_square = 1,
              .takes = WINDOW,
              .power = {2, 1}},
     .over = FORM_INTEGRAL,
     .u = square},
    {.info = {.name = "integral_square_above",
              .doc = "integral of max(s, 0)^2 over time, taken as ((s + sqrt(s^2 + smoothing^2))/2)^2: how far and "
                     "how long the target is exceeded",
              .is_square = 1,
              .takes = WINDOW,
              .power = {2, 1},
              .is_history = 1,
              .smooths = 1},
     .over = FORM_SPLIT,
     .u = square_above},
    {.info = {.name = "integral_abs",
              .doc = "integral of |s| over time, taken as sqrt(s^2 + smoothing^2) - smoothing",
              .takes = WINDOW,
              .power = {1, 1},
              .is_history = 1,
              .smooths = 1},
     .over = FORM_SPLIT,
     .u = size_from_zero},
    {.info = {.name = "mean_square",
              .doc = "integral of s^2 over time, divided by the duration",
              .is_square = 1,
              .takes = WINDOW,
              .power = {2, 0}},
     .over = FORM_MEAN,
     .u = square},
    {.info = {.name = "rms",
              .doc = "square root of the mean of s^2 over time; of a vector, of the sum of its squares. Where it can "
                     "become zero, mean_square is the smooth one",
              .is_square = 1,
              .takes = WINDOW,
              .power = {1, 0},
              .is_history = 1,
              .brief = "mean_square"},
     .over = FORM_ROOT,
     .u = square},
    {.info = {.name = "terminal", .doc = "s at the end", .takes = MBD_TAKES_UNTIL, .power = {1, 0}},
     .over = FORM_END,
     .u = value},
    {.info = {.name = "value_at",
              .doc = "s at the time `at`, or at the moment at which a quantity crosses a value",
              .needs = MBD_NEEDS_AT,
              .power = {1, 0},
              .is_history = 1,
              .brief = "terminal"},
     .over = FORM_AT,
     .u = value},
    {.info = {.name = "peak",
              .doc = "smooth maximum of s over time, ln(mean over time of exp(sharpness s))/sharpness",
              .is_peak = 1,
              .takes = WINDOW,
              .power = {1, 0},
              .smooths = 1},
     .over = FORM_PEAK,
     .sign = 1,
     .u = value},
    {.info = {.name = "peak_abs",
              .doc = "smooth maximum of |s|, taken as sqrt(s^2 + smoothing^2)",
              .is_peak = 1,
              .takes = WINDOW,
              .power = {1, 0},
              .smooths = 1},
     .over = FORM_PEAK,
     .sign = 1,
     .u = size},
    {.info = {.name = "trough",
              .doc = "smooth minimum of s over time: minus the smooth maximum of -s",
              .is_peak = 1,
              .takes = WINDOW,
              .power = {1, 0},
              .smooths = 1},
     .over = FORM_PEAK,
     .sign = -1,
     .u = negative},
    {.info = {.name = "range",
              .doc = "smooth maximum of s over time less its smooth minimum",
              .is_peak = 1,
              .takes = WINDOW,
              .power = {1, 0},
              .is_history = 1,
              .brief = "mean_square",
              .smooths = 1},
     .over = FORM_RANGE,
     .sign = 1,
     .u = value},
    {.info = {.name = "settling_time",
              .doc = "time from the beginning of the window to the last time at which |s| is above `tolerance`; of a "
                     "vector, its size",
              .needs = MBD_NEEDS_TOLERANCE,
              .takes = WINDOW,
              .power = {0, 1},
              .is_history = 1,
              .brief = "mean_square"},
     .over = FORM_SETTLED,
     .u = value},
    {.info = {.name = "quantile",
              .doc = "value below which s is for the part `level` of the time: q with the mean over time of "
                     "1/(1 + exp((s - q)/width)) = level",
              .needs = MBD_NEEDS_LEVEL,
              .takes = WINDOW,
              .power = {1, 0},
              .is_history = 1,
              .brief = "mean_square",
              .smooths = 1},
     .over = FORM_QUANTILE,
     .u = value},
    {.info = {.name = "measured",
              .doc = "of a [measurement NAME], which needs no form: the sum over its samples of loss((output - "
                     "value)/sigma)",
              .is_square = 1,
              .needs = MBD_NEEDS_SAMPLES,
              .is_history = 1,
              .brief = "mean_square"},
     .over = FORM_MEASURED,
     .u = measured},
    {.info = {.name = "weighted_samples",
              .doc = "of programs, not of run files: the sum over samples and outputs of weights times s, whose "
                     "derivative is a product with the Jacobian of a trajectory (mbo_trajectory_vjp)",
              .needs = MBD_NEEDS_SAMPLES,
              .power = {1, 0},
              .is_history = 1,
              .brief = "terminal"},
     .over = FORM_SAMPLES,
     .u = value}};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

const form_ops *form_at(int i) {
  return i >= 0 && i < N_FORMS ? &forms[i] : NULL;
}

const form_ops *form_find(const char *name) {
  int i = 0;
  while (i < N_FORMS && strcmp(forms[i].info.name, name) != 0) { i++; }
  return form_at(i);
}

MBD_TABLE_PART(const mbd_form_info *, mbd_form_at, form_at, info)

const mbd_form_info *mbd_form_find(const char *name) {
  return form_find(name) ? &form_find(name)->info : NULL;
}

MBD_TABLE_MEMBER(const char *, mbd_form_name, form_at, info.name)
MBD_TABLE_MEMBER(const char *, mbd_form_doc, form_at, info.doc)
