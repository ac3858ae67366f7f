/* Prints the gradient of every quantity of a run file by two methods that have no derivative in common.
 *   cc gradient.c $(pkg-config --cflags --libs mbopt) -o gradient && ./gradient configs/five_bar.ini case.swing.duration=1 */
#include <mbo/run.h>
#include <stdio.h>
#include <stdlib.h>

static mbd_status show(mbo_run *run, mbd_error *err) {
  const size_t n = (size_t)mbo_run_variables(run);
  const size_t quantities = (size_t)(mbo_run_objectives(run) + mbo_run_constraints(run));
  double *adjoint = malloc((2 * n * quantities + 1) * sizeof *adjoint), *complex_step = adjoint + n * quantities;
  if (!adjoint) {
    return mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for %zu derivatives", 2 * n * quantities);
  }
  mbd_status status = mbo_run_gradients(run, NULL, "discrete_adjoint", NULL, adjoint, err);
  if (status == MBD_OK) { status = mbo_run_gradients(run, NULL, "complex_step", NULL, complex_step, err); }
  for (size_t i = 0; status == MBD_OK && i < quantities; i++) {
    for (size_t j = 0; j < n; j++) {
      printf("d %s / d %s = %.12g by adjoint, %.12g by complex step\n", mbo_run_quantity(run, (int)i),
             mbo_run_variable(run, (int)j), adjoint[i * n + j], complex_step[i * n + j]);
    }
  }
  free(adjoint);
  return status;
}

int main(int argc, char **argv) {
  mbo_run *run = NULL;
  mbd_error err = {0};
  if (argc < 2) {
    fprintf(stderr, "usage: %s RUN_FILE [SECTION.KEY=VALUE]...\n", argv[0]);
    return 2;
  }
  mbd_status status = mbo_run_open(argv[1], argc - 2, (const char *const *)(argv + 2), &run, &err);
  if (status == MBD_OK) { status = show(run, &err); }
  if (status != MBD_OK) { fprintf(stderr, "%s\n", err.text); }
  mbo_run_close(run);
  return status == MBD_OK ? 0 : 1;
}
