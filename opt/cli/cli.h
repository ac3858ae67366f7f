/* The program: arguments, commands, exit codes. */
#ifndef MBO_CLI_H
#define MBO_CLI_H

#include <stdio.h>

#include "evaluate/mechanism.h"
#include "study/valley.h"
#include "mbo/backend.h"

/* Exit codes, as documented by --help. */
enum {
  EXIT_CONVERGED = 0,
  EXIT_USAGE = 2,
  EXIT_CONFIGURATION = 3,
  EXIT_MODEL = 4,
  EXIT_START = 5,
  EXIT_CHECK = 6,
  EXIT_LIMIT = 7,
  EXIT_INFEASIBLE = 8,
  EXIT_BACKEND = 9,
  EXIT_INTERRUPTED = 75
};

typedef struct cli_arguments {
  const char *command, *file, *output;
  int nset, threads; /* threads: 0: as many as the machine has processors */
  const char **set;
  int json, verbosity; /* verbosity: -1 quiet, 0, 1 verbose */
  int check_config, print_config, resume;
  int over_time;        /* of gradient */
  const char *format;   /* of schema */
  const char *backends; /* of compare; NULL: its default */
  const char *in_case;  /* of linearize; NULL: all */
  char budget[64];      /* --max-evaluations as an assignment */
} cli_arguments;

/* What every command on a run file needs. */
typedef struct cli_run {
  const cli_arguments *a;
  mbo_run_config *config;
  mechanism *m;
  const char *folder;
} cli_run;

extern volatile sig_atomic_t cli_stop; /* set by SIGINT, SIGTERM, SIGUSR1: finish the step, save, exit 75 */

int command_optimize(cli_run *r);
int command_compare(cli_run *r);
int command_simulate(cli_run *r);
int command_gradient(cli_run *r);
int command_check(cli_run *r);
int command_linearize(cli_run *r);
int command_model(cli_run *r);
int command_backends(const cli_arguments *a);
int command_schema(const cli_arguments *a);

/* A table of variables: start, x, which bound. The control points of a long curve are one row of it: how many variables the
 * row has that begins with number `first`, its name, and the root of the mean square of n values, which stands for them. */
enum { CLI_NAME = 64 };
void cli_print_design(const mechanism *m, const double *x);
int cli_rows_at(const mechanism *m, int first);
const char *cli_row_name(const mechanism *m, int first, int n, char text[CLI_NAME]);
double cli_rms(const double *v, int n);

/* How the cases are differentiated, and why: one line, or one for each case where they differ. */
void cli_print_choice(FILE *out, const mechanism *m);

/* Where a design may move at little cost: eigenvalues and directions; nothing for an empty one. */
void cli_print_valley(const mbo_problem *p, const valley *v);

/* Print an error on standard error and return the exit code of its status. */
int cli_error(const mbd_error *err, int code);
/* The same for an error of mbo_check or mbo_solve: a backend that is not built in has a code of its own. */
int cli_backend_error(const mbd_error *err, mbd_status status);
int cli_no_objective(const cli_run *r);
/* Settings of the run file's [optimizer] and [native]. Returns the options that *s points to, to be freed; NULL: no
 * memory. */
mbo_option *cli_settings(const cli_run *r, mbo_settings *s);
/* Exit code for a status of a simulation or evaluation. */
int cli_exit_code(mbd_status status);

#endif
