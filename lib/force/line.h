/* The line of action between two points, one argument x = r_2 - r_1, and a tension F(s, sd) along it:
 *   s = |x|,  u = x/s,  sd = u . xd,  w = (xd - sd u)/s      (ds/dx = dsd/dxd = u, dsd/dx = w)
 *   f = -F u
 *   df/dx  = -[ u (F_s u' + F_sd w') + (F/s)(1 - u u') ],   df/dxd = -F_sd u u'
 * A force along a line supplies F and its slopes. */
#ifndef MBD_FORCE_LINE_H
#define MBD_FORCE_LINE_H

#include "force/force.h"
#include "base/v3.h"

typedef struct force_line {
  mbd_real s, sd, u[3], w[3];
} force_line;

typedef struct line_tension {
  mbd_real F, F_s, F_sd;
} line_tension;

static inline void line_evaluate(const mbd_element_input *in, force_line *q) {
  const mbd_real *x = in->s->x[0], *xd = in->s->xd[0];
  q->s = mbd_sqrt(v3_dot(x, x));
  v3_scale(q->u, 1 / q->s, x);
  q->sd = v3_dot(q->u, xd);
  for (int i = 0; i < 3; i++) { q->w[i] = (xd[i] - q->sd * q->u[i]) / q->s; }
}

static inline void line_f_x(const force_line *q, const line_tension *T, mbd_real *K, mbd_real *D) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      mbd_real uu = q->u[i] * q->u[j];
      K[3 * i + j] = -q->u[i] * (T->F_s * q->u[j] + T->F_sd * q->w[j]) - T->F / q->s * ((i == j) - uu);
      D[3 * i + j] = -T->F_sd * uu;
    }
  }
}

/* What a line offers as outputs. */
enum { LINE_LENGTH, LINE_SPEED, LINE_FORCE };

#define LINE_SCALARS .nscalar = 3, .scalar_name = {"length", "speed", "force"}, .scalar_unit = {"m", "m/s", "N"}

static inline mbd_real line_scalar(const force_line *q, const line_tension *T, int k, mbd_real *g_x, mbd_real *g_xd) {
  const line_tension of[] = {{q->s, 1, 0}, {q->sd, 0, 1}, *T};
  for (int i = 0; i < 3; i++) {
    g_x[i] = of[k].F_s * q->u[i] + of[k].F_sd * q->w[i];
    g_xd[i] = of[k].F_sd * q->u[i];
  }
  return of[k].F;
}

#endif
