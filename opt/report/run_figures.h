/* The figures of one run as files for papers: their list, and the function that draws them; and the motions of start
 * and result, which its page also shows. */
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
  RUN_PART_HISTORY,   /* of: the case, which: the output */
  RUN_PART_INVERSE,   /* of: the case, which: 0, 1, 2 for dQ/dz, dQ/dzd, dQ/dzdd */
  RUN_PART_FIT,       /* of: the first row in residuals.csv; which: 0: the series with its band, 1: residuals */
  RUN_PART_SO_FAR,    /* of: the case, which: the column of the trajectory that has an objective up to the time */
  RUN_PART_DERIVATIVE /* of: the case, which: the column of sensitivities.csv */
} run_part;

/* The data of the figures: a folder with its motions. */
typedef struct run_figures {
  const run_folder *folder;
  motion *before, *after;              /* motions of the start and of the result; NULL: there is none */
  mbd_error before_error, after_error; /* code MBD_OK, or the error of its simulation */
  inverse_table *inverse;              /* [cases] derivatives of the forces by the motion, if the folder has them */
  csv *sensitivities;                  /* [cases] derivatives of the outputs by the variables, likewise */
  figure_list list;                    /* refers to this object, which must not be copied */
} run_figures;

/* Simulates start and result, and lists the figures for which the folder has data: convergence only with a history,
 * bounds only if there are any, histories only of outputs that vary, derivatives over time only with their files. The
 * folder must outlive the list. With `curves` the motions have every column of their trajectories (motion.h). Designs
 * that cannot be simulated are no error; MBD_INTERRUPTED, lack of memory and errors of files are. */
mbd_status run_figures_create(const run_folder *f, int curves, run_figures *v, mbd_error *err);
void run_figures_free(run_figures *v);

/* The next column of a table of derivatives over time that a figure shows, from `col` on: one of a derivative that is not zero throughout. -1:
 * there is none, or RUN_DERIVATIVES were shown before. */
enum { RUN_DERIVATIVES = 60 };
int run_next_derivative(const csv *table, int col, int shown);

/* A column of a table in new memory; NULL: there is none. */
double *run_column(const csv *table, int col);

/* Returns 1 if an output varies by more than rounding, at the start or at the result. */
int run_output_moves(const run_figures *v, int in_case, int output);

#endif
