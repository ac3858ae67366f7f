/* Time schemes: Newmark's family, and Runge-Kutta methods.
 *
 * For the step, and so for its derivatives in either direction, a scheme of the Newmark family is a handful
 * of numbers: velocity and acceleration are linear in what the step moves, dz = z - z_, and in the node before (_),
 *   v*  = c dz + v_zd zd_ + v_zdd zdd_ + v_acc acc_
 *   a*  = a dz + a_zd zd_ + a_zdd zdd_ + a_acc acc_
 * with zd_, zdd_ after their projections. `acc` is an acceleration of the scheme's own; once zdd is known it goes on as
 *   acc = acc_zdd zdd + acc_zdd_before zdd_ + acc_acc acc_,     acc = zdd at the start.
 * A scheme without it reads and stores none. */
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

/* An explicit Runge-Kutta method: a [stages][stages] below the diagonal, b, c [stages]. The first stage is the node before.
 * A method that chooses its own steps has its end as the last stage, and [stages] weights of
 *   error  the difference to another method, which goes with h^error_order
 *   dense  the interpolation between start and end, beyond that by their values and rates (tableau_between) */
typedef struct mbd_tableau {
  int stages;
  const double *a, *b, *c;
  const double *error, *dense; /* NULL: a step from node to node */
  int error_order;
} mbd_tableau;

/* The row of an option: the field of mbd_case by whose name run files call it, with its default, range [lo, hi], unit and text. */
#define CASE_OPTION(field, whole_, dflt_, lo, hi, unit_, doc_) \
  { #field, offsetof(mbd_case, field), whole_, dflt_, lo, hi, #dflt_, unit_, doc_ }

typedef struct mbd_integrator_ops {
  const char *name;
  const char *doc;
  const mbd_case_option *option; /* what it reads of mbd_case beside the step, the last with key NULL; NULL: nothing */
  int order; /* of positions, velocities and objectives, also integrals over time (quadrature.c), with the default options */
  /* Newmark's family: for a step h, from the options of the case. NULL: not of it. */
  mbd_scheme (*scheme)(const mbd_case *c, mbd_real h);
  const mbd_tableau *tableau; /* Runge-Kutta methods; NULL: not of them */
} mbd_integrator_ops;

/* w [stages]: y(t + theta h) = y + h sum_i w_i k_i, from the cubic through start and end,
 *   (1 - theta) y_0 + theta y_1 + theta (theta - 1) ((1 - 2 theta)(y_1 - y_0) + (theta - 1) h k_first + theta h k_last)
 *   + theta^2 (1 - theta)^2 h sum_i dense_i k_i */
static inline void tableau_between(const mbd_tableau *q, double theta, double *w) {
  const double bend = theta * (theta - 1), last = q->stages - 1;
  for (int i = 0; i < q->stages; i++) {
    w[i] = (theta + bend * (1 - 2 * theta)) * q->b[i] + bend * bend * q->dense[i];
    if (i == 0) { w[i] += bend * (theta - 1); }
    if (i == last) { w[i] += bend * theta; }
  }
}

const mbd_integrator_ops *mbd_integrator_at(int i);
const mbd_integrator_ops *mbd_integrator_find(const char *name);

/* The maps themselves. n numbers: the coordinates of a state, or any number of derivatives of each of them, because the
 * maps are linear. acc_, acc: not touched if the scheme has none. */

/* v*, a* [n] */
static inline void scheme_rates(const mbd_scheme *q, size_t n, const mbd_real *dz, const mbd_real *zd_,
                                const mbd_real *zdd_, const mbd_real *acc_, mbd_real *v, mbd_real *a) {
  for (size_t i = 0; i < n; i++) {
    v[i] = q->c * dz[i] + q->v_zd * zd_[i] + q->v_zdd * zdd_[i];
    a[i] = q->a * dz[i] + q->a_zd * zd_[i] + q->a_zdd * zdd_[i];
  }
  for (size_t i = 0; q->has_acc && i < n; i++) {
    v[i] += q->v_acc * acc_[i];
    a[i] += q->a_acc * acc_[i];
  }
}

/* Their part that the node before has fixed: dz = 0. */
static inline void scheme_history(const mbd_scheme *q, size_t n, const mbd_real *zd_, const mbd_real *zdd_,
                                  const mbd_real *acc_, mbd_real *v, mbd_real *a) {
  for (size_t i = 0; i < n; i++) {
    v[i] = q->v_zd * zd_[i] + q->v_zdd * zdd_[i];
    a[i] = q->a_zd * zd_[i] + q->a_zdd * zdd_[i];
  }
  for (size_t i = 0; q->has_acc && i < n; i++) {
    v[i] += q->v_acc * acc_[i];
    a[i] += q->a_acc * acc_[i];
  }
}

/* The part of acc that the node before has fixed (acc may be acc_), and the rest, from the new zdd. */
static inline void scheme_carry_acc(const mbd_scheme *q, size_t n, const mbd_real *zdd_, const mbd_real *acc_,
                                    mbd_real *acc) {
  for (size_t i = 0; q->has_acc && i < n; i++) { acc[i] = q->acc_zdd_before * zdd_[i] + q->acc_acc * acc_[i]; }
}

static inline void scheme_close_acc(const mbd_scheme *q, size_t n, const mbd_real *zdd, mbd_real *acc) {
  for (size_t i = 0; q->has_acc && i < n; i++) { acc[i] += q->acc_zdd * zdd[i]; }
}

#endif
