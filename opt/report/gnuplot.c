#include "report/gnuplot.h"

#include <string.h>

#include "files/command.h"

/* Makes the message of a failure from the last line of gnuplot's output. gnuplot 6 only warns of a terminal that it does not have. */
static mbd_status judge(const command_result *r, mbd_error *err) {
  const mbd_status status = command_ok("gnuplot", r, err);
  if ((status != MBD_OK || r->nout == 0) && strstr(r->text, "terminal type")) {
    MBD_FAIL(err, MBD_UNSUPPORTED, "this gnuplot cannot draw the format: install the package gnuplot-nox");
  }
  if (status == MBD_OK && r->nout == 0) { MBD_FAIL(err, MBD_IO_ERROR, "gnuplot drew nothing: %.500s", r->text); }
  return status;
}

mbd_status gnuplot_run(const char *script, char **out, size_t *n, mbd_error *err) {
  static const char *const argv[] = {"gnuplot", "--default-settings", "-", NULL}; /* no ~/.gnuplot of the user */
  command_result r;
  mbd_status status = command_run(argv, script, "gnuplot-nox", &r, err);
  if (status == MBD_UNSUPPORTED) {
    MBD_FAIL(err, status, "figures need the program gnuplot, which is not there: install the package gnuplot-nox");
  }
  MBD_TRY(status);
  status = judge(&r, err);
  if (status == MBD_OK) {
    *out = r.out, *n = r.nout;
    r.out = NULL;
  }
  command_result_destroy(&r);
  return status;
}
