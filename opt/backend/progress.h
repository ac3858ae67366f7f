/* Whether an optimization by the Gauss-Newton matrix makes progress. With nonlinear constraints, whose curvature is not in this matrix, the
 * iterates may go round a constraint or creep along it. Progress is, since it was last seen,
 *
 *   while no design is feasible: the least violation fell by a tenth
 *   then: the least objective fell by a thousandth
 *   or the residual of the optimality conditions at an iterate fell to half
 *
 * All of it follows from the designs, so that a run that goes on from its journal leaves the matrix at the same design. */
#ifndef MBO_PROGRESS_H
#define MBO_PROGRESS_H

enum { PROGRESS_DESIGNS = 20 }; /* designs without progress that are too many */

typedef struct progress {
  double tol;                      /* of violations */
  int designs;                     /* when there was progress the last time, and then: */
  double f, violation, optimality; /* the best design; the least residual. Infinite: none yet */
} progress;

void progress_begin(progress *p, double tol_constraint, int designs);

/* designs so far, the best of them, the residual at the iterate. Returns 0 if there was no progress in the last PROGRESS_DESIGNS designs. */
int progress_is_made(progress *p, int designs, double f, double violation, double optimality);

#endif
