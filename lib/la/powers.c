#include "la/powers.h"

#include <math.h>

enum { AT_FIRST = 2, POWERS_MAX = 60 };

static const double noticeable = 0.5; /* growth from which on the eigenvalue is found */
static const double settled = 1e-3;   /* its relative change by one more power */

double powers_start(int j) {
  return 1 + (double)(j * 37 % 101) / 101;
}

double powers_largest(double (*multiply)(void *of, double *eigenvalue), void *of) {
  double growth = 0, now = 0;
  for (int i = 0; i < AT_FIRST; i++) { growth = multiply(of, &now); }
  for (int i = 0; growth > noticeable && i < POWERS_MAX; i++) {
    const double last = now;
    growth = multiply(of, &now);
    if (fabs(now - last) <= settled * fabs(now)) { return now; }
  }
  return 0;
}
