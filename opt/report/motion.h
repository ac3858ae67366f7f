/* Outputs over time of a design, all of its load cases: what reports show before and after. */
#ifndef MBO_MOTION_H
#define MBO_MOTION_H

#include "report/thinned.h"

typedef struct motion_case {
  int n, noutput; /* nodes, outputs of the case: those of objectives, constraints and [output] */
  double *t;      /* [n] s */
  double *y;      /* [n][noutput] */
  thinned all;    /* every column of the trajectory; of a motion without curves it is empty */
} motion_case;

typedef struct motion {
  int ncase;
  motion_case *cases; /* [ncase] as in the mechanism */
  double *psi;        /* [quantities] objectives, then constraints */
} motion;

/* Simulate all cases at rho [m->n], with every column of the trajectories if `curves`. Sets m->psi; later evaluations of m are not changed by it. Fails as they do: > 0 where the
 * design cannot be simulated, MBD_INTERRUPTED by m->stop. */
mbd_status motion_create(mechanism *m, const double *rho, int curves, motion **out, mbd_error *err);
void motion_destroy(motion *w);

/* One output as a curve of at most about `most` points, for drawing: every stretch of time is there with its first value, its
 * least and its largest, so that no peak is lost. t, y: room for motion_most(most) each; returns how many there are. */
int motion_curve(const motion_case *c, int output, int most, double *t, double *y);
static inline int motion_most(int most) {
  return 3 * most + 1;
}

/* Largest less least value of an output. */
double motion_range(const motion_case *c, int output);

#endif
