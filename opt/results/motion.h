/* The motion of a design in all load cases, which reports show for start and result. */
#ifndef MBO_MOTION_H
#define MBO_MOTION_H

#include <jansson.h>

#include "mechanism/true_values.h"
#include "results/thinned.h"

typedef struct motion_case {
  int n;       /* nodes */
  double *t;   /* [n] s */
  thinned all; /* every column of the trajectory */
} motion_case;

typedef struct motion {
  int ncase;
  motion_case *cases; /* [ncase] as in the mechanism */
  double *psi;        /* [quantities] objectives, then constraints */
  true_value *truth;  /* [quantities] */
  json_t *scene;      /* scene.h; NULL: not requested */
  double *gradient;   /* [m->n] of the objectives as one; NULL: not requested, or the reason: */
  mbd_error no_gradient;
} motion;

/* What is requested beside the curves and values. */
typedef struct motion_request {
  int scene, frames; /* scene_record */
  int gradient;
} motion_request;

/* Simulates all cases at rho [m->n], once for all that is asked for, unless the method of the gradient simulates changed designs. Sets m->psi, without an
 * effect on later evaluations of m. It fails as these do: > 0 if the design cannot be simulated, MBD_INTERRUPTED by m->stop. */
mbd_status motion_create(mechanism *m, const double *rho, motion_request request, motion **out, mbd_error *err);
void motion_destroy(motion *w);

#endif
