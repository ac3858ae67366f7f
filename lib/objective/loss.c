/* Losses of the residuals r of measured series (theory.md §6 (6.6)). Those of outliers grow less than r^2; with width k and r small, all
 * are r^2:
 *   square  r^2
 *   huber   r^2 up to |r| = k, from there on 2 k |r| - k^2
 *   cauchy  k^2 ln(1 + r^2/k^2)
 * The default widths make estimates from normal noise without outliers 95 % as precise as least squares. */
#include "base/table.h"
#include "objective/form.h"

typedef struct loss_ops {
  mbd_loss_info info;
  mbd_real (*rho)(double k, mbd_real r, mbd_real r_s[3]);
} loss_ops;

static mbd_real square(double k, mbd_real r, mbd_real r_s[3]) {
  (void)k;
  r_s[0] = 2 * r, r_s[1] = r_s[2] = 2;
  return r * r;
}

static mbd_real huber(double k, mbd_real r, mbd_real r_s[3]) {
  const mbd_real size = mbd_select(mbd_re(r) < 0, -r, r), small = square(k, r, r_s);
  const mbd_truth is_small = mbd_re(size) <= k;
  r_s[0] = mbd_select(is_small, r_s[0], mbd_select(mbd_re(r) < 0, -2 * k, 2 * k));
  r_s[1] = mbd_select(is_small, r_s[1], 2 * k / size), r_s[2] = mbd_select(is_small, r_s[2], 0);
  return mbd_select(is_small, small, 2 * k * size - k * k);
}

static mbd_real cauchy(double k, mbd_real r, mbd_real r_s[3]) {
  const mbd_real x = 1 + r * r / (k * k);
  r_s[0] = 2 * r / x, r_s[1] = 2 / x, r_s[2] = 2 * (2 - x) / (x * x);
  return k * k * mbd_log(x);
}

static const loss_ops losses[] = {
    {{"square", "least squares", 0}, square},
    {{"huber", "squares up to loss_width standard deviations, from there on straight lines", 1.345}, huber},
    {{"cauchy", "k^2 ln(1 + r^2/k^2) with k = loss_width: the pull of a sample that is far off fades", 2.385}, cauchy},
};
enum { N_LOSSES = sizeof losses / sizeof losses[0] };

mbd_real loss_value(const mbd_samples *samples, mbd_real r, mbd_real r_s[3]) {
  return losses[samples->loss].rho(samples->width, r, r_s);
}

double mbd_loss(const mbd_samples *samples, double r, double slopes[2]) {
  mbd_real r_s[3];
  const mbd_real value = loss_value(samples, r, r_s);
  slopes[0] = mbd_first(r_s[0]), slopes[1] = mbd_first(r_s[2]);
  return mbd_first(value);
}

const mbd_loss_info *mbd_loss_at(int i) {
  return i >= 0 && i < N_LOSSES ? &losses[i].info : NULL;
}

MBD_TABLE_MEMBER(const char *, mbd_loss_name, mbd_loss_at, name)
MBD_TABLE_MEMBER(const char *, mbd_loss_doc, mbd_loss_at, doc)
