/* The folder of one run, as optimize and simulate leave it, read again: the mechanism from resolved.ini, what came
 * out of it from the other files. */
#ifndef MBO_RUN_FOLDER_H
#define MBO_RUN_FOLDER_H

#include <jansson.h>
#include <time.h>

#include "mechanism/mechanism.h"
#include "files/csv.h"
#include "study/valley.h"

typedef enum run_kind { RUN_OPTIMIZE, RUN_SIMULATE } run_kind;

typedef struct run_folder {
  run_kind kind;
  char *path;
  char *run_file; /* that it was resolved from, as it was called then */
  time_t written; /* the results */
  mbo_run_config *config;
  mechanism *m;
  mechanism *reference; /* of what is shown before the result, if that is another mechanism; NULL: m at its start */
  char *title;          /* of a run of a study: "run 3 of the sweep"; NULL else */
  char *study;          /* the file of the study's page, in the folder of its own; NULL: there is none */
  char *values;         /* and its values, "k_f = 12000, c_f = 3" */
  const char *before, *after; /* what figures call the two: "start", "result" */
  json_t *result;             /* result.json; NULL: of a run of a study */
  valley valley;              /* at the result; n = 0: there is none */
  csv history;                /* history.csv; empty for simulate, and where it is missing */
  csv residuals;              /* residuals.csv of a fit; empty else */
  double *final;              /* [m->n] the result of optimize; NULL: there is none */
} run_folder;

/* MBD_BAD_INPUT: it is no folder, or of no run, with what was looked for; its files contradict each other. MBD_IO_ERROR: a file
 * cannot be read. And the errors of reading the configuration and the model, which must still be where it was. */
mbd_status run_folder_open(const char *path, run_folder **out, mbd_error *err);
void run_folder_close(run_folder *f);

const char *run_kind_text(run_kind k); /* "optimization", ... */

/* Text and number of result.json; "" and NaN where there is none. */
const char *run_folder_text(const run_folder *f, const char *key);
double run_folder_number(const run_folder *f, const char *key);

#endif
