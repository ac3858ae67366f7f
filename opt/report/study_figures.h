/* The figures of a study as data (figure.h), each of which goes to the sink: contours and curves of sweeps, ends of multistarts, profiles and
 * convergence of comparisons. MBD_NO_MEMORY, MBD_IO_ERROR, and what the sink returns. */
#ifndef MBO_STUDY_FIGURES_H
#define MBO_STUDY_FIGURES_H

#include "report/figure.h"
#include "report/study_links.h"

/* Where the figures go; links: NULL for files. */
typedef struct study_drawing {
  const study_data *d;
  const study_links *links;
  figure_sink sink;
  void *to;
} study_drawing;

/* All figures, for files. */
mbd_status study_figures(const study_drawing *w, mbd_error *err);

/* Performance and data profiles of all accuracies: share of problems solved over simulations' ratio to the fewest, and over simulations. */
mbd_status study_figures_profiles(const study_drawing *w, mbd_error *err);

/* A dot for every start: what each optimizer needed until it solved a pair (profiles.h) and what it reached, on one problem; on all problems
 * (-1) what it needed alone. No figure without a dot. */
mbd_status study_figures_spread(const study_drawing *w, int problem, mbd_error *err);

/* The best objective without violation over equivalent simulations, from each problem's own start. Objectives that are only rounding relative to
 * that of the start are drawn at the level at which they count as equal. Problems without a run have none; on pages neither have those
 * without a design without violation. */
mbd_status study_figures_convergence(const study_drawing *w, mbd_error *err);
mbd_status study_figures_history(const study_drawing *w, int problem, mbd_error *err); /* of one problem */

#endif
