/* The program: reads the arguments, opens the run, calls the command. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>

#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/streams.h"
#include "backend/command.h"
#include "files/atomic_file.h"
#include "files/json.h"
#include "mbd/version.h"
#include "mbo/backend.h"

static void print_version(void) {
  printf("mbopt %s\n", MBD_VERSION);
  mbo_backend_info info;
  for (int i = 0; mbo_backend_at(i, &info); i++) {
    printf("%s %s\n", info.name, info.package ? "not built in" : info.version ? info.version : "part of mbopt");
  }
  printf("jansson %s\ninih %s\n", JANSSON_VERSION, MBO_INIH_VERSION);
}

/* Errors of the configuration have exit code 3, but those of a model file 4, since they come from the mechanism. */
static int open_run(cli_run *r, mbd_error *err) {
  mbd_status status = mbo_run_config_read(r->a->file, r->a->nset, r->a->set, &r->config, err);
  if (status != MBD_OK) { return cli_error(err, EXIT_CONFIGURATION); }
  r->folder = r->a->output ? r->a->output : r->config->output.folder;
  if (r->a->print_config) {
    return mbo_run_config_write(r->config, stdout) == MBD_OK ? EXIT_CONVERGED : cli_no_memory();
  }
  status = mechanism_create(r->config, &r->m, err);
  if (status != MBD_OK) { return cli_error(err, EXIT_CONFIGURATION); }
  if (r->a->verbosity >= 0) { cli_print_plugins(r->m); }
  r->m->stop = &cli_stop;
  r->m->threads = r->a->threads;
  if (r->a->check_config) {
    printf("%s: no errors\n", r->a->file);
    return EXIT_CONVERGED;
  }
  status = r->a->dry_run ? MBD_OK : plugin_list_open(r->m->plugin, r->config->nplugin, err);
  return status == MBD_OK ? -1 : cli_error(err, EXIT_CONFIGURATION);
}

/* Files of results and scripts hold paths in one line each, so every command refuses others. */
static int check_paths(const cli_arguments *a) {
  mbd_error err = {0};
  for (int i = 0; i <= a->nfile; i++) {
    const char *path = i < a->nfile ? a->files[i] : a->output;
    if (path && path_check(path, &err) != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  }
  return -1;
}

/* BLAS uses one thread: results do not depend on the number of threads, and many runs share a machine. The function exists if LAPACK is
 * OpenBLAS. */
extern void openblas_set_num_threads(int n) __attribute__((weak));

typedef struct function { /* the function of a command: one of the two */
  int (*run)(cli_run *r);
  int (*plain)(const cli_arguments *a);
} function;

static const function functions[] = {
#define RUN(command) \
  { .run = command }
#define PLAIN(command) \
  { .plain = command }
#define X(name, how, operands, saves, doc) how(command_##name),
    CLI_COMMANDS(X)
#undef X
};

/* Commands that only list something keep the default action of the signals. */
static int run_command(const cli_arguments *a) {
  const function f = functions[a->command - cli_command_at(0)];
  mbd_error err = {0};
  cli_run r = {.a = a};
  if (a->command->operands != CLI_NO_OPERAND) { cli_catch_signals(); }
  plugin_allow(a->allow_plugins);
  mbo_commands_allow(a->allow_commands), command_allow_text(a->command_text);
  if (a->verbosity >= 0) { plugin_tell(cli_tell_plugin); }
  if (openblas_set_num_threads) { openblas_set_num_threads(1); }
  int code = check_paths(a);
  if (code < 0 && f.run) { code = open_run(&r, &err); }
  if (code < 0) {
    if (a->command->saves) { cli_look_at_stop(); }
    code = f.run ? f.run(&r) : f.plain(a);
    if (r.m && mechanism_asks_for_lanes(r.m) && a->verbosity >= 0) { cli_print_lanes(stderr, mechanism_lanes(r.m)); }
  }
  mechanism_destroy(r.m);
  mbo_run_config_destroy(r.config);
  return code;
}

int main(int argc, char **argv) {
  cli_arguments a;
  signal(SIGXFSZ, SIG_IGN); /* a file beyond the limit of the shell is an error of its writer, as a full disk is */
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
  /* Whatever a command has gone on without, it is not done. */
  if (mbd_memory_lost() && code != EXIT_MEMORY) { code = cli_no_memory(); }
  cli_arguments_free(&a);
  return streams_close(code);
}
