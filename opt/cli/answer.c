/* Ends of commands: errors, exit codes, answers in JSON. */
#include <stdio.h>
#include <stdlib.h>

#include "base/nearest.h"
#include "cli/cli.h"
#include "files/json.h"
#include "mechanism/closing.h"

int cli_error(const mbd_error *err, int code) {
  if (err->code == MBD_NO_MEMORY) {
    fprintf(stderr, "mbopt: error: out of memory: %s\n", err->text);
    return EXIT_MEMORY;
  }
  fprintf(stderr, "mbopt: error: %s\n", err->text);
  return err->code == MBD_NOT_BUILT_IN ? EXIT_BACKEND : code;
}

mbd_status cli_need_case(const cli_run *r, mbd_error *err) {
  if (r->m->ncase > 0) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s: no [case NAME], so that there is no motion; expected one with duration and step",
           r->config->path);
}

int cli_tell_lock(const cli_run *r, mbd_status status, const double *x) {
  mbd_error err = {0};
  char *text = NULL;
  if (status <= 0 || closing_explain(r->m, x, &text, &err) != MBD_OK || !text) { return 0; }
  fprintf(stderr, "mbopt: %s\n", text);
  free(text);
  return 1;
}

int cli_unknown_name(const char *command, const char *name, const char *(*name_at)(int i)) {
  mbd_nearest near = {.requested = name};
  char hint[MBD_HINT];
  mbd_nearest_offer_all(&near, name_at);
  fprintf(stderr, "mbopt: %s: '%s' is not known%s\n`mbopt %s` lists what there is\n", command, name,
          mbd_nearest_text(&near, hint, sizeof hint), command);
  return EXIT_USAGE;
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
