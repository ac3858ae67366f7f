/* The table of forms: a new one is one row here. */
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

/* a = sqrt(s^2 + e^2), e the smoothing; where both are zero its derivative is taken as zero */
static mbd_real smooth_size(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]) {
  const mbd_real a = mbd_sqrt(s * s + k->smoothing * k->smoothing);
  u_s[0] = mbd_re(a) > 0 ? q * s / a : 0, u_s[1] = 0; /* no square */
  return a;
}

static mbd_real size(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]) {
  return q * smooth_size(k, q, s, u_s);
}

static mbd_real size_from_zero(const mbd_term *k, double q, mbd_real s, mbd_real u_s[2]) {
  return q * (smooth_size(k, q, s, u_s) - k->smoothing);
}

static const form_ops forms[] = {
    {{"integral", "integral of s over time", 0, 0}, FORM_INTEGRAL, 1, value},
    {{"integral_square", "integral of s^2 over time", 0, 1}, FORM_INTEGRAL, 1, square},
    {{"integral_abs", "integral of |s| over time, taken as sqrt(s^2 + smoothing^2) - smoothing", 0, 0},
     FORM_INTEGRAL,
     1,
     size_from_zero},
    {{"mean_square", "integral of s^2 over time, divided by the duration", 0, 1}, FORM_MEAN, 1, square},
    {{"terminal", "s at the end", 0, 0}, FORM_END, 1, value},
    {{"peak", "smooth maximum of s over time, ln(mean over time of exp(sharpness s))/sharpness", 1, 0},
     FORM_PEAK,
     1,
     value},
    {{"peak_abs", "smooth maximum of |s|, taken as sqrt(s^2 + smoothing^2)", 1, 0}, FORM_PEAK, 1, size},
    {{"trough", "smooth minimum of s over time: minus the smooth maximum of -s", 1, 0}, FORM_PEAK, -1, negative},
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
