/* The program: arguments, commands, exit codes. */
#ifndef MBO_CLI_H
#define MBO_CLI_H

#include <jansson.h>
#include <stdio.h>

#include "cli/commands.h"
#include "fit/fit.h"
#include "mechanism/mechanism.h"
#include "report/earlier_run.h"
#include "study/study.h"
#include "study/valley.h"
#include "mbo/backend.h"

/* Exit codes, as documented by --help. */
#define CLI_EXITS(X)                                                                                  \
  X(EXIT_CONVERGED, 0, "converged (or done)")                                                         \
  X(EXIT_USAGE, 2, "usage")                                                                           \
  X(EXIT_CONFIGURATION, 3, "configuration; a file or standard output that cannot be read or written") \
  X(EXIT_MODEL, 4, "model or assembly")                                                               \
  X(EXIT_START, 5, "simulation failed at the start")                                                  \
  X(EXIT_CHECK, 6, "check of a gradient or of a force of one's own failed")                           \
  X(EXIT_LIMIT, 7, "stopped at a limit, with a usable result")                                        \
  X(EXIT_INFEASIBLE, 8, "infeasible or stalled")                                                      \
  X(EXIT_BACKEND, 9, "backend or library missing")                                                    \
  X(EXIT_MEMORY, 10, "out of memory")                                                                 \
  X(EXIT_GRADIENT, 11, "stopped, as a gradient deviates from a direct sensitivity")                   \
  X(EXIT_INTERRUPTED, 75, "interrupted, --resume goes on")
enum {
#define X(name, code, doc) name = code,
  CLI_EXITS(X)
#undef X
};

/* What the user typed; options that were not given are 0 or NULL. */
typedef struct cli_arguments {
  const cli_command *command;
  int nfile;
  const char *file, **files; /* operands after the command; file: the first, NULL if there is none */
  const char *output;
  int nset, threads;   /* threads: 0: as many as the machine has processors */
  const char **set;    /* assignments, the caller's own copies */
  int json, verbosity; /* verbosity: -1 quiet, 0, 1 verbose */
  int check_config, print_config, resume, help, version;
  int over_time;                   /* of gradient */
  int retry_failed, dry_run, wait; /* of studies */
  const char *chunk;               /* of work: "K/N"; NULL: all */
  const char *format;              /* NULL: the command's default */
  const char *runs;                /* report: which get pages of their own; NULL: its default */
  int list;                        /* of new */
  const char *base;                /* of import; NULL: fixed */
  const char *derivatives;         /* of plugin; NULL: auto */
  int starts;                      /* of compare, multistart; 0: as the run file says */
  const char *in_case, *vary;      /* of linearize; NULL: all; the run file as it is */
} cli_arguments;

/* What every command on a run file needs. */
typedef struct cli_run {
  const cli_arguments *a;
  mbo_run_config *config;
  mechanism *m;
  const char *folder;
  int fits; /* 1: an optimization is to say what measurements determine */
} cli_run;

/* The commands return an exit code. */
#define CLI_DECLARE_RUN(command)           int command(cli_run *r);
#define CLI_DECLARE_PLAIN(command)         int command(const cli_arguments *a);
#define X(name, how, operands, saves, doc) CLI_DECLARE_##how(command_##name)
CLI_COMMANDS(X)
#undef X

extern volatile sig_atomic_t cli_stop; /* set by SIGINT, SIGTERM, SIGUSR1: finish the step, save, exit 75 */
/* From now on these signals end the program with a word; from cli_look_at_stop on they set cli_stop. */
void cli_catch_signals(void);
void cli_look_at_stop(void);

/* What came out of a comparison: over several problems or starts; of one problem from one start, with *code the exit code, and
 * into the object o, unless that is NULL. */
struct profiles;
void cli_print_profiles(const struct profiles *p);
mbd_status cli_tell_contest(const cli_arguments *a, study *s, json_t *o, int *code, mbd_error *err);
/* A new study in `--output`, or in the folder of results with a suffix: do its runs, merge, say what came out. */
int cli_begin_study(const cli_run *r, const study_plan *plan, const char *suffix);

/* A table of variables: start, x, which bound. The control points of a long curve are one row of it: how many variables the
 * row has that begins with number `first`, its name, and the root of the mean square of n values, which stands for them. */
enum { CLI_NAME = 64 };
void cli_print_design(const mechanism *m, const double *x);
int cli_rows_at(const mechanism *m, int first);
const char *cli_row_name(const mechanism *m, int first, int n, char text[CLI_NAME]);
double cli_rms(const double *v, int n);

/* How the cases are differentiated, and why: one line, or one for each case where they differ. */
/* Every warning of the last simulations, a line each, unless the user wants it quiet; of: what they are of, "NAME: ", or "". */
void cli_print_warnings(const cli_run *r, const char *of);
void cli_print_choice(FILE *out, const mechanism *m);
/* The forces of one's own that are loaded, a line each on standard error. */
void cli_print_plugins(const mechanism *m);

/* How precise the estimates of a fit are, what the data do not determine, and how far each measurement is met. */
void cli_print_fit(const fit *f);

/* Where a design may move at little cost: eigenvalues and directions; nothing for an empty one. */
void cli_print_valley(const mbo_problem *p, const valley *v);

/* Make the folder of the results. Earlier results that would be lost are kept, with a message. A command that adds its file to others
 * also writes there which run file the results are of; the others write that themselves. */
mbd_status cli_prepare_folder(const cli_run *r, earlier_writer writer, mbd_error *err);
/* --format html; the path of the page, the caller's, in the folder of the results, which is there afterwards. */
int cli_wants_page(const cli_arguments *a);
mbd_status cli_page_path(const cli_run *r, const char *name, char **path, mbd_error *err);
/* Print an error on standard error and return the exit code: `code`, but EXIT_MEMORY where memory ran out and EXIT_BACKEND
 * where the program was built without a library. */
int cli_error(const mbd_error *err, int code);

/* MBD_BAD_INPUT: the run file has no case, so that there is no motion. */
mbd_status cli_need_case(const cli_run *r, mbd_error *err);
/* The same where no function told what it wanted memory for. */
int cli_no_memory(void);
/* JSON on standard output, all of it or nothing; returns `code`, or EXIT_MEMORY after a message. */
int cli_print_json(const json_t *o, int code);
int cli_no_objective(const cli_run *r);
/* Settings of the run file's [optimizer] and [native]. Returns the options that *s points to, to be freed; NULL: no
 * memory. */
mbo_option *cli_settings(const cli_run *r, const mbo_problem *p, mbo_settings *s);
/* Path of this program, for jobs that start it elsewhere. */
const char *cli_program(void);
/* Exit code for a status of a simulation or evaluation. */
int cli_exit_code(mbd_status status);

#endif
