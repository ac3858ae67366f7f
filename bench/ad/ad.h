/* The residual's own sources, built a third time with a scalar of automatic differentiation: what such a build offers. It is a
 * library of its own (its functions have the names of libmbd's), of which only the function that returns these rows is seen. */
#ifndef BENCH_AD_H
#define BENCH_AD_H

#include "mbd/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where the residual R(z, zd) = M zdd - Q(z, zd, t) + Phi_z' lam is evaluated: [nz], [nphi] */
typedef struct ad_point {
  double t;
  const double *z, *zd, *zdd, *lam;
} ad_point;

/* Directions: column j of the independents {z, zd} [2 nz] is added to the direction colour[j] of `colours`. */
typedef struct ad_seeds {
  int colours;
  const int *colour; /* [2 nz] */
} ad_seeds;

typedef struct ad_model ad_model;

typedef struct ad_ops {
  const char *name;
  /* The model of a description, with the values theta [ncoef] of its coefficients; NULL with the reason in *err. */
  ad_model *(*open)(const mbd_spec *spec, const double *theta, mbd_error *err);
  void (*close)(ad_model *m);
  void (*value)(ad_model *m, const ad_point *at, double *R); /* [nz] */
  /* B [nz][colours]: derivatives along the directions. */
  void (*forward)(ad_model *m, const ad_point *at, const ad_seeds *seeds, double *B);
  /* J [nz][2 nz] by reverse mode; NULL: there is none. */
  void (*reverse)(ad_model *m, const ad_point *at, double *J);
  /* 1: a recorded tape serves at later points, too, which is right where no branch depends on the point; NULL: there is no tape. */
  void (*keep_tape)(ad_model *m, int keep);
} ad_ops;

const ad_ops *ad_dual(void);
const ad_ops *ad_adolc(void);

#ifdef __cplusplus
}
#endif

#endif
