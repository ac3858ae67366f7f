/* Outputs over time of a design in all load cases, which reports show for start and result. */
#ifndef MBO_MOTION_H
#define MBO_MOTION_H

#include "report/thinned.h"

typedef struct motion_case {
  int n, noutput; /* nodes, outputs of the case: those of objectives, constraints and [output] */
  double *t;      /* [n] s */
  double *y;      /* [n][noutput] */
  thinned all;    /* every column of the trajectory; empty for a motion without curves */
} motion_case;

typedef struct motion {
  int ncase;
  motion_case *cases; /* [ncase] as in the mechanism */
  double *psi;        /* [quantities] objectives, then constraints */
} motion;

/* Simulates all cases at rho [m->n], with every column of the trajectories if `curves` is 1. Sets m->psi, without an
 * effect on later evaluations of m. It fails as these do: > 0 if the design cannot be simulated, MBD_INTERRUPTED by
 * m->stop. */
mbd_status motion_create(mechanism *m, const double *rho, int curves, motion **out, mbd_error *err);
void motion_destroy(motion *w);

/* One output as a curve of at most about `most` points, for drawing: every stretch of time has its first value, its
 * least and its largest, so that no peak is lost. t, y: room for motion_most(most) numbers each; returns the number of
 * points. */
int motion_curve(const motion_case *c, int output, int most, double *t, double *y);
static inline int motion_most(int most) {
  return 3 * most + 1;
}

/* The largest minus the least value of an output. */
double motion_range(const motion_case *c, int output);

#endif
