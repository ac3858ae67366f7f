#include "study/statistics.h"

#include <math.h>

#include "base/memory.h"

double statistics_quantile(double *v, int n, double q) {
  if (n == 0) { return NAN; }
  mbd_sort_values(n, v);
  const double place = (n - 1) * q;
  const int k = (int)place;
  const double part = place - k;
  return part > 0 && v[k + 1] > v[k] ? v[k] + part * (v[k + 1] - v[k]) : v[k];
}

void statistics_wilson(int k, int n, double *low, double *high) {
  static const double z = 1.959963984540054;
  const double middle = k + z * z / 2, half = z * sqrt((double)k * (n - k) / n + z * z / 4), all = n + z * z;
  *low = fmax(0, (middle - half) / all);
  *high = fmin(1, (middle + half) / all);
}

double statistics_sign_test(int k, int n) {
  const int larger = k > n - k ? k : n - k;
  double sum = 0;
  for (int i = larger; i <= n; i++) {
    sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) - n * log(2.0));
  }
  return fmin(1, 2 * sum);
}

int statistics_pairs_needed(int k, int n, double level) {
  const double share = n > 0 ? (double)k / n : 0.5;
  for (int i = n > 0 ? n : 1; i <= STATISTICS_PAIRS_MAX; i++) {
    if (statistics_sign_test((int)lround(share * i), i) < level) { return i; }
  }
  return 0;
}
