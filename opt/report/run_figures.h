/* The figures of one run, the same for its report and for papers: which there are, and how each is drawn. */
#ifndef MBO_RUN_FIGURES_H
#define MBO_RUN_FIGURES_H

#include "report/figure.h"
#include "report/motion.h"
#include "report/run_folder.h"

typedef enum run_part { RUN_PART_CONVERGENCE, RUN_PART_BOUNDS, RUN_PART_DIRECTIONS, RUN_PART_HISTORY } run_part;

typedef struct run_figure {
  run_part part;
  char *name;          /* of its file, without ending: "convergence", "history_swing_P2.position.x" */
  char *caption;       /* one line */
  int in_case, output; /* of RUN_PART_HISTORY */
} run_figure;

/* What is drawn: a folder with its motions. */
typedef struct run_figures {
  const run_folder *folder;
  motion *before, *after;              /* of the start and of the result; NULL: there is none */
  mbd_error before_error, after_error; /* code MBD_OK, or why it could not be simulated */
  int n;
  run_figure *figure; /* [n] */
} run_figures;

/* Simulate start and result, and list the figures that the folder gives: no convergence without a history, no bounds without
 * any, no histories of outputs that do not move. The folder must outlive the list. Designs that cannot be simulated are no
 * error; MBD_INTERRUPTED and what cannot be helped are. */
mbd_status run_figures_create(const run_folder *f, run_figures *v, mbd_error *err);
void run_figures_free(run_figures *v);

/* Draw figure i; target as in figure.h. */
mbd_status run_figure_draw(const run_figures *v, int i, figure_target *t, mbd_error *err);

/* The caller's name as one of a file, which is the caller's again: letters, digits and a few signs stay, what file systems take
 * no more is cut off, and a number of 2 or more is written behind it. NULL: that was it, or no memory. */
char *run_figure_file_name(char *name, int number);

/* Does an output move, before or after? Beyond rounding. */
int run_output_moves(const run_figures *v, int in_case, int output);

#endif
