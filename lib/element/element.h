/* Data that forces and constraints share: the input of their evaluation, and directions in their coefficients. */
#ifndef MBD_ELEMENT_INPUT_H
#define MBD_ELEMENT_INPUT_H

#include <string.h>

#include "curve/curve.h"
#include "element/arg.h"
#include "mbd/element.h"

/* The input of the evaluation of an element. It contains values of curves, so that no element evaluates a curve twice. */
typedef struct mbd_element_input {
  const mbd_arg_state *s;
  mbd_real t;
  const mbd_real *c;                     /* its coefficients */
  const mbd_curve *curve[MBD_CURVE_MAX]; /* NULL: left out */
  const mbd_real *theta, *aux;           /* all coefficients and prepared data, for the curves */
  const mbd_real *prepared;              /* its own prepared data (design value of a closure) */
  int variant;                           /* of its type, among those that share their functions */
  const void *law; /* of forces that share their functions: a force_law (force/along.h), a tyre_law (force/tyre.h) */
  const mbd_real *turns; /* of forces: counted angles (mbd_work); NULL: none */
} mbd_element_input;

/* Asks an element how its answer depends on one curve: at its evaluation number `call` of curve `slot` the curve changes
 * by 1 in y, yx or yxx (`order` 0, 1, 2), and nothing else changes in any curve. Which evaluations an element makes, and
 * where, must not depend on the direction. */
typedef struct mbd_curve_probe {
  int slot, call, order;
  int ncall;  /* out: evaluations of that curve; comes as 0 */
  mbd_real x; /* out: where evaluation `call` was */
} mbd_curve_probe;

/* A direction in the coefficients. */
typedef struct mbd_element_direction {
  const mbd_real *dc;            /* direction in the element's coefficients */
  const mbd_real *dtheta, *daux; /* in all coefficients and prepared data */
  const mbd_real *down;          /* in the element's own prepared data */
  mbd_curve_probe *probe;        /* usually NULL; else it stands for dtheta and daux, which are not read */
  mbd_real dt;                   /* change of the time; 0: held */
} mbd_element_direction;

/* Value and derivatives of curve k of an element at x, and their derivatives along a direction of coefficients. */
static inline void mbd_element_curve(const mbd_element_input *in, int k, mbd_real x, mbd_curve_value *v) {
  const mbd_curve *curve = in->curve[k];
  curve_eval(curve, in->theta, in->aux, x, v);
}

static inline void mbd_curve_probe_answer(mbd_curve_probe *probe, int k, mbd_real x, mbd_curve_value *dv) {
  *dv = (mbd_curve_value){0, 0, 0};
  if (k != probe->slot || probe->ncall++ != probe->call) { return; }
  probe->x = x;
  *dv = (mbd_curve_value){probe->order == 0, probe->order == 1, probe->order == 2};
}

static inline void mbd_element_dcurve(const mbd_element_input *in, const mbd_element_direction *d, int k, mbd_real x,
                                      mbd_curve_value *dv) {
  const mbd_curve *curve = in->curve[k];
  if (d->probe) {
    mbd_curve_probe_answer(d->probe, k, x, dv);
    return;
  }
  curve_deval(curve, in->theta, in->aux, d->dtheta, d->daux, x, dv);
}

/* The same of a curve over time, at the present one. */
static inline void mbd_element_curve_now(const mbd_element_input *in, int k, mbd_curve_value *v) {
  mbd_element_curve(in, k, in->t, v);
}

static inline void mbd_element_dcurve_now(const mbd_element_input *in, const mbd_element_direction *d, int k,
                                          mbd_curve_value *dv) {
  const mbd_curve *curve = in->curve[k];
  mbd_element_dcurve(in, d, k, in->t, dv);
  if (mbd_any(d->dt != 0)) { curve_shift(curve, in->theta, in->aux, in->t, d->dt, dv); }
}

/* Blocks between the arguments of an element, zeroed: as many as it has, not as many as an element may have. */
static inline void mbd_blocks_zero(int narg, mbd_real (*H)[ELEMENT_ARG_MAX][9]) {
  for (int a = 0; a < narg; a++) { memset(H[a], 0, (size_t)narg * sizeof H[a][0]); }
}

static inline void mbd_args_zero(int narg, mbd_real (*g)[3]) {
  memset(g, 0, (size_t)narg * sizeof *g);
}

/* C converts arrays of arrays to const only by a cast. */
#define CONST3(x) ((const mbd_real(*)[3])(x))
#define CONST6(x) ((const mbd_real(*)[6])(x))
#define CONSTH(x) ((const mbd_real(*)[ELEMENT_ARG_MAX][9])(x))
#define CONSTJ(x) ((const mbd_real(*)[CONSTRAINT_ARG_MAX][3])(x))

/* Lists of elements that have none. */
#define NO_COEFS  ((const mbd_coef_info[]){{0}})
#define NO_CURVES ((const mbd_curve_info[]){{0}})

/* In a mirror image: nothing but what holds for most (mbd_image_info), or keys that have rows of their own. */
#define IMAGE_PLAIN ((const mbd_image_info[]){{0}})
#define IMAGE(...)  ((const mbd_image_info[]){__VA_ARGS__, {0}})

#endif
