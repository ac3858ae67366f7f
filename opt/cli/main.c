#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/streams.h"
#include "files/json.h"
#include "mbd/version.h"
#include "mbo/backend.h"

volatile sig_atomic_t cli_stop;
static volatile sig_atomic_t looks_at_stop; /* the command is one that saves, and its files have been read */

static void end_at_once(void) {
  static const char text[] = "mbopt: interrupted\n";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  _exit(EXIT_INTERRUPTED);
}

/* The second Ctrl-C is not caught any more: it ends the program at once, and what is saved stays whole. */
static void on_signal(int number) {
  if (!looks_at_stop) { end_at_once(); }
  if (number == SIGINT) { signal(SIGINT, SIG_DFL); }
  cli_stop = 1;
}

const char *cli_program(void) {
  static char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  return n > 0 ? path : "mbopt";
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
  if (err->code == MBD_NO_MEMORY) {
    fprintf(stderr, "mbopt: error: out of memory: %s\n", err->text);
    return EXIT_MEMORY;
  }
  fprintf(stderr, "mbopt: error: %s\n", err->text);
  return code;
}

int cli_no_memory(void) {
  fputs("mbopt: error: out of memory\n", stderr);
  return EXIT_MEMORY;
}

int cli_print_json(const json_t *o, int code) {
  char *text = json_memory_dumps(o, JSON_INDENT(2) | JSON_REAL_PRECISION(17), 0);
  if (!text) { return cli_no_memory(); }
  puts(text);
  free(text);
  return code;
}

int cli_exit_code(mbd_status status) {
  switch (status) {
    case MBD_OK: return EXIT_CONVERGED;
    case MBD_NO_ASSEMBLY: return EXIT_MODEL;
    case MBD_INTERRUPTED: return EXIT_INTERRUPTED;
    case MBD_NOT_BUILT_IN: return EXIT_BACKEND;
    case MBD_NO_MEMORY: return EXIT_MEMORY;
    case MBD_BAD_INPUT:
    case MBD_OUT_OF_DOMAIN:
    case MBD_IO_ERROR:
    case MBD_UNSUPPORTED: return EXIT_CONFIGURATION;
    default: return EXIT_START;
  }
}

/* Configuration errors are 3, but a model file's own problems are 4: they come from the mechanism. */
static int open_run(cli_run *r, mbd_error *err) {
  mbd_status status = mbo_run_config_read(r->a->file, r->a->nset, r->a->set, &r->config, err);
  if (status != MBD_OK) { return cli_error(err, EXIT_CONFIGURATION); }
  r->folder = r->a->output ? r->a->output : r->config->output.folder;
  if (r->a->print_config) {
    return mbo_run_config_write(r->config, stdout) == MBD_OK ? EXIT_CONVERGED : cli_no_memory();
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

/* Commands that only list things are left to the signals' usual effect. */
static int run_command(const cli_arguments *a) {
  if (a->command->operands != CLI_NO_OPERAND) { catch_signals(); }
  if (openblas_set_num_threads) { openblas_set_num_threads(1); }
  if (a->command->plain) {
    looks_at_stop = a->command->saves;
    return a->command->plain(a);
  }
  mbd_error err = {0};
  cli_run r = {.a = a};
  int code = open_run(&r, &err);
  if (code < 0) {
    looks_at_stop = a->command->saves;
    code = a->command->run(&r);
  }
  mechanism_destroy(r.m);
  mbo_run_config_destroy(r.config);
  return code;
}

int main(int argc, char **argv) {
  cli_arguments a;
  json_memory_watch();
  int code = cli_arguments_read(argc, argv, &a);
  if (code < 0 && a.help) {
    cli_help(stdout, a.command);
    code = EXIT_CONVERGED;
  } else if (code < 0 && a.version) {
    print_version();
    code = EXIT_CONVERGED;
  } else if (code < 0) {
    code = run_command(&a);
  }
  cli_arguments_free(&a);
  return streams_close(code);
}
