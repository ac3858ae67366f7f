/* The figures of one run as data (figure.h), each of which goes to the sink, from the data of the run (results/run_view.h) and the tables of
 * its folder. Each function makes those for which the run has data. MBD_NO_MEMORY, and what the sink returns. */
#ifndef MBO_RUN_FIGURES_H
#define MBO_RUN_FIGURES_H

#include "files/csv.h"
#include "report/figure.h"
#include "report/inverse_table.h"

typedef struct run_figures {
  const json_t *view;     /* results/run_view.h, and */
  const json_t *result;   /* its result.json; JSON null of the best run of a study */
  csv history, residuals; /* history.csv; residuals.csv of a fit; empty if they are missing */
  int ncase;
  inverse_table *inverse; /* [ncase] derivatives of the forces by the motion, if the folder has them */
  csv *sensitivities;     /* [ncase] derivatives of the outputs by the variables, likewise */
  figure_sink sink;       /* where figures go */
  void *to;
} run_figures;

/* Reads the tables. The view must outlive *w, which has to be closed in any case. Errors of files. */
mbd_status run_figures_open(const json_t *view, figure_sink sink, void *to, run_figures *w, mbd_error *err);
void run_figures_close(run_figures *w);

/* All figures, for files; without design: those of motions alone. */
mbd_status run_figures_all(const run_figures *w, int design, mbd_error *err);

/* Objective over simulated designs, at the iterations or, in a run of a study, of its record; and violations, if any is above 0. */
mbd_status run_figures_convergence(const run_figures *w, mbd_error *err);

/* The control points of every curve that is designed, at start and result between their bounds. Start and result of every other variable between
 * its bounds, in per cent of their distance (of its logarithm, where a variable above zero has
 * bounds two decades apart); variables at a bound are marked as in result.json. */
mbd_status run_figures_bounds(const run_figures *w, mbd_error *err);

/* Eigenvalues and directions of the Gauss-Newton matrix: a table of up to DIRECTIONS_NAMED variables; of more, curves over their numbers. */
enum { DIRECTIONS_NAMED = 12 };
mbd_status run_figures_directions(const run_figures *w, mbd_error *err);

/* Of a fit: precision of the estimates; for each measurement samples and model, and residuals. */
mbd_status run_figures_precision(const run_figures *w, mbd_error *err);
mbd_status run_figures_measurements(const run_figures *w, mbd_error *err);

/* Over time: outputs that vary and objectives up to the time; the largest derivatives of the forces by the motion; derivatives of the
 * outputs by the variables, of each case the first RUN_DERIVATIVES that are not zero throughout. */
enum { RUN_DERIVATIVES = 60 };
mbd_status run_figures_histories(const run_figures *w, mbd_error *err);
mbd_status run_figures_inverse(const run_figures *w, mbd_error *err);
mbd_status run_figures_derivatives(const run_figures *w, mbd_error *err);

/* Returns 1 if the last two have any figure. */
int run_figures_has_inverse(const run_figures *w);
int run_figures_has_derivatives(const run_figures *w);

#endif
