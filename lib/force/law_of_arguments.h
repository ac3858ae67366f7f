/* Forces of any arguments whose law is one formula in dual numbers, as that of a plugin is (mbd/plugin.h). For a force `k`, of which
 * mbd_force_`row` is the row of the table, its file defines
 *   DUAL_N: the number of inputs, of which a point or a vector has 6, a rotation 3, a coordinate 2
 *   static void k_law(const law_input *law, dual x[][3], dual xd[][3], dual f[][3], dual output[])
 *     x, xd   the arguments and their rates: of a rotation the rate alone, of a coordinate the first of three numbers
 *     f       out: the force on each argument, zero on entry; its power is the sum of f . xd
 *     output  out: the outputs, all of which it sets; NULL: they are not wanted
 * and LAW_OF_ARGUMENTS(k, row) makes the functions of FORCE_F(k) and FORCE_SCALARS(k) (force.h). The force is lifted to z by
 * theory.md §4 (4.1). */
#ifndef MBD_FORCE_LAW_OF_ARGUMENTS_H
#define MBD_FORCE_LAW_OF_ARGUMENTS_H

#include <assert.h>

#include "base/v3.h"
#include "force/law.h"

typedef void law_function(const law_input *law, dual x[][3], dual xd[][3], dual f[][3], dual output[]);

typedef struct law_results {
  dual f[ELEMENT_ARG_MAX][3], output[MBD_FORCE_SCALAR_MAX];
} law_results;

/* Inputs that argument a of a force has in x, and in xd. */
static inline int law_places(const mbd_force_ops *ops, int a) {
  const mbd_arg_kind kind = ops->arg[a].kind;
  return kind == MBD_ARG_ROTATION ? 0 : kind == MBD_ARG_COORDINATE ? 1 : 3;
}
static inline int law_rates(const mbd_force_ops *ops, int a) {
  return ops->arg[a].kind == MBD_ARG_COORDINATE ? 1 : 3;
}

/* Sets the results of the law, with derivatives along d, or, where it is NULL, by the inputs: those of x[0], xd[0], x[1], ... */
static inline void law_evaluate(law_function *law, const mbd_force_ops *ops, const mbd_element_input *in,
                                const mbd_element_direction *d, int outputs, law_results *r) {
  const law_input q = {in, d};
  dual x[ELEMENT_ARG_MAX][3], xd[ELEMENT_ARG_MAX][3];
  int n = 0;
  for (int a = 0; a < ops->narg; a++) {
    for (int i = 0; i < law_places(ops, a); i++) {
      x[a][i] = d_const(in->s->x[a][i]);
      if (!d) { x[a][i].d[n++] = 1; }
    }
    for (int i = 0; i < law_rates(ops, a); i++) {
      xd[a][i] = d_const(in->s->xd[a][i]);
      if (!d) { xd[a][i].d[n++] = 1; }
      r->f[a][i] = d_const(0);
    }
  }
  assert(d || n == DUAL_N);
  law(&q, x, xd, r->f, outputs ? r->output : NULL);
}

/* Copies the derivatives of a result by the arguments and their rates; those by argument b begin at place b * step. */
static inline void law_derivatives(const mbd_force_ops *ops, const dual *result, int step, mbd_real *by_x,
                                   mbd_real *by_xd) {
  const mbd_real *from = result->d;
  for (int b = 0; b < ops->narg; b++) {
    for (int i = 0; i < law_places(ops, b); i++) { by_x[b * step + i] = *from++; }
    for (int i = 0; i < law_rates(ops, b); i++) { by_xd[b * step + i] = *from++; }
  }
}

/* Copies the forces, or their derivatives along a direction. */
static inline void law_vectors(const mbd_force_ops *ops, const law_results *r, int along, mbd_real (*f)[3]) {
  for (int a = 0; a < ops->narg; a++) {
    v3_set(f[a], 0, 0, 0);
    for (int i = 0; i < law_rates(ops, a); i++) { f[a][i] = along ? r->f[a][i].d[0] : r->f[a][i].v; }
  }
}

/* Copies the derivatives of the forces by the arguments and their rates. */
static inline void law_slopes(const mbd_force_ops *ops, const law_results *r, mbd_real (*K)[ELEMENT_ARG_MAX][9],
                              mbd_real (*D)[ELEMENT_ARG_MAX][9]) {
  for (int a = 0; a < ops->narg; a++) {
    for (int i = 0; i < law_rates(ops, a); i++) {
      law_derivatives(ops, &r->f[a][i], 9, K[a][0] + 3 * i, D[a][0] + 3 * i);
    }
  }
}

/* With the law inlined, values are computed without the derivatives that nobody reads, and those along a direction without the others. */
#if defined(__GNUC__)
#define LAW_INLINED __attribute__((flatten))
#else
#define LAW_INLINED
#endif

#define LAW_OF_ARGUMENTS(k, row)                                                                                   \
  extern const mbd_force_ops mbd_force_##row;                                                                      \
  LAW_INLINED static void k##_f(const mbd_element_input *in, mbd_real(*f)[3]) {                                    \
    law_results r;                                                                                                 \
    law_evaluate(k##_law, &mbd_force_##row, in, NULL, 0, &r);                                                      \
    law_vectors(&mbd_force_##row, &r, 0, f);                                                                       \
  }                                                                                                                \
  static void k##_f_x(const mbd_element_input *in, mbd_real(*f)[3], mbd_real(*K)[ELEMENT_ARG_MAX][9],              \
                      mbd_real(*D)[ELEMENT_ARG_MAX][9]) {                                                          \
    law_results r;                                                                                                 \
    law_evaluate(k##_law, &mbd_force_##row, in, NULL, 0, &r);                                                      \
    law_vectors(&mbd_force_##row, &r, 0, f);                                                                       \
    law_slopes(&mbd_force_##row, &r, K, D);                                                                        \
  }                                                                                                                \
  LAW_INLINED static void k##_f_c(const mbd_element_input *in, const mbd_element_direction *d, mbd_real(*df)[3]) { \
    law_results r;                                                                                                 \
    law_evaluate(k##_law, &mbd_force_##row, in, d, 0, &r);                                                         \
    law_vectors(&mbd_force_##row, &r, 1, df);                                                                      \
  }                                                                                                                \
  static mbd_real k##_scalar(const mbd_element_input *in, int i, mbd_real(*g_x)[3], mbd_real(*g_xd)[3]) {          \
    law_results r;                                                                                                 \
    law_evaluate(k##_law, &mbd_force_##row, in, NULL, 1, &r);                                                      \
    law_derivatives(&mbd_force_##row, &r.output[i], 3, g_x[0], g_xd[0]);                                           \
    return r.output[i].v;                                                                                          \
  }                                                                                                                \
  static mbd_real k##_scalar_c(const mbd_element_input *in, int i, const mbd_element_direction *d) {               \
    law_results r;                                                                                                 \
    law_evaluate(k##_law, &mbd_force_##row, in, d, 1, &r);                                                         \
    return r.output[i].d[0];                                                                                       \
  }

#endif
