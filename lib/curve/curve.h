/* Curves: scalar functions y(x) of time or of one variable, with the derivatives that mechanics needs.
 *
 * A curve's numbers are coefficients of the model (so they may be design variables); its knots are constants. What
 * depends on the coefficients but not on x (the moments of a spline) is prepared once per design in `aux`.
 * A curve need not be linear in its coefficients: `deval` is the exact derivative along a direction of coefficients. */
#ifndef MBD_CURVE_H
#define MBD_CURVE_H

#include "base/real.h"
#include "mbd/expression.h"
#include "mbd/status.h"

enum { CURVE_OPERATIONS_MAX = 300 }; /* of a curve by an expression */

typedef struct mbd_curve_ops mbd_curve_ops;

/* One curve of a model; constant after building. */
typedef struct mbd_curve {
  const mbd_curve_ops *ops;
  const char *name;   /* owned by the model */
  int nc;             /* number of coefficients */
  int coef;           /* index of the first in theta; its coefficients are consecutive */
  int nknot;          /* number of knots; 0 for kinds without */
  const double *knot; /* [nknot] strictly increasing abscissae; owned by the model */
  int naux;           /* scalars of prepared data */
  int aux;            /* index of the first in the params' aux array */
  int stretch;        /* 1 + index of the stretch s > 0, and the kind is evaluated at x/s; 0: at x */
  mbd_expression
      value; /* of kind "expression": leaf 0 is x, leaf k coefficient k; owned by the model; no operations: none */
} mbd_curve;

/* Value and two derivatives in x. */
typedef struct mbd_curve_value {
  mbd_real y, yx, yxx;
} mbd_curve_value;

struct mbd_curve_ops {
  const char *name;   /* key in model files, and the name used in every message */
  int nc_min, nc_max; /* allowed number of coefficients; nc_max = -1: any */
  void (*eval)(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x, mbd_curve_value *v);
  /* Third derivative in x: how yxx changes with x. */
  mbd_real (*third)(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x);
  /* dv: derivative of v along (dc, daux), x held. */
  void (*deval)(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc, const mbd_real *daux,
                mbd_real x, mbd_curve_value *dv);
  /* The transposes of both. reverse: cbar [nc], auxbar [naux] += derivatives of vbar . v at fixed x, so that vbar .
   * deval(dc, daux) = cbar . dc + auxbar . daux; changes only the entries on which v depends at x. prepare_reverse: cbar
   * += derivatives of auxbar . aux; auxbar is overwritten. NULL with prepare. */
  void (*reverse)(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x, const mbd_curve_value *vbar,
                  mbd_real *cbar, mbd_real *auxbar);

  const char *doc;   /* one paragraph; the option listing prints it */
  const char *units; /* units of the coefficients: mbd_curve_kind_info */
  const char *coefs; /* names of the coefficients, in order: "c0 c1 ...", for messages and the manual */
  int needs_knots;   /* 1: nknot == nc; 0: the kind has no knots */
  int corners;       /* 1: the slope jumps at the knots */
  /* Number of scalars of prepared data. */
  int (*naux)(int nc);
  /* Rejects coefficients that give no curve of the kind, after the checks of curve_check; NULL: all are valid. */
  mbd_status (*check)(const char *name, int nc, const double *c, mbd_error *err);
  /* Prepared data from the coefficients c [nc]; aux [naux]. NULL where naux is 0. Linear in c for splines, so the
   * same routine applied to a direction dc gives the direction of aux. */
  void (*prepare)(const mbd_curve *k, const mbd_real *c, mbd_real *aux);
  void (*prepare_reverse)(const mbd_curve *k, mbd_real *auxbar, mbd_real *cbar);
};

/* The functions of a kind, for several designs each in its own interval (each_design.c). */
#if MBD_DESIGNS > 1
void curve_kind_eval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x, mbd_curve_value *v);
mbd_real curve_kind_third(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x);
void curve_kind_deval(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, const mbd_real *dc,
                      const mbd_real *daux, mbd_real x, mbd_curve_value *dv);
void curve_kind_reverse(const mbd_curve *k, const mbd_real *c, const mbd_real *aux, mbd_real x,
                        const mbd_curve_value *vbar, mbd_real *cbar, mbd_real *auxbar);
#else
#define curve_kind_eval(k, ...)    (k)->ops->eval(k, __VA_ARGS__)
#define curve_kind_third(k, ...)   (k)->ops->third(k, __VA_ARGS__)
#define curve_kind_deval(k, ...)   (k)->ops->deval(k, __VA_ARGS__)
#define curve_kind_reverse(k, ...) (k)->ops->reverse(k, __VA_ARGS__)
#endif

/* ---- a curve of a model, with all coefficients theta and all prepared data aux (stretched.c) ---- */

void curve_eval_stretched(const mbd_curve *k, const mbd_real *theta, const mbd_real *aux, mbd_real x,
                          mbd_curve_value *v);
void curve_deval_stretched(const mbd_curve *k, const mbd_real *theta, const mbd_real *aux, const mbd_real *dtheta,
                           const mbd_real *daux, mbd_real x, mbd_curve_value *dv);

static inline void curve_eval(const mbd_curve *k, const mbd_real *theta, const mbd_real *aux, mbd_real x,
                              mbd_curve_value *v) {
  if (k->stretch) {
    curve_eval_stretched(k, theta, aux, x, v);
  } else {
    curve_kind_eval(k, theta + k->coef, aux + k->aux, x, v);
  }
}

static inline void curve_deval(const mbd_curve *k, const mbd_real *theta, const mbd_real *aux, const mbd_real *dtheta,
                               const mbd_real *daux, mbd_real x, mbd_curve_value *dv) {
  if (k->stretch) {
    curve_deval_stretched(k, theta, aux, dtheta, daux, x, dv);
  } else {
    curve_kind_deval(k, theta + k->coef, aux + k->aux, dtheta + k->coef, daux + k->aux, x, dv);
  }
}

/* The transpose of curve_deval: thetabar, auxbar += derivatives of vbar . v; by a stretch if it is marked in wanted
 * [coefficients]. */
void curve_reverse(const mbd_curve *k, const mbd_real *theta, const mbd_real *aux, mbd_real x,
                   const mbd_curve_value *vbar, const unsigned char *requested, mbd_real *thetabar, mbd_real *auxbar);

/* dv += dx dv/dx: derivative of v along a shift of x. */
void curve_shift(const mbd_curve *k, const mbd_real *theta, const mbd_real *aux, mbd_real x, mbd_real dx,
                 mbd_curve_value *dv);

/* MBD_BAD_INPUT for numbers that give no curve of this kind: their count, not finite ones, knots that do not increase, and
 * numbers that the kind itself rejects. */
mbd_status curve_check(const mbd_curve_ops *ops, const char *name, int nc, const double *c, int nknot,
                       const double *knot, mbd_error *err);

/* The table: index 0, 1, ... until NULL; and by name (NULL if unknown). */
const mbd_curve_ops *mbd_curve_at(int i);
const mbd_curve_ops *mbd_curve_find(const char *name);
const char *mbd_curve_name(int i);

#endif
