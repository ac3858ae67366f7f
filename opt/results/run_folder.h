/* The folder of one run, as written by optimize and simulate: the mechanism is read from resolved.ini, the results from
 * result.json. */
#ifndef MBO_RUN_FOLDER_H
#define MBO_RUN_FOLDER_H

#include <jansson.h>
#include <time.h>

#include "mechanism/mechanism.h"

typedef enum run_kind { RUN_OPTIMIZE, RUN_SIMULATE } run_kind;

typedef struct run_folder {
  run_kind kind;
  char *path;
  char *run_file; /* path of the run file when the run was done */
  time_t written; /* time of the results */
  mbo_run_config *config;
  mechanism *m;
  mechanism *reference; /* the mechanism that is shown before the result, if it differs; NULL: m at its start */
  char *title;          /* for a run of a study: "run 3 of the sweep"; else NULL */
  char *study;  /* the file of the study's page, in the same folder as the page of the run; NULL: there is none */
  char *values; /* the values of the run, "k_f = 12000, c_f = 3" */
  const char *before, *after; /* names of the two motions in figures: "start", "result" */
  json_t *result;             /* result.json; NULL for a run of a study */
  /* directions of the Gauss-Newton matrix at the result (results_flat_directions); NULL: there are none */
  json_t *flat_directions;
  double *final; /* [m->n] the result of optimize; NULL: there is none */
} run_folder;

/* MBD_BAD_INPUT: it is not a folder, or not that of a run, with the file that is missing; or its files contradict each
 * other. MBD_IO_ERROR: a file cannot be read. Errors of the configuration and of the model, whose file must not have
 * moved. */
mbd_status run_folder_open(const char *path, run_folder **out, mbd_error *err);
void run_folder_close(run_folder *f);

const char *run_kind_text(run_kind k); /* "optimization", ... */

#endif
