/* The results of a study for its figures and its page: counts, reasons of failures, the best runs, and the numbers of
 * as many runs as a figure shows. Memory does not grow with the number of runs, except for an int for each run of a
 * multistart. */
#ifndef MBO_STUDY_DATA_H
#define MBO_STUDY_DATA_H

#include <jansson.h>
#include <time.h>

#include "mechanism/mechanism.h"
#include "results/study_keys.h"
#include "study/compare.h"
#include "study/optima.h"
#include "study/pareto.h"
#include "study/profiles.h"
#include "study/verdict.h"

enum {
  STUDY_ROWS_MAX = 500,      /* of the table of runs */
  STUDY_REASONS_MAX = 30,    /* of failures, of warnings */
  STUDY_QUANTITIES_MAX = 12, /* with figures */
  STUDY_TABLE_MAX = 40       /* columns of the table of runs */
};

typedef enum study_kind { KIND_SWEEP, KIND_MULTISTART, KIND_COMPARE, KIND_PARETO } study_kind;

/* A reason: the texts of failures or warnings that differ in numbers only. */
typedef struct study_reason {
  char *pattern, *text; /* the text of the first one, with and without numbers */
  long n, run;
  char *values; /* values of the first run with this reason: "k_f = 12000, c_f = 3" */
} study_reason;

typedef struct study_reasons {
  int n;
  study_reason *v; /* [n] */
  long more;       /* number of further ones, of other reasons */
} study_reasons;

typedef enum study_quantity_state {
  QUANTITY_VARIES,
  QUANTITY_CONSTANT,    /* the same in all runs that are drawn */
  QUANTITY_IS_OBJECTIVE /* the same numbers as the first quantity */
} study_quantity_state;

/* A quantity that every run has: a column of its record, or the root of the sum of squares of several columns. */
typedef struct study_quantity {
  char *name, *label; /* names for files and for axes */
  char *unit, *axis;  /* "": not known; "LABEL [UNIT]" */
  int n;
  char **column;  /* [n] */
  double *weight; /* [n] */
  study_quantity_state state;
  double value; /* its value if it is constant */
} study_quantity;

/* How a run ended. Runs that violate limits have values and are no results; of those that failed, and of optimizations of a sweep whose design
 * violates limits, all quantities are NaN. */
typedef enum study_outcome { OUTCOME_DONE, OUTCOME_VIOLATES, OUTCOME_FAILED } study_outcome;

typedef struct study_top {
  double f;
  long run;
} study_top;

typedef struct study_data {
  study *s;
  study_kind kind;
  int gradient, optimize; /* 1: this is the task */
  time_t written;         /* time of points.csv: when the study began */
  mechanism *m;           /* mechanism of the first run file; NULL: it has changed or cannot be read, because of */
  mbd_error changed;      /* code MBD_OK otherwise; then: */
  const char *title;      /* of its model; "" */
  int nvariable;          /* its design variables; 0 */
  const char *const *variable;
  const double *start;
  study_keys keys;
  char **key_unit, **key_axis; /* [keys.n] "": not known; "NAME [UNIT]" */
  long done, failed, left;
  long violating; /* of those done: they violate constraints */
  double seconds; /* sum over all runs */
  int ncolumn;
  char **column; /* [ncolumn] of the records */
  study_reasons failures, warnings;
  int ntop;
  study_top *top; /* [ntop] best objectives without violation, best first */
  study_top worst;
  pareto_front front; /* of a front; else empty */
  /* sweep, multistart, pareto */
  int nquantity;
  study_quantity *quantity;
  int more_quantities;
  int nrow;               /* number of runs that are drawn: first those that study_keys_drawn selects, */
  int nregular;           /* which are nregular, then those with the extremes of the quantities and the best one */
  long *run;              /* [nrow] */
  int *category;          /* [nrow] */
  study_outcome *outcome; /* [nrow] */
  double *value;          /* [nrow][keys.n + nquantity] for a key with words, the number of the word */
  struct study_extremes *extremes; /* extremes of the runs read so far; NULL afterwards */
  /* multistart */
  int nx;
  char **x; /* [nx] design variables */
  int nvaried;
  const char **varied; /* [nvaried] keys that the starts take in turn; their numbers follow the variables in `optima` */
  double *x_scale;     /* [2 (nx + nvaried)] their scales, then their periods; NULL without a mechanism */
  optima optima;
  double f_own_start; /* the objective at the run file's own start; NaN: not known */
  int *end_of;        /* [s->n] the id of the optimum where a run ended; -1: none */
  /* compare */
  profiles profiles;
  verdicts verdicts;
  double *best;          /* [nfile][profiles.nbackend] over all starts; NaN: none */
  long *best_run;        /* [nfile][profiles.nbackend] the run that found it; -1: none */
  double *f_start;       /* [nfile] the objective at the problem's own start; NaN: not known */
  double *noise;         /* [nfile] the largest noise of the problem's objective that a run has measured; 0: none has */
  long *from_own;        /* [nfile][profiles.nbackend] the run from the problem's own start; -1: none */
  char **objective;      /* [nfile] label of each axis: "objective [UNIT]"; without a unit if it is not known */
  comparison comparison; /* of a comparison with one problem and one start; n = 0: another study, or no mechanism */
} study_data;

/* MBD_BAD_INPUT: the folder holds no study; MBD_IO_ERROR, MBD_NO_MEMORY, MBD_INTERRUPTED by *stop. If the model has
 * changed, the study is read without its mechanism. */
mbd_status study_data_open(const char *folder, const volatile sig_atomic_t *stop, study_data **out, mbd_error *err);
void study_data_close(study_data *d);

/* *is: 1 if the folder holds a study; if it holds a study and a run, 1 if the study was written later. */
mbd_status study_data_is(const char *folder, int *is, mbd_error *err);

static inline int study_data_width(const study_data *d) {
  return d->keys.n + d->nquantity;
}
static inline const double *study_data_row(const study_data *d, int i) {
  return d->value + (size_t)i * (size_t)study_data_width(d);
}

/* Has the run of row i values of quantities? */
static inline int study_data_has_values(const study_data *d, int i) {
  return d->outcome[i] == OUTCOME_DONE ||
         (d->outcome[i] == OUTCOME_VIOLATES && !(d->kind == KIND_SWEEP && d->optimize));
}

/* Returns 1 if values of a column in runs of a category (-1: all) span more than two decades: then their axes and colours are logarithmic. */
int study_data_reaches_far(const study_data *d, int category, int column);

/* The quantity PREFIX NAME; -1: there is none. */
int study_data_quantity(const study_data *d, const char *prefix, const char *name);

/* The first quantity that varies, which is the objective if that varies; -1: nothing varies. */
int study_data_first_quantity(const study_data *d);

/* The values of the present run of d->s->points, "k_f = 12000, c_f = 3", in new memory; NULL: no memory. */
char *study_data_values(const study *s);

/* For a comparison: the least objective of the optimizers on a problem; NaN: none has any. */
double study_data_best(const study_data *d, int problem);

/* For a comparison: objectives of problem i whose difference is smaller count as equal (study/optima.h). */
double study_data_same(const study_data *d, int problem);

/* The run that the page shows: the best one, of a front the knee, or where it has none its first point. -1: there is none. */
long study_data_shown(const study_data *d);

/* The record of a run, NULL: there is none; d->s->points has the values of the run after this call. */
mbd_status study_data_run(const study_data *d, long run, json_t **o, mbd_error *err);

/* "NAME = VALUE, ..." of the row of a study that was read last, in new memory; NULL: no memory. */
char *study_data_values(const study *s);

#endif
