/* A study: many runs of one or several run files, in a folder with everything that is needed to continue it:
 *
 *   study.json           the plan; written last, so that a folder with it is a study
 *   run_1.ini, ...       copies of the run files
 *   points.csv           a row per run with its values
 *   runs/0-999.0.jsonl   results, a line per run or reason why there is none (segments.h)
 *
 * The line of a run has a hash of everything that determines the run. So a run is done or missing, independently of the process that did
 * it, and none is done twice. */
#ifndef MBO_STUDY_H
#define MBO_STUDY_H

#include <signal.h>
#include <stdio.h>

#include "config/config.h"
#include "study/points.h"

/* The meaning of a column of points.csv. */
typedef enum study_role {
  STUDY_SET,     /* a key of the run file */
  STUDY_START,   /* number of a start; 0: the run's own */
  STUDY_BACKEND, /* BACKEND[:ALGORITHM], with the number of iterations limited like that of simulations */
  STUDY_PROBLEM, /* number of the run file, from 1 */
  STUDY_POINT    /* number of a point of a front, whose problem follows from the runs of earlier waves (pareto.h) */
} study_role;

typedef struct study_column {
  char *name;
  study_role role;
  char *key; /* STUDY_SET: "SECTION.KEY" as in --set; else "" */
} study_column;

enum { STUDY_BATCH_MAX = 8 }; /* runs that are done together */

/* The destination of the rows of points.csv. */
typedef struct study_rows {
  FILE *out;
  const volatile sig_atomic_t *stop; /* not 0: no more rows are needed, since the study will not begin; NULL: never */
} study_rows;

static inline int study_rows_requested(const study_rows *r) {
  return !r->stop || !*r->stop;
}

/* The plan of a study; the caller owns what its pointers refer to. */
typedef struct study_plan {
  const char *kind; /* "sweep", "multistart", "compare", "pareto" */
  const char *task; /* "simulate", "gradient", "optimize" */
  int nfile;
  const char *const *file; /* [nfile] run files */
  int nset;
  const char *const *set; /* [nset] assignments of the command line, for all runs */
  int ncolumn;
  const study_column *column;
  long n;     /* runs */
  int starts; /* number of different starts in STUDY_START */
  /* Writes the rows of points.csv. */
  mbd_status (*write_rows)(void *user, const study_rows *to, mbd_error *err);
  void *user;
  const volatile sig_atomic_t *stop; /* of study_rows */
  int replaces; /* 1: another study in the folder is kept in FOLDER/earlier-1 or the next number, and this one begins */
} study_plan;

typedef struct study {
  char *folder, *kind, *task;
  long n;
  int starts;
  int nfile;
  char **origin, **file, **model; /* [nfile] run files as given, their copies, their model files */
  char **model_set;               /* [nfile] the assignment of the model file, to which a copy has another way */
  char
      *beside; /* absolute path of the folder of the first run file, to which paths of swept model files are relative */
  char *
      *decided; /* [nfile] how gradients are computed in the runs of each file (choices_text); NULL: each run decides */
  int nset;
  char **set;
  int ntable;
  char **table; /* [ntable] "K:ASSIGNMENT", for run file number K only: path of the table of a measurement */
  int ncolumn;
  study_column *column;
  unsigned long long hash; /* of everything on which all runs depend */
  char plan[34]; /* the hashes of study.json, of this and of the rows, which segments have in their first line */
  struct segments *runs; /* the records of the runs; NULL: not looked for yet (runs_open) */
  int batch; /* runs that a worker does at once, in so many lanes, and records together; a batch begins with a multiple of it */
  struct lockstep *lockstep; /* of batches of several runs; NULL before the first one */
  points points;
  char *earlier;          /* folder in which study_create has kept another study; NULL: there was none */
  mbo_run_config *config; /* of the first run file; its [study] and [slurm] determine how runs are done */
} study;

/* Makes the study in the folder, or opens it if the same study exists there. MBD_BAD_INPUT: the folder has another one that has begun,
 * and the plan does not replace it or a process does its runs; or an error of a run file. */
mbd_status study_create(const char *folder, const study_plan *plan, study **out, mbd_error *err);

/* Opens a study. set [nset]: assignments to [study] and [slurm] only, "study.jobs=2". MBD_BAD_INPUT: another
 * assignment; there is no study, or a model, or the table of runs, has changed since it began. */
mbd_status study_open(const char *folder, int nset, const char *const *set, study **out, mbd_error *err);
void study_destroy(study *s);

/* 1: an assignment to [study] or [slurm], on which no result depends. */
int study_is_engine_set(const char *set);

/* Reads study.json, without the configuration, hash and points: for the state of a study whose model may have changed. */
mbd_status study_read(const char *folder, study **out, mbd_error *err);

/* Opens a study whose models may have changed: the hash is that of study.json, and there is no configuration. Runs can be read but not
 * done. */
mbd_status study_open_results(const char *folder, study **out, mbd_error *err);

/* The decision for the runs of the file of these values [ncolumn]; NULL: none. */
const char *study_decided(const study *s, char *const *value);

/* Hash of everything that determines the run whose row was read last. MBD_NO_MEMORY. */
mbd_status study_run_hash(const study *s, unsigned long long *hash, mbd_error *err);

/* Loads the libraries of users' forces that the run files name, before the runs are begun, so that a library that may not be loaded is an error of the
 * study and not of each run. Errors of plugin_list_open. */
mbd_status study_open_plugins(const study *s, mbd_error *err);

/* Checks likewise that programs that are optimizers of the runs may be started. MBD_UNSUPPORTED: one may not; or an error of a run file. */
mbd_status study_check_commands(study *s, mbd_error *err);

/* Value of the column with a role in the row that was read last; NULL: there is no such column. */
const char *study_value(const study *s, study_role role);

/* Copy of run file number i in the folder, in new memory. */
char *study_copy_path(const char *folder, int i);

/* The configuration of a run with these values of the columns [ncolumn]; *start: the number of its start. */
mbd_status study_configure_row(const study *s, char *const *value, mbo_run_config **out, int *start, mbd_error *err);

/* The same of run i, whose row becomes that of s->points. */
mbd_status study_configure(study *s, long i, mbo_run_config **out, int *start, mbd_error *err);

#endif
