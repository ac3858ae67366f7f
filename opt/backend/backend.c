#include "backend/backend.h"

#include <math.h>

const double *backend_to_user(const mbo_problem *p, const double *y, double *x) {
  for (int i = 0; i < p->n; i++) {
    const double scale = p->scale[i];
    if (y[i] == p->start[i] / scale) {
      x[i] = p->start[i];
    } else if (y[i] <= p->lower[i] / scale) {
      x[i] = p->lower[i];
    } else if (y[i] >= p->upper[i] / scale) {
      x[i] = p->upper[i];
    } else {
      x[i] = fmin(fmax(y[i] * scale, p->lower[i]), p->upper[i]);
    }
  }
  return x;
}

double backend_projected_gradient(int n, const double *y, const double *g, const double *lower, const double *upper) {
  double largest = 0;
  for (int i = 0; i < n; i++) { largest = fmax(largest, fabs(y[i] - fmin(fmax(y[i] - g[i], lower[i]), upper[i]))); }
  return largest;
}

mbd_status backend_check_single(const mbo_problem *p, const mbo_settings *s, const char *name, mbd_error *err) {
  if (!p->has_gradient) { MBD_FAIL(err, MBD_UNSUPPORTED, "%s needs a gradient, but [gradient] method = none", name); }
  if (*s->algorithm) {
    MBD_FAIL(err, MBD_BAD_INPUT, "algorithm = %s: %s is one algorithm; leave the key out", s->algorithm, name);
  }
  return MBD_OK;
}
