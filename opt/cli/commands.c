/* The tables of the command line. */
#include "cli/commands.h"

#include <string.h>

#include "cli/cli.h"

static const cli_command commands[] = {
    {"optimize", CLI_RUN_FILE, "minimize the objectives of a run file (the default)", command_optimize, NULL},
    {"compare", CLI_RUN_FILE, "run several backends from the same start with the same number of simulations",
     command_compare, NULL},
    {"simulate", CLI_RUN_FILE, "simulate its cases at the start and write trajectories", command_simulate, NULL},
    {"gradient", CLI_RUN_FILE, "objective values and their gradient at the start", command_gradient, NULL},
    {"check", CLI_RUN_FILE, "judge the gradient: complex step, differences, Taylor test", command_check, NULL},
    {"linearize", CLI_RUN_FILE, "eigenvalues of small motions about the start: frequencies, damping, stability",
     command_linearize, NULL},
    {"model", CLI_RUN_FILE, "explain the mechanism: joints, tree, cuts, constraints, freedoms", command_model, NULL},
    {"backends", CLI_NO_OPERAND, "list optimizers and their algorithms", NULL, command_backends},
    {"schema", CLI_NO_OPERAND, "list every key of run files and model files", NULL, command_schema},
};

#define AT(field) offsetof(cli_arguments, field)

static const cli_option options[] = {
    {"set", "SECTION.KEY=VALUE", NULL, "replace a value of the run file (SECTION.NAME.KEY for named sections)",
     CLI_ASSIGN, 0, 0, NULL},
    {"output", "DIR", NULL, "folder of the results", CLI_TEXT, AT(output), 0, NULL},
    {"max-evaluations", "N", NULL, "limit of simulated designs; compare: of every backend", CLI_ASSIGN, 0, 0,
     "optimizer.max_evaluations"},
    {"backends", "A,B,...", "compare",
     "BACKEND, nlopt:ALGORITHM, ipopt:gauss_newton, ipopt:exact; else: ipopt, ipopt:gauss_newton, nlopt:LD_SLSQP, "
     "lbfgsb, nlopt:LN_BOBYQA, as they apply",
     CLI_TEXT, AT(backends), 0, NULL},
    {"case", "NAME", "linearize", "of this load case alone", CLI_TEXT, AT(in_case), 0, NULL},
    {"over-time", NULL, "gradient", "also of every output at every time, in sensitivities.csv", CLI_FLAG, AT(over_time),
     1, NULL},
    {"threads", "N", NULL, "load cases simulated at once; results do not depend on it", CLI_COUNT, AT(threads), 1000,
     NULL},
    {"resume", NULL, "optimize", "go on from the journal in the folder of the results", CLI_FLAG, AT(resume), 1, NULL},
    {"json", NULL, CLI_ON_RUN_FILES " backends schema", "answer in JSON on standard output", CLI_FLAG, AT(json), 1,
     NULL},
    {"format", "text|markdown|json", "schema", "how to print it", CLI_TEXT, AT(format), 0, NULL},
    {"quiet", NULL, NULL, "less on the way", CLI_FLAG, AT(verbosity), -1, NULL},
    {"verbose", NULL, NULL, "more on the way", CLI_FLAG, AT(verbosity), 1, NULL},
    {"check-config", NULL, NULL, "read and check all files, do nothing else", CLI_FLAG, AT(check_config), 1, NULL},
    {"print-config", NULL, NULL, "print the configuration with all defaults", CLI_FLAG, AT(print_config), 1, NULL},
    {"help", NULL, CLI_ON_ALL, "print this, after a command its own options; also -h", CLI_FLAG, AT(help), 1, NULL},
    {"version", NULL, CLI_ON_ALL, "print the version of mbopt and of what it is built with", CLI_FLAG, AT(version), 1,
     NULL},
};

static const cli_exit exits[] = {
#define X(name, code, doc) {code, doc},
    CLI_EXITS(X)
#undef X
};

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

const cli_command *cli_command_at(int i) {
  return i < COUNT(commands) ? &commands[i] : NULL;
}

const cli_option *cli_option_at(int i) {
  return i < COUNT(options) ? &options[i] : NULL;
}

const cli_exit *cli_exit_at(int i) {
  return i < COUNT(exits) ? &exits[i] : NULL;
}

const cli_command *cli_command_find(const char *name) {
  for (int i = 0; i < COUNT(commands); i++) {
    if (strcmp(commands[i].name, name) == 0) { return &commands[i]; }
  }
  return NULL;
}

/* Whether the word is one of the words of the list. */
static int has_word(const char *list, const char *word) {
  const size_t length = strlen(word);
  for (const char *s = list; *s; s += strspn(s, " ")) {
    const size_t n = strcspn(s, " ");
    if (n == length && strncmp(s, word, n) == 0) { return 1; }
    s += n;
  }
  return 0;
}

int cli_belongs(const cli_option *o, const cli_command *c) {
  const char *list = o->commands ? o->commands : CLI_ON_RUN_FILES;
  const int reads = c->operands == CLI_RUN_FILE || c->operands == CLI_RUN_FILES;
  return has_word(list, CLI_ON_ALL) || (reads && has_word(list, CLI_ON_RUN_FILES)) || has_word(list, c->name);
}

int cli_own(const cli_option *o) {
  return o->commands && !has_word(o->commands, CLI_ON_ALL) && !has_word(o->commands, CLI_ON_RUN_FILES);
}

const char *cli_operands_text(cli_operands operands) {
  static const char *const texts[] = {"", "FILE.ini", "FILE.ini ...", "FOLDER"};
  return texts[operands];
}

const char *cli_operands_needed(cli_operands operands) {
  static const char *const needs[] = {NULL, "a run file", "a run file", "a folder"};
  return needs[operands];
}
