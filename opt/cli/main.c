#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "core/nearest.h"
#include "mbd/version.h"
#include "mbo/backend.h"

volatile sig_atomic_t cli_stop;

static void on_signal(int number) {
  (void)number;
  cli_stop = 1;
}

static const struct {
  const char *name, *doc;
  int (*run)(cli_run *r);               /* commands on a run file */
  int (*plain)(const cli_arguments *a); /* others */
} commands[] = {
    {"optimize", "minimize the objectives of a run file (the default)", command_optimize, NULL},
    {"compare", "run several backends from the same start with the same number of simulations", command_compare, NULL},
    {"simulate", "simulate its cases at the start and write trajectories", command_simulate, NULL},
    {"gradient", "objective values and their gradient at the start", command_gradient, NULL},
    {"check", "judge the gradient: complex step, differences, Taylor test", command_check, NULL},
    {"linearize", "eigenvalues of small motions about the start: frequencies, damping, stability", command_linearize,
     NULL},
    {"model", "explain the mechanism: joints, tree, cuts, constraints, freedoms", command_model, NULL},
    {"backends", "list optimizers and their algorithms", NULL, command_backends},
    {"schema", "list every key of run files and model files", NULL, command_schema},
};

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void print_help(FILE *out) {
  fprintf(out,
          "mbopt %s: optimal design of mechanisms and vehicles with exact gradients\n\n"
          "usage: mbopt [COMMAND] FILE.ini [OPTIONS]\n\ncommands:\n",
          MBD_VERSION);
  for (int i = 0; i < N_COMMANDS; i++) { fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].doc); }
  fprintf(out,
          "\noptions:\n"
          "  --set SECTION.KEY=VALUE       replace a value of the run file (SECTION.NAME.KEY for named sections)\n"
          "  --output DIR                  folder of the results\n"
          "  --max-evaluations N           limit of simulated designs; compare: of every backend\n"
          "  --backends A,B,...            compare: BACKEND, nlopt:ALGORITHM, ipopt:gauss_newton, ipopt:exact; else: "
          "ipopt,\n"
          "                                ipopt:gauss_newton, nlopt:LD_SLSQP, lbfgsb, nlopt:LN_BOBYQA, as they apply\n"
          "  --case NAME                   linearize: of this load case alone\n"
          "  --over-time                   gradient: also of every output at every time, in sensitivities.csv\n"
          "  --threads N                   load cases simulated at once; results do not depend on it\n"
          "  --resume                      optimize: go on from the journal in the folder of the results\n"
          "  --json                        answer in JSON on standard output\n"
          "  --format text|markdown|json   schema: how to print it\n"
          "  --quiet, --verbose            less, or more, on the way\n"
          "  --check-config                read and check all files, do nothing else\n"
          "  --print-config                print the configuration with all defaults\n"
          "  --help, --version\n"
          "\nexit codes:\n"
          "   0 converged (or done)       2 usage                      3 configuration\n"
          "   4 model or assembly         5 simulation failed at the start\n"
          "   6 gradient check failed     7 stopped at a limit, with a usable result\n"
          "   8 infeasible or stalled     9 backend missing           75 interrupted, --resume goes on\n");
}

static void print_version(void) {
  printf("mbopt %s\n", MBD_VERSION);
  mbo_backend_info info;
  for (int i = 0; mbo_backend_at(i, &info); i++) {
    printf("%s %s\n", info.name, info.package ? "not built in" : info.version);
  }
  printf("jansson %s\ninih %s\n", JANSSON_VERSION, MBO_INIH_VERSION);
}

int cli_error(const mbd_error *err, int code) {
  fprintf(stderr, "mbopt: error: %s\n", err->text);
  return code;
}

int cli_exit_code(mbd_status status) {
  switch (status) {
    case MBD_OK: return EXIT_CONVERGED;
    case MBD_NO_ASSEMBLY: return EXIT_MODEL;
    case MBD_INTERRUPTED: return EXIT_INTERRUPTED;
    case MBD_BAD_INPUT:
    case MBD_OUT_OF_DOMAIN:
    case MBD_IO_ERROR:
    case MBD_UNSUPPORTED: return EXIT_CONFIGURATION;
    default: return EXIT_START;
  }
}

/* "mbopt: WHAT 'NAME' SAYS" */
static int usage(const char *what, const char *name, const char *says) {
  fprintf(stderr, "mbopt: %s '%s' %s\ntry 'mbopt --help'\n", what, name, says);
  return EXIT_USAGE;
}

static int not_known(const char *what, const mbd_nearest *near) {
  char hint[96], says[128];
  snprintf(says, sizeof says, "is not known%s", mbd_nearest_text(near, hint, sizeof hint));
  return usage(what, near->wanted, says);
}

static int find_command(const char *name) {
  for (int i = 0; i < N_COMMANDS; i++) {
    if (strcmp(commands[i].name, name) == 0) { return i; }
  }
  return -1;
}

static int looks_like_file(const char *s) {
  return strchr(s, '.') || strchr(s, '/');
}

/* Returns -1 to go on, or an exit code. */
static int parse(int argc, char **argv, cli_arguments *a) {
  static const char *const flags[] = {"--set",     "--output",  "--resume",       "--json",
                                      "--format",  "--quiet",   "--backends",     "--max-evaluations",
                                      "--threads", "--verbose", "--check-config", "--print-config",
                                      "--help",    "--version", "--case",         "--over-time"};
  for (int i = 1; i < argc; i++) {
    const char *s = argv[i];
    int takes = strcmp(s, "--set") == 0 || strcmp(s, "--output") == 0 || strcmp(s, "--format") == 0 ||
                strcmp(s, "--backends") == 0 || strcmp(s, "--max-evaluations") == 0 || strcmp(s, "--threads") == 0 ||
                strcmp(s, "--case") == 0;
    if (takes && i + 1 >= argc) { return usage("option", s, "needs a value"); }
    if (strcmp(s, "--help") == 0 || strcmp(s, "-h") == 0) {
      print_help(stdout);
      return EXIT_CONVERGED;
    } else if (strcmp(s, "--version") == 0) {
      print_version();
      return EXIT_CONVERGED;
    } else if (strcmp(s, "--set") == 0) {
      a->set[a->nset++] = argv[++i];
    } else if (strcmp(s, "--output") == 0) {
      a->output = argv[++i];
    } else if (strcmp(s, "--format") == 0) {
      a->format = argv[++i];
    } else if (strcmp(s, "--backends") == 0) {
      a->backends = argv[++i];
    } else if (strcmp(s, "--case") == 0) {
      a->in_case = argv[++i];
    } else if (strcmp(s, "--max-evaluations") == 0) {
      snprintf(a->budget, sizeof a->budget, "optimizer.max_evaluations=%s", argv[++i]);
      a->set[a->nset++] = a->budget;
    } else if (strcmp(s, "--threads") == 0) {
      char *end;
      const long n = strtol(argv[++i], &end, 10);
      if (*end || n < 1 || n > 1000) {
        return usage("value", argv[i], "of --threads: expected a number from 1 to 1000");
      }
      a->threads = (int)n;
    } else if (strcmp(s, "--json") == 0) {
      a->json = 1;
    } else if (strcmp(s, "--quiet") == 0) {
      a->verbosity = -1;
    } else if (strcmp(s, "--verbose") == 0) {
      a->verbosity = 1;
    } else if (strcmp(s, "--check-config") == 0) {
      a->check_config = 1;
    } else if (strcmp(s, "--print-config") == 0) {
      a->print_config = 1;
    } else if (strcmp(s, "--over-time") == 0) {
      a->over_time = 1;
    } else if (strcmp(s, "--resume") == 0) {
      a->resume = 1;
    } else if (s[0] == '-') {
      mbd_nearest near = {.wanted = s};
      for (size_t k = 0; k < sizeof flags / sizeof flags[0]; k++) { mbd_nearest_offer(&near, flags[k]); }
      return not_known("option", &near);
    } else if (!a->command && !a->file && !looks_like_file(s)) {
      a->command = s;
    } else if (!a->file) {
      a->file = s;
    } else {
      return usage("argument", s, "is one file too many");
    }
  }
  return -1;
}

/* Configuration errors are 3, but a model file's own problems are 4: they come from the mechanism. */
static int open_run(cli_run *r, mbd_error *err) {
  mbd_status status = mbo_run_config_read(r->a->file, r->a->nset, r->a->set, &r->config, err);
  if (status != MBD_OK) { return cli_error(err, EXIT_CONFIGURATION); }
  r->folder = r->a->output ? r->a->output : r->config->output.folder;
  if (r->a->print_config) {
    mbo_run_config_write(r->config, stdout);
    return EXIT_CONVERGED;
  }
  status = mechanism_create(r->config, &r->m, err);
  if (status != MBD_OK) { return cli_error(err, EXIT_CONFIGURATION); }
  r->m->stop = &cli_stop;
  r->m->threads = r->a->threads;
  if (r->a->check_config) {
    printf("%s: no errors\n", r->a->file);
    return EXIT_CONVERGED;
  }
  return -1;
}

/* One thread: results do not depend on their number, and many runs share a machine. Only where LAPACK is OpenBLAS. */
extern void openblas_set_num_threads(int n) __attribute__((weak));

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGUSR1, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

int main(int argc, char **argv) {
  cli_arguments a = {.set = calloc((size_t)argc + 1, sizeof *a.set), .format = "text"};
  mbd_error err = {0};
  int code = a.set ? parse(argc, argv, &a) : EXIT_USAGE;
  if (code < 0 && !a.command) { a.command = "optimize"; }
  int k = code < 0 ? find_command(a.command) : -1;
  if (code < 0 && k < 0) {
    mbd_nearest near = {.wanted = a.command};
    for (int i = 0; i < N_COMMANDS; i++) { mbd_nearest_offer(&near, commands[i].name); }
    code = not_known("command", &near);
  }
  if (code < 0 && commands[k].plain) { code = commands[k].plain(&a); }
  if (code < 0 && a.backends && commands[k].run != command_compare) {
    code = usage("option", "--backends", "belongs to the command compare");
  }
  if (code < 0 && a.in_case && commands[k].run != command_linearize) {
    code = usage("option", "--case", "belongs to the command linearize");
  }
  if (code < 0 && a.over_time && commands[k].run != command_gradient) {
    code = usage("option", "--over-time", "belongs to the command gradient");
  }
  if (code < 0 && !a.file) { code = usage("command", a.command, "needs a run file"); }
  if (code < 0) {
    cli_run r = {.a = &a};
    catch_signals();
    if (openblas_set_num_threads) { openblas_set_num_threads(1); }
    code = open_run(&r, &err);
    if (code < 0) { code = commands[k].run(&r); }
    mechanism_destroy(r.m);
    mbo_run_config_destroy(r.config);
  }
  free(a.set);
  if (fflush(stdout) != 0 && code == 0) { code = EXIT_CONFIGURATION; }
  return code;
}
