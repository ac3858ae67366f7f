#include "report/gnuplot.h"

#include <string.h>

#include "files/command.h"

mbd_status gnuplot_run(const char *script, char **out, size_t *n, mbd_error *err) {
  static const char *const argv[] = {"gnuplot", "--default-settings", "-", NULL}; /* no ~/.gnuplot of the user */
  command_result r;
  mbd_status status = command_run(argv, script, "gnuplot-nox", &r, err);
  if (status == MBD_UNSUPPORTED) {
    MBD_FAIL(err, status, "figures need the program gnuplot, which is not there: install the package gnuplot-nox");
  }
  MBD_TRY(status);
  /* The message of a failure is the last line of gnuplot's output. gnuplot 6 only warns of a terminal that it does not have. */
  status = command_ok("gnuplot", &r, err);
  if ((status != MBD_OK || r.nout == 0) && strstr(r.text, "terminal type")) {
    status = MBD_FAILED(err, MBD_UNSUPPORTED, "this gnuplot cannot draw the format: install the package gnuplot-nox");
  } else if (status == MBD_OK && r.nout == 0) {
    status = MBD_FAILED(err, MBD_IO_ERROR, "gnuplot drew nothing: %.500s", r.text);
  }
  if (status == MBD_OK) {
    *out = r.out, *n = r.nout;
    r.out = NULL;
  }
  command_result_destroy(&r);
  return status;
}
