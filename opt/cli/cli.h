/* The program: arguments, commands, exit codes. */
#ifndef MBO_CLI_H
#define MBO_CLI_H

#include <jansson.h>
#include <stdio.h>

#include "cli/commands.h"
#include "fit/fit.h"
#include "mechanism/mechanism.h"
#include "plugin/plugin.h"
#include "results/earlier_run.h"
#include "study/study.h"
#include "study/flat_directions.h"
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
  X(EXIT_OPTIMIZER, 12, "the optimizer failed; the best design until then is written")                \
  X(EXIT_INTERRUPTED, 75, "interrupted, --resume goes on")
enum {
#define X(name, code, doc) name = code,
  CLI_EXITS(X)
#undef X
};

/* The arguments as typed; options that were not given are 0 or NULL. */
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
  int live;                        /* of what takes long, and of report */
  const char *chunk;               /* of work: "K/N"; NULL: all */
  const char *format;              /* NULL: the command's default */
  const char *runs;                /* report: the runs that get pages of their own; NULL: its default */
  int allow_plugins;               /* of all that may compute forces */
  int allow_commands;              /* of all that may optimize */
  const char *optimizer;           /* --command as it was typed; NULL: none */
  char *command_text;              /* the same with absolute paths, in memory of its own */
  const char *type, *task;         /* of new: of an axle or a linkage, and what the linkage is to do */
  const char *points;              /* of new: the table of hard points or of precision points */
  int list;                        /* of new */
  const char *base;                /* of import; NULL: fixed */
  const char *density;             /* of import; NULL: 0 */
  const char *packages;            /* of import; NULL: no other folder than that of the robots */
  int strict;                      /* of import */
  const char *tyre;                /* of import: of a vehicle; NULL: the one that it names */
  const char *derivatives;         /* of plugin; NULL: auto */
  int starts;                      /* of compare, multistart; 0: the number in the run file */
  const char *in_case;             /* of linearize; NULL: all cases */
  const char *vary;                /* of linearize and import; NULL: the run file unchanged, no numbers */
} cli_arguments;

/* The data that every command on a run file needs. */
typedef struct cli_run {
  const cli_arguments *a;
  mbo_run_config *config;
  mechanism *m;
  const char *folder;
  int fits; /* 1: an optimization also prints the statistics of the fit to measurements */
} cli_run;

/* The commands return an exit code. */
#define CLI_DECLARE_RUN(command)           int command(cli_run *r);
#define CLI_DECLARE_PLAIN(command)         int command(const cli_arguments *a);
#define X(name, how, operands, saves, doc) CLI_DECLARE_##how(command_##name)
CLI_COMMANDS(X)
#undef X

extern volatile sig_atomic_t cli_stop; /* set by SIGINT, SIGTERM, SIGUSR1: finish the step, save, exit 75 */
/* From this call on these signals end the program with a message; from cli_look_at_stop on they set cli_stop. */
void cli_catch_signals(void);
void cli_look_at_stop(void);

/* Prints the result of a comparison: over several problems or starts; or of one problem from one start, with *code the exit code, and
 * into the object o unless it is NULL. */
/* A comparison of several problems or starts: as tables and verdicts on standard output, or as members of *o. */
mbd_status cli_tell_comparisons(study *s, json_t *o, mbd_error *err);
mbd_status cli_tell_comparison(const cli_arguments *a, study *s, json_t *o, int *code, mbd_error *err);

/* Tables of variables: start, x, active bounds. The control points of a long curve are one row: the number of variables of the row that
 * begins with number `first`, its name, and the root mean square of n values, which represents them. */
enum { CLI_NAME = 64 };
void cli_print_design(const mechanism *m, const double *x);
int cli_rows_at(const mechanism *m, int first);
const char *cli_row_name(const mechanism *m, int first, int n, char text[CLI_NAME]);
double cli_rms(const double *v, int n);

/* Prints every warning of the last simulations, one per line, unless the user gave --quiet; of: the object of the warnings, "NAME: ", or
 * "". */
void cli_print_warnings(const cli_run *r, const char *of);
/* The same for a list of warnings in JSON; 0: memory ran out. */
int cli_print_warning_list(const json_t *list, const char *of);
/* Prints a number with `width` characters, "-" if it is not finite. */
void cli_print_number(FILE *out, int width, const char *format, double v);

/* Prints how the cases are differentiated, and why: one line, or one for each case if they differ. */
void cli_print_choice(FILE *out, const mechanism *m);

/* Prints how many simulations went in lanes, and how many were repeated. */
void cli_print_lanes(FILE *out, lane_counts c);

/* Prints the plugins that are not loaded since no force refers to them, one per line on standard error. */
void cli_print_plugins(const mechanism *m);
/* Prints a user's force before its library is loaded, each library once (plugin/plugin.h: plugin_teller). */
void cli_tell_plugin(const char *name, const mbd_user_force *u, const char *path);

/* Prints the precision of a fit's estimates, the directions that the data do not determine, and the residuals of each measurement. */
void cli_print_fit(const fit *f);

/* Prints the directions in which the objective hardly changes: eigenvalues and vectors; nothing for none of them. */
void cli_print_flat_directions(const mbo_problem *p, const flat_directions *v);

/* Creates a folder for results. A warning names one that the run file puts outside the working directory and its own folder. */
mbd_status cli_make_folder(const cli_run *r, const char *folder, mbd_error *err);

/* Creates the folder of the results. Earlier results that would be overwritten are kept, with a message. A command that adds its file to
 * others also records there which run file the results belong to; the others write this themselves. */
mbd_status cli_prepare_folder(const cli_run *r, earlier_writer writer, mbd_error *err);
/* Whether --format html is given. */
int cli_requests_page(const cli_arguments *a);
/* Writes a page to a file of this name in the folder of the results, which is created, and prints its path. o: the data, which this call frees,
 * without those of run_view_files. write: a function such as check_page_write. */
typedef mbd_status cli_page_writer(const json_t *o, const char *path, mbd_error *err);
mbd_status cli_write_page(const cli_run *r, const char *name, json_t *o, cli_page_writer *write, mbd_error *err);
/* Prints an error on standard error and returns the exit code: `code`, but EXIT_MEMORY if memory ran out and EXIT_BACKEND if the program
 * was built without a library. */
int cli_error(const mbd_error *err, int code);
/* After the message about a design x that could not be simulated, with its status: prints on standard error whether a kinematic case locks, when, and
 * which changes of variables would close it (mechanism/closing.h). Returns 1 if one does. */
int cli_tell_lock(const cli_run *r, mbd_status status, const double *x);

/* MBD_BAD_INPUT: the run file has no case, so that there is no motion. */
mbd_status cli_need_case(const cli_run *r, mbd_error *err);
/* The same without a message of the function that failed. */
int cli_no_memory(void);
/* Says that a name is none of those that a command lists, with the nearest one of them. */
int cli_unknown_name(const char *command, const char *name, const char *(*name_at)(int i));
/* Prints JSON on standard output, completely or not at all; returns `code`, or EXIT_MEMORY after a message. */
int cli_print_json(const json_t *o, int code);
/* Takes the next number of --runs, `which`, from *at on; at its end *at is empty. words: what it can be else, for the message. MBD_BAD_INPUT. */
mbd_status cli_next_run(const char *which, const char *words, const char **at, long *run, mbd_error *err);
int cli_no_objective(const cli_run *r);
/* Path of this program, for jobs that start it on other machines. */
const char *cli_program(void);
/* Exit code for a status of a simulation or evaluation. */
int cli_exit_code(mbd_status status);

#endif
