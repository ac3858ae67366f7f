/* The command line: every line of the input is an argument. What is taken is applied to a run file: the assignments of --set
 * change it, or are refused. */
#include "cli/arguments.h"
#include "cli/cli.h"
#include "fuzz.h"

enum { MAX = 64 };

static const char run_text[] =
    "schema = 1\n[model]\nfile = model.ini\n[scalars]\nn = 2\n[design m]\nlower = 0.1\n[case drop]\n"
    "duration = 1\nstep = 0.01\n[objective speed]\nof = O.velocity\nform = integral_square\n";

static void apply(const cli_arguments *a) {
  const fuzz_file f = fuzz_file_create(run_text, sizeof run_text - 1);
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  if (mbo_run_config_read(f.path, a->nset, a->set, &c, &err) != MBD_OK) {
    promise(*err.text != '\0', "an assignment that is refused", "without a reason");
  }
  mbo_run_config_destroy(c);
  fuzz_file_close(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static FILE *nowhere; /* messages; the fuzzer and the sanitizers have their own way */
  char *text = fuzz_text(data, size), *rest = text, *argv[MAX + 1] = {"mbopt"};
  int argc = 1;
  cli_arguments a;
  while (argc < MAX && rest && *rest) { argv[argc++] = strsep(&rest, "\n"); }
  FILE *terminal = stderr;
  if (!nowhere) { nowhere = fopen("/dev/null", "w"); }
  if (nowhere) { stderr = nowhere; }
  const int code = cli_arguments_read(argc, argv, &a);
  stderr = terminal;
  if (code < 0 && a.nset) { apply(&a); }
  cli_arguments_free(&a);
  free(text);
  return 0;
}
