/* Curves of a comparison: profiles, and the best objective of every optimizer on a problem. */
#ifndef MBO_STUDY_CURVES_H
#define MBO_STUDY_CURVES_H

#include "report/plots.h"
#include "report/study_data.h"

/* Name of problem i: the name of its run file without folder and ending. In new memory; NULL: no memory. */
char *study_problem_name(const study *s, int i);

typedef struct study_curves {
  int n;
  plot_curve *curve; /* [n] titles are the names of backends, which belong to the data */
  long *run;         /* [n] the run of each curve; -1: several runs */
  double *room;      /* numbers of the curves; NULL if each curve owns its numbers */
} study_curves;

/* Profiles of accuracy number t: the share of problems solved over simulations, or over their ratio to the fewest.
 * MBD_NO_MEMORY. */
mbd_status study_curves_profile(const study_data *d, int t, int ratio, study_curves *c, mbd_error *err);

/* The best objective without violation after each simulation, from the problem's own start; NaN before there is one. n
 * = 0: there is no run yet. MBD_NO_MEMORY, MBD_IO_ERROR. */
mbd_status study_curves_convergence(const study_data *d, int problem, study_curves *c, mbd_error *err);

void study_curves_free(study_curves *c); /* {0} allowed */

#endif
