/* Tables of the command line: commands, options, exit codes. The parser, the help and the messages use these rows; a new command
 * is a row of CLI_COMMANDS, a new option one of commands.c. A command with the operands CLI_RUN_FILE takes the options of all that open a run,
 * --json among them, which it has to serve. */
#ifndef MBO_CLI_COMMANDS_H
#define MBO_CLI_COMMANDS_H

#include <stddef.h>

/* The commands, in the order of the help: command_NAME, whether it takes an open run (RUN) or the arguments (PLAIN), its operands,
 * whether it finishes its step and saves on a signal (else it ends at once), and its description. */
#define CLI_COMMANDS(X)                                                                                                \
  X(optimize, RUN, CLI_RUN_FILE, 1, "minimize the objectives of a run file (the default)")                             \
  X(fit, RUN, CLI_RUN_FILE, 1,                                                                                         \
    "fit a model to measurements: optimize, then print intervals of the estimates and what the data do not determine") \
  X(compare, RUN, CLI_RUN_FILES, 1,                                                                                    \
    "run several backends from the same starts, on one problem or several, with the same number of simulations")       \
  X(simulate, RUN, CLI_RUN_FILE, 1, "simulate the cases of a run file at its start values and write the motions")      \
  X(gradient, RUN, CLI_RUN_FILE, 1, "print objectives, constraints and their gradients at the start values")           \
  X(check, RUN, CLI_RUN_FILE, 1, "compare the gradient with the complex step, differences and a Taylor test")          \
  X(linearize, RUN, CLI_RUN_FILE, 1,                                                                                   \
    "print eigenvalues of small motions about the start: frequencies, damping, stability")                             \
  X(model, RUN, CLI_RUN_FILE, 0,                                                                                       \
    "explain the mechanism: joints, tree, cuts, constraints, freedoms, natural coordinates, masses, places; "          \
    "draw it where it cannot be assembled")                                                                            \
  X(sweep, RUN, CLI_RUN_FILE, 1, "do many runs over the ranges of values in [sweep] of a run file; which keys matter") \
  X(multistart, RUN, CLI_RUN_FILE, 1, "optimize from many starts, drawn by [multistart] of a run file")                \
  X(pareto, RUN, CLI_RUN_FILE, 1, "compute the front of two or three objectives, which [pareto] of a run file names")  \
  X(resume, PLAIN, CLI_FOLDER, 1, "do the runs of a study that are missing")                                           \
  X(status, PLAIN, CLI_FOLDER, 0, "print how many runs of a study are done, failed, left, and the time that is left")  \
  X(merge, PLAIN, CLI_FOLDER, 0, "write one table of all runs of a study: table.csv and study.sqlite")                 \
  X(work, PLAIN, CLI_FOLDER, 1,                                                                                        \
    "do a part of a study by worker processes on this machine; jobs of a cluster call this")                           \
  X(report, PLAIN, CLI_FOLDERS, 1,                                                                                     \
    "write a page of HTML about the run or study in a folder of results, to read in a browser")                        \
  X(plot, PLAIN, CLI_FOLDER, 1, "write the figures of the page of `report` as files, for papers")                      \
  X(new, PLAIN, CLI_TEMPLATE, 0,                                                                                       \
    "write a model file and a run file with comments, to begin with; without NAME: list them")                         \
  X(parts, PLAIN, CLI_PART, 0,                                                                                         \
    "list the parts of models that [part NAME] takes by `use`: controllers, filters, actuators; with NAME: print it")  \
  X(import, PLAIN, CLI_ROBOT, 0,                                                                                       \
    "write a model file and a run file of a robot in URDF, MJCF or SDFormat, with joints, loops, masses, limits; or "  \
    "of a vehicle of Project Chrono in JSON; or of an axle by a table of hard points in CSV")                          \
  X(export, RUN, CLI_RUN_FILE, 0,                                                                                      \
    "write the mechanism at the design that an optimization has found, or else of the run file, as a robot in URDF "   \
    "or "                                                                                                              \
    "as a table of its joints")                                                                                        \
  X(plugin, PLAIN, CLI_SOURCE, 0,                                                                                      \
    "compile a force of one's own, FILE.c, to a library that run files name in [plugin NAME], and try it")             \
  X(backends, PLAIN, CLI_NO_OPERAND, 0, "list optimizers and their algorithms")                                        \
  X(schema, PLAIN, CLI_NO_OPERAND, 0, "list every key of run files and model files")                                   \
  X(help, PLAIN, CLI_NO_OPERAND, 0, "print the help, the manual page mbopt(1) or a completion script")

/* Operands of a command. */
typedef enum cli_operands {
  CLI_NO_OPERAND,
  CLI_RUN_FILE,
  CLI_RUN_FILES,
  CLI_FOLDER,
  CLI_FOLDERS,
  CLI_TEMPLATE,
  CLI_PART,
  CLI_ROBOT,
  CLI_SOURCE
} cli_operands;

typedef struct cli_operands_info {
  const char *text, *needed; /* "FILE.ini", as in a usage line, "" for none; "a run file", NULL: none */
  int max;
} cli_operands_info;

typedef struct cli_command {
  const char *name;
  cli_operands operands;
  int saves;
  const char *doc;
} cli_command;

typedef enum cli_kind {
  CLI_FLAG,  /* int: `number` is stored */
  CLI_COUNT, /* int, from 1 to `number` */
  CLI_TEXT,  /* const char *: as it is; where `value` is a|b|c, one of these */
  CLI_ASSIGN /* appended to `set`; where there is a `key`: as KEY=VALUE */
} cli_kind;

/* Words in the `commands` of an option, beside names of commands. */
#define CLI_ON_RUN_FILES "RUN_FILE" /* all that read run files */
#define CLI_ON_ALL       "ALL"

/* Several rows may have the same name, for different commands; then all of them take a value, or none does. */
typedef struct cli_option {
  const char *name;     /* without the hyphens */
  const char *value;    /* name of its value; NULL for flags */
  const char *commands; /* the commands that have it, separated by blanks; NULL: CLI_ON_RUN_FILES */
  const char *doc;
  cli_kind kind;
  size_t offset; /* offset in cli_arguments of the field that stores it */
  int number;
  const char *key;
} cli_option;

typedef struct cli_exit {
  int code;
  const char *doc;
} cli_exit;

/* The rows in the order of the help; NULL past the end. */
const cli_command *cli_command_at(int i);
const cli_option *cli_option_at(int i);
const cli_exit *cli_exit_at(int i);

int cli_option_named(const char *name);                /* number of the first row of this name, which must exist */
const cli_command *cli_command_find(const char *name); /* NULL: not known */
int cli_reads_run_file(const cli_command *c);
int cli_belongs(const cli_option *o, const cli_command *c);           /* whether c has the option */
int cli_lists_commands(const cli_option *o);                          /* whether the row lists commands by name */
const char *cli_owners(const cli_option *o, char *text, size_t size); /* the commands of such an option: "a, b"; text */
const cli_operands_info *cli_operands_of(const cli_command *c);

#endif
