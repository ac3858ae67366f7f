/* Curves that act on a mechanism as functions of time: drives, actuators, forces and rates of states by expressions of curve(time). */
#ifndef MBD_TIME_CURVES_H
#define MBD_TIME_CURVES_H

#include "model/model.h"

/* curve [ncurve] := the numbers of those with knots, in increasing order. Returns how many they are. */
int time_curves_list(const mbd_model *m, int *curve);

/* The time of knot i of a curve, with the coefficients theta. */
static inline double time_curves_knot(const mbd_curve *k, const mbd_real *theta, int i) {
  return k->knot[i] * (k->stretch ? mbd_same(theta[k->stretch - 1]) : 1);
}

#endif
