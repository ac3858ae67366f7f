/* Time schemes: Newmark's family, and Runge-Kutta methods.
 *
 * For the step and its direct and adjoint derivatives, a scheme of the Newmark family is a few numbers: velocity and
 * acceleration are linear in the increment dz = z - z_ and in the previous node (_),
 *   v*  = c dz + v_zd zd_ + v_zdd zdd_ + v_acc acc_
 *   a*  = a dz + a_zd zd_ + a_zdd zdd_ + a_acc acc_
 * with zd_, zdd_ after their projections. `acc` is an algorithmic acceleration of the scheme; after zdd has been
 * computed, it is updated by
 *   acc = acc_zdd zdd + acc_zdd_before zdd_ + acc_acc acc_,     acc = zdd at the start.
 * A scheme without acc neither reads nor stores it. */
#ifndef MBD_INTEGRATOR_H
#define MBD_INTEGRATOR_H

#include <stddef.h>

#include "base/real.h"
#include "mbd/simulate.h"

typedef struct mbd_scheme {
  mbd_real c, v_zd, v_zdd, v_acc;
  mbd_real a, a_zd, a_zdd, a_acc;
  mbd_real acc_zdd, acc_zdd_before, acc_acc;
  int has_acc;
} mbd_scheme;

/* An explicit Runge-Kutta method: a [stages][stages] below the diagonal, b, c [stages]. The first stage is the previous
 * node. A method with step size control has its end as the last stage, and [stages] weights of
 *   error  the difference to another method, proportional to h^error_order
 *   dense  the interpolation between start and end, in addition to that by their values and rates (tableau_between) */
typedef struct mbd_tableau {
  int stages;
  const double *a, *b, *c;
  const double *error; /* NULL, like `dense`: each step leads from node to node */
  int error_order;
  const double *dense;
} mbd_tableau;

/* The row of an option: the field of mbd_case, whose name is the key in run files, with its default, range [lo, hi],
 * unit and text. */
#define CASE_OPTION(field, whole_, dflt_, lo, hi, unit_, doc_) \
  { #field, offsetof(mbd_case, field), whole_, dflt_, lo, hi, #dflt_, unit_, doc_ }

/* The schemes of Newmark's family, in messages. */
#define MBD_IMPLICIT_NAMES "newmark or generalized_alpha"

typedef struct mbd_integrator_ops {
  const char *name;
  const char *doc;
  const mbd_case_option *option; /* options of mbd_case that it reads, the last with key NULL; NULL: none */
  int order; /* of positions, velocities and objectives, also integrals over time (quadrature.c), with the default options */
  /* Newmark's family: the scheme for a step h, from the options of the case. NULL: of another family. */
  mbd_scheme (*scheme)(const mbd_case *c, mbd_real h);
  const mbd_tableau *tableau; /* Runge-Kutta methods; NULL: of another family */
} mbd_integrator_ops;

/* w [stages]: y(t + theta h) = y + h sum_i w_i k_i, from the cubic through start and end,
 *   (1 - theta) y_0 + theta y_1 + theta (theta - 1) ((1 - 2 theta)(y_1 - y_0) + (theta - 1) h k_first + theta h k_last)
 *   + theta^2 (1 - theta)^2 h sum_i dense_i k_i */
static inline void tableau_between(const mbd_tableau *tableau, double theta, double *w) {
  const double bend = theta * (theta - 1), last = tableau->stages - 1;
  for (int i = 0; i < tableau->stages; i++) {
    w[i] = (theta + bend * (1 - 2 * theta)) * tableau->b[i] + bend * bend * tableau->dense[i];
    if (i == 0) { w[i] += bend * (theta - 1); }
    if (i == last) { w[i] += bend * theta; }
  }
}

const mbd_integrator_ops *mbd_integrator_at(int i);
const mbd_integrator_ops *mbd_integrator_find(const char *name);

/* The maps of a scheme. n numbers: the coordinates of a state, or any number of derivatives of each of them, because
 * the maps are linear. acc_, acc: neither read nor written if the scheme has none. */

/* v*, a* [n] */
static inline void scheme_rates(const mbd_scheme *scheme, size_t n, const mbd_real *dz, const mbd_real *zd_,
                                const mbd_real *zdd_, const mbd_real *acc_, mbd_real *v, mbd_real *a) {
  for (size_t i = 0; i < n; i++) {
    v[i] = scheme->c * dz[i] + scheme->v_zd * zd_[i] + scheme->v_zdd * zdd_[i];
    a[i] = scheme->a * dz[i] + scheme->a_zd * zd_[i] + scheme->a_zdd * zdd_[i];
  }
  for (size_t i = 0; scheme->has_acc && i < n; i++) {
    v[i] += scheme->v_acc * acc_[i];
    a[i] += scheme->a_acc * acc_[i];
  }
}

/* The contribution of the previous node to them: dz = 0. */
static inline void scheme_history(const mbd_scheme *scheme, size_t n, const mbd_real *zd_, const mbd_real *zdd_,
                                  const mbd_real *acc_, mbd_real *v, mbd_real *a) {
  for (size_t i = 0; i < n; i++) {
    v[i] = scheme->v_zd * zd_[i] + scheme->v_zdd * zdd_[i];
    a[i] = scheme->a_zd * zd_[i] + scheme->a_zdd * zdd_[i];
  }
  for (size_t i = 0; scheme->has_acc && i < n; i++) {
    v[i] += scheme->v_acc * acc_[i];
    a[i] += scheme->a_acc * acc_[i];
  }
}

/* The contribution of the previous node to acc (acc may be acc_), and the contribution of the new zdd. */
static inline void scheme_carry_acc(const mbd_scheme *scheme, size_t n, const mbd_real *zdd_, const mbd_real *acc_,
                                    mbd_real *acc) {
  for (size_t i = 0; scheme->has_acc && i < n; i++) {
    acc[i] = scheme->acc_zdd_before * zdd_[i] + scheme->acc_acc * acc_[i];
  }
}

static inline void scheme_close_acc(const mbd_scheme *scheme, size_t n, const mbd_real *zdd, mbd_real *acc) {
  for (size_t i = 0; scheme->has_acc && i < n; i++) { acc[i] += scheme->acc_zdd * zdd[i]; }
}

#endif
