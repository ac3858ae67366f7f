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

#define CLI_DOING_RUNS "sweep multistart pareto compare resume"
#define CLI_OPTIMIZING "optimize fit " CLI_DOING_RUNS
/* How an option is stored in cli_arguments. */
#define TEXT(field)             .kind = CLI_TEXT, .offset = offsetof(cli_arguments, field)
#define FLAG(field, value_)     .kind = CLI_FLAG, .offset = offsetof(cli_arguments, field), .number = (value_)
#define COUNT_TO(field, value_) .kind = CLI_COUNT, .offset = offsetof(cli_arguments, field), .number = (value_)
#define ASSIGN(key_)            .kind = CLI_ASSIGN, .key = (key_)

static const cli_option options[] = {
    {"set", "SECTION.KEY=VALUE", CLI_ON_RUN_FILES " resume work",
     "replace a value of the run file (SECTION.NAME.KEY for named sections, SECTION.NAME{i}.KEY for all of a repeated "
     "one); an empty VALUE leaves the key out, as if the file did not have it",
     ASSIGN(NULL)},
    {"output", "DIR", NULL, "folder of the results", TEXT(output)},
    {"output", "FILE", "report", "the page; else FOLDER/report.html; of several runs it is needed", TEXT(output)},
    {"runs", "N,M,...", "report",
     "runs of a study that get pages of their own, beside that of the study; or all, or none; else the three best and "
     "the worst; of a front its efficient points",
     TEXT(runs)},
    {"runs", "N,M,...", "status",
     "print the records of these runs in JSON: values, results, warnings, evaluations; with --print-config the run "
     "file of each, with which it can be done by itself",
     TEXT(runs)},
    {"format", "urdf|mjcf|svg|csv", "export",
     "urdf, mjcf: links, joints, loops, masses; svg: a picture of the start; csv: places and axes of the joints there, "
     "for [table NAME]",
     TEXT(format)},
    {"output", "DIR", "plot", "folder of the figures; else FOLDER", TEXT(output)},
    {"output", "FILE", "plugin", "the library; else FILE.so beside FILE.c", TEXT(output)},
    {"derivatives", "auto|own|dual|complex_step", "plugin",
     "how derivatives are made; auto: own, where FILE.c has some; else dual, by dual numbers, where it also compiles "
     "as C++; else by complex step, which has no second derivatives",
     TEXT(derivatives)},
    {"max-evaluations", "N", NULL, "limit of simulated designs; compare: for each backend",
     ASSIGN("optimizer.max_evaluations")},
    {"backends", "A,B,...", "compare",
     "BACKEND, nlopt:ALGORITHM, ipopt:gauss_newton, ipopt:exact, 'command:PROGRAM ARGUMENTS'; "
     "else " MBO_COMPARED_BACKENDS ", without those that cannot solve the problem; A or B: the first of them that can",
     ASSIGN("compare.backends")},
    {"starts", "N", "compare multistart", "number of starts; else starts of [compare] or [multistart]",
     COUNT_TO(starts, 1000000)},
    {"points", "N", "pareto", "number of points; else points of [pareto]", ASSIGN("pareto.points")},
    {"objectives", "A,B,...", "pareto", "objectives of the front; else those of [pareto]", ASSIGN("pareto.objectives")},
    {"case", "NAME", "linearize", "linearize this load case alone", TEXT(in_case)},
    {"vary", "KEY=VALUES", "linearize",
     "linearize for each of these values of a key, written as vary.KEY of [sweep]: 'speed = 1 to 10 in 40'",
     TEXT(vary)},
    {"over-time", NULL, "gradient",
     "write also derivatives of every output over time to sensitivities.csv, and of kinematic cases those of the "
     "forces by the motion to inverse_dynamics.csv",
     FLAG(over_time, 1)},
    {"threads", "N", NULL, "load cases simulated at once; results do not depend on it", COUNT_TO(threads, 1000)},
    {"lanes", "N", "sweep multistart", "runs that a core does at once, 1, 2, 4 or 8; else lanes of [study]",
     ASSIGN("study.lanes")},
    {"engine", "local|slurm", CLI_DOING_RUNS, "what executes the runs; else engine of [study]", ASSIGN("study.engine")},
    {"jobs", "N", CLI_DOING_RUNS " work", "number of worker processes; else jobs of [study]", ASSIGN("study.jobs")},
    {"retry-failed", NULL, "resume work", "repeat the runs that failed", FLAG(retry_failed, 1)},
    {"dry-run", NULL, CLI_DOING_RUNS, "prepare the study and print what would be done, without any run",
     FLAG(dry_run, 1)},
    {"wait", NULL, CLI_DOING_RUNS, "end when the cluster has done the runs, not when they are queued", FLAG(wait, 1)},
    {"live", NULL, CLI_OPTIMIZING " report",
     "write FOLDER/report.html at once and anew every few seconds while the work goes on, for a browser that shows it: "
     "the page loads itself again; report: of a study, whoever does its runs, until none is left; of a run a page that "
     "holds the engine of scripts/web, in which the reader moves the design",
     FLAG(live, 1)},
    {"chunk", "K/N", "work", "part K of N, counted from 0; without it, under an MPI launcher, the part of the rank",
     TEXT(chunk)},
    {"resume", NULL, "optimize fit", "continue from the journal in the folder of the results", FLAG(resume, 1)},
    {"json", NULL, CLI_ON_RUN_FILES " backends report schema status", "answer in JSON on standard output",
     FLAG(json, 1)},
    {"format", "text|markdown|json|man", "schema", "how to print it; man: the page mbopt.ini(5)", TEXT(format)},
    {"format", "text|dot|svg|html", "model",
     "html: write also a page to read in a browser, model.html in the folder of the results; dot: the graph of bodies "
     "and joints for Graphviz; svg: the graph, drawn",
     TEXT(format)},
    {"format", "text|html", "check linearize",
     "html: write also a page to read in a browser, check.html or linearize.html in the folder of the results",
     TEXT(format)},
    {"format", "text|man|bash", "help", "man: the manual page; bash: completion, to be sourced", TEXT(format)},
    {"allow-plugins", NULL, CLI_ON_RUN_FILES " resume work merge report plot",
     "load the libraries that [plugin NAME] names, also those that `mbopt plugin` of this user has not built: their "
     "code runs with all rights of the user",
     FLAG(allow_plugins, 1)},
    {"command", "'PROGRAM ARGUMENTS'", CLI_OPTIMIZING " work",
     "the optimizer is this program, which is allowed to run: [optimizer] backend = command. Words that name a file "
     "are "
     "taken from the working directory. compare: the optimizer that its list calls `command`; resume, work: it is "
     "allowed",
     TEXT(optimizer)},
    {"allow-commands", NULL, CLI_OPTIMIZING " work",
     "start whatever program [optimizer] command names: it runs with all rights of the user", FLAG(allow_commands, 1)},
    {"quiet", NULL, CLI_ON_RUN_FILES " resume work merge report plot",
     "print less; the reason of an exit code other than 0 is still printed", FLAG(verbosity, -1)},
    {"format", "svg|png|pdf", "plot", "format of the files; else svg", TEXT(format)},
    {"verbose", NULL, NULL, "print more", FLAG(verbosity, 1)},
    {"base", "fixed|floating", "import", "whether the root of the robot stands on the ground, the default, or is free",
     TEXT(base)},
    {"vary", "KIND,...", "import",
     "offer these numbers of the robot as variables: lengths (distances of joints along their links) or joints (their "
     "places), masses (a factor of mass and inertia of each link), sizes (of links, with their masses), springs, "
     "dampers, "
     "rotors",
     TEXT(vary)},
    {"tyre", "FILE", "import",
     "of a vehicle of Project Chrono: the tyre of all its wheels, a property file (.tir) or a tyre in JSON",
     TEXT(tyre)},
    {"packages", "DIR", "import",
     "where meshes for pictures may be, beside the folder of the robot or the one that is given: "
     "package://PACKAGE/PATH "
     "is DIR/PACKAGE/PATH",
     TEXT(packages)},
    {"density", "RHO", "import",
     "kg/m^3 of links without mass that have shapes, whose volumes and those of meshes give mass and inertia; else "
     "they "
     "stay without",
     TEXT(density)},
    {"strict", NULL, "import", "refuse a file that causes a warning", FLAG(strict, 1)},
    {"type", "TYPE", "new",
     "of an axle or a linkage: `mbopt new kc_axle --type macpherson` is `mbopt new kc_axle_macpherson`; `mbopt new "
     "kc_axle` and `mbopt new linkage` list their types",
     TEXT(type)},
    {"task", "path|motion|function|dwell", "new",
     "of a linkage: `mbopt new linkage --type four_bar --task path` is `mbopt new linkage_four_bar_path`", TEXT(task)},
    {"points", "FILE.csv", "new",
     "of an axle: its hard points are in this table, whose lines below `name, x, y, z` give their places in mm; of a "
     "linkage: its points, in columns x, y of a path in m, x, y, angle of a motion, input, output of a function, "
     "angles "
     "in degrees; semicolons between cells and decimal commas are possible",
     TEXT(points)},
    {"list", NULL, "new", "list the names, with a line about each", FLAG(list, 1)},
    {"check-config", NULL, NULL, "read and check all files, and do nothing else", FLAG(check_config, 1)},
    {"print-config", NULL, NULL, "print the configuration with all defaults", FLAG(print_config, 1)},
    {"print-config", NULL, "status", "with --runs: print the run files of these runs", FLAG(print_config, 1)},
    {"help", NULL, CLI_ON_ALL, "print all commands and options; after a command those that it has; also -h",
     FLAG(help, 1)},
    {"version", NULL, CLI_ON_ALL, "print the version of mbopt and of what it is built with", FLAG(version, 1)},
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

int cli_lists_commands(const cli_option *o) {
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

static const cli_operands_info operands[] = {
    [CLI_NO_OPERAND] = {"", NULL, 0},
    [CLI_RUN_FILE] = {"FILE.ini", "a run file", 1},
    [CLI_RUN_FILES] = {"FILE.ini ...", "a run file", INT_MAX},
    [CLI_FOLDER] = {"FOLDER", "a folder", 1},
    [CLI_FOLDERS] = {"FOLDER ...", "a folder", INT_MAX},
    [CLI_TEMPLATE] = {"[NAME [FOLDER]]", NULL, 2},
    [CLI_PART] = {"[NAME]", NULL, 1},
    [CLI_ROBOT] = {"FILE ... [FOLDER]",
                   "a URDF, MJCF or SDFormat file, a vehicle of Project Chrono, or a table of hard points", INT_MAX},
    [CLI_SOURCE] = {"FILE.c", "a C file", 1},
};

const cli_operands_info *cli_operands_of(const cli_command *c) {
  return &operands[c->operands];
}
