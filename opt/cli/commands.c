/* The tables of the command line. */
#include "cli/commands.h"

#include <limits.h>
#include <string.h>

#include "cli/cli.h"
#include "config/config.h"

static const cli_command commands[] = {
#define X(name, how, operands, saves, doc) {#name, operands, saves, doc},
    CLI_COMMANDS(X)
#undef X
};

#define CLI_DOING_RUNS "sweep multistart compare resume"
#define AT(field)      offsetof(cli_arguments, field)

static const cli_option options[] = {
    {"set", "SECTION.KEY=VALUE", CLI_ON_RUN_FILES " resume work",
     "replace a value of the run file (SECTION.NAME.KEY for named sections)", CLI_ASSIGN, 0, 0, NULL},
    {"output", "DIR", NULL, "folder of the results", CLI_TEXT, AT(output), 0, NULL},
    {"output", "FILE", "report", "the page; else FOLDER/report.html", CLI_TEXT, AT(output), 0, NULL},
    {"runs", "N,M,...", "report",
     "runs of a study that get pages of their own, beside that of the study; or all, or none; else the three best and "
     "the worst",
     CLI_TEXT, AT(runs), 0, NULL},
    {"output", "DIR", "plot", "folder of the figures; else FOLDER", CLI_TEXT, AT(output), 0, NULL},
    {"output", "FILE", "plugin", "the library; else FILE.so beside FILE.c", CLI_TEXT, AT(output), 0, NULL},
    {"derivatives", "auto|own|dual|complex_step", "plugin",
     "how derivatives are made; auto: own, where FILE.c has some; else dual, by dual numbers, where it also compiles "
     "as C++; else by complex step, which has no second derivatives",
     CLI_TEXT, AT(derivatives), 0, NULL},
    {"max-evaluations", "N", NULL, "limit of simulated designs; compare: for each backend", CLI_ASSIGN, 0, 0,
     "optimizer.max_evaluations"},
    {"backends", "A,B,...", "compare",
     "BACKEND, nlopt:ALGORITHM, ipopt:gauss_newton, ipopt:exact; else " MBO_COMPARED_BACKENDS
     ", those of them that can solve the problem",
     CLI_ASSIGN, 0, 0, "compare.backends"},
    {"starts", "N", "compare multistart", "number of starts; else starts of [compare] or [multistart]", CLI_COUNT,
     AT(starts), 1000000, NULL},
    {"case", "NAME", "linearize", "linearize this load case alone", CLI_TEXT, AT(in_case), 0, NULL},
    {"vary", "KEY=VALUES", "linearize",
     "linearize for each of these values of a key, written as vary.KEY of [sweep]: 'speed = 1 to 10 in 40'", CLI_TEXT,
     AT(vary), 0, NULL},
    {"over-time", NULL, "gradient",
     "write also derivatives of every output over time to sensitivities.csv, and of kinematic cases those of the "
     "forces by the motion to inverse_dynamics.csv",
     CLI_FLAG, AT(over_time), 1, NULL},
    {"threads", "N", NULL, "load cases simulated at once; results do not depend on it", CLI_COUNT, AT(threads), 1000,
     NULL},
    {"engine", "local|slurm", CLI_DOING_RUNS, "what executes the runs; else engine of [study]", CLI_ASSIGN, 0, 0,
     "study.engine"},
    {"jobs", "N", CLI_DOING_RUNS " work", "number of worker processes; else jobs of [study]", CLI_ASSIGN, 0, 0,
     "study.jobs"},
    {"retry-failed", NULL, "resume work", "repeat the runs that failed", CLI_FLAG, AT(retry_failed), 1, NULL},
    {"dry-run", NULL, CLI_DOING_RUNS, "prepare the study and print what would be done, without any run", CLI_FLAG,
     AT(dry_run), 1, NULL},
    {"wait", NULL, CLI_DOING_RUNS, "end when the cluster has done the runs, not when they are queued", CLI_FLAG,
     AT(wait), 1, NULL},
    {"chunk", "K/N", "work", "part K of N, counted from 0; without it, under an MPI launcher, the part of the rank",
     CLI_TEXT, AT(chunk), 0, NULL},
    {"resume", NULL, "optimize fit", "continue from the journal in the folder of the results", CLI_FLAG, AT(resume), 1,
     NULL},
    {"json", NULL, CLI_ON_RUN_FILES " backends report schema status", "answer in JSON on standard output", CLI_FLAG,
     AT(json), 1, NULL},
    {"format", "text|markdown|json|man", "schema", "how to print it; man: the page mbopt.ini(5)", CLI_TEXT, AT(format),
     0, NULL},
    {"format", "text|dot|svg|html", "model",
     "html: write also a page to read in a browser, model.html in the folder of the results; dot: the graph of bodies "
     "and joints for Graphviz; svg: the graph, drawn",
     CLI_TEXT, AT(format), 0, NULL},
    {"format", "text|html", "check linearize",
     "html: write also a page to read in a browser, check.html or linearize.html in the folder of the results",
     CLI_TEXT, AT(format), 0, NULL},
    {"format", "text|man|bash", "help", "man: the manual page; bash: completion, to be sourced", CLI_TEXT, AT(format),
     0, NULL},
    {"allow-plugins", NULL, CLI_ON_RUN_FILES " resume work merge report plot",
     "load the libraries that [plugin NAME] names, also those that `mbopt plugin` of this user has not built: their "
     "code runs with all rights of the user",
     CLI_FLAG, AT(allow_plugins), 1, NULL},
    {"quiet", NULL, CLI_ON_RUN_FILES " resume work merge report plot",
     "print less; the reason of an exit code other than 0 is still printed", CLI_FLAG, AT(verbosity), -1, NULL},
    {"format", "svg|png|pdf", "plot", "format of the files; else svg", CLI_TEXT, AT(format), 0, NULL},
    {"verbose", NULL, NULL, "print more", CLI_FLAG, AT(verbosity), 1, NULL},
    {"base", "fixed|floating", "import", "whether the root of the robot stands on the ground, the default, or is free",
     CLI_TEXT, AT(base), 0, NULL},
    {"strict", NULL, "import", "refuse a file that causes a warning", CLI_FLAG, AT(strict), 1, NULL},
    {"list", NULL, "new", "list the names, with a line about each", CLI_FLAG, AT(list), 1, NULL},
    {"check-config", NULL, NULL, "read and check all files, and do nothing else", CLI_FLAG, AT(check_config), 1, NULL},
    {"print-config", NULL, NULL, "print the configuration with all defaults", CLI_FLAG, AT(print_config), 1, NULL},
    {"help", NULL, CLI_ON_ALL, "print all commands and options; after a command those that it has; also -h", CLI_FLAG,
     AT(help), 1, NULL},
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

int cli_option_named(const char *name) {
  int i = 0;
  while (strcmp(options[i].name, name) != 0) { i++; }
  return i;
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

int cli_reads_run_file(const cli_command *c) {
  return c->operands == CLI_RUN_FILE || c->operands == CLI_RUN_FILES;
}

int cli_belongs(const cli_option *o, const cli_command *c) {
  const char *list = o->commands ? o->commands : CLI_ON_RUN_FILES;
  const int by_file = cli_reads_run_file(c) && has_word(list, CLI_ON_RUN_FILES);
  return has_word(list, CLI_ON_ALL) || by_file || has_word(list, c->name);
}

int cli_own(const cli_option *o) {
  return o->commands && !has_word(o->commands, CLI_ON_ALL) && !has_word(o->commands, CLI_ON_RUN_FILES);
}

const char *cli_owners(const cli_option *o, char *text, size_t size) {
  size_t n = 0;
  text[0] = '\0';
  for (int i = 0; i < COUNT(commands) && n < size; i++) {
    if (!cli_belongs(o, &commands[i])) { continue; }
    n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", commands[i].name);
  }
  return text;
}

static const struct {
  const char *text, *needed;
  int max;
} kinds[] = {
    [CLI_NO_OPERAND] = {"", NULL, 0},
    [CLI_RUN_FILE] = {"FILE.ini", "a run file", 1},
    [CLI_RUN_FILES] = {"FILE.ini ...", "a run file", INT_MAX},
    [CLI_FOLDER] = {"FOLDER", "a folder", 1},
    [CLI_TEMPLATE] = {"[NAME [FOLDER]]", NULL, 2},
    [CLI_ROBOT] = {"FILE.urdf [FOLDER]", "a URDF file", 2},
    [CLI_SOURCE] = {"FILE.c", "a C file", 1},
};

const char *cli_operands_text(cli_operands operands) {
  return kinds[operands].text;
}

const char *cli_operands_needed(cli_operands operands) {
  return kinds[operands].needed;
}

int cli_operands_max(cli_operands operands) {
  return kinds[operands].max;
}
