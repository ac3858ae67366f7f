/* The figures of one run as files for papers: which there are, and how each is drawn; and the motions of start and result, which its page
 * shows too. */
#ifndef MBO_RUN_FIGURES_H
#define MBO_RUN_FIGURES_H

#include "report/figure_list.h"
#include "report/inverse_table.h"
#include "report/motion.h"
#include "report/run_folder.h"

typedef enum run_part {
  RUN_PART_CONVERGENCE,
  RUN_PART_BOUNDS,
  RUN_PART_DIRECTIONS,
  RUN_PART_HISTORY, /* of: the case, which: the output */
  RUN_PART_INVERSE, /* of: the case, which: 0, 1, 2 for dQ/dz, dQ/dzd, dQ/dzdd */
  RUN_PART_FIT      /* of: the first row in residuals.csv; which: 0: the series with its band, 1: residuals */
} run_part;

/* What is drawn: a folder with its motions. */
typedef struct run_figures {
  const run_folder *folder;
  motion *before, *after;              /* of the start and of the result; NULL: there is none */
  mbd_error before_error, after_error; /* code MBD_OK, or why it could not be simulated */
  inverse_table *inverse;              /* [cases] forces of their motions by these, where the folder has them */
  figure_list list;                    /* belongs to this very object, which is not copied */
} run_figures;

/* Simulate start and result, and list the figures that the folder gives: no convergence without a history, no bounds without
 * any, no histories of outputs that do not move, no forces by motions without their files. The folder must outlive the list. With
 * `curves` the motions have every column of their trajectories (motion.h). Designs that
 * cannot be simulated are no error; MBD_INTERRUPTED and what cannot be helped are. */
mbd_status run_figures_create(const run_folder *f, int curves, run_figures *v, mbd_error *err);
void run_figures_free(run_figures *v);

/* Does an output move, before or after? Beyond rounding. */
int run_output_moves(const run_figures *v, int in_case, int output);

#endif
