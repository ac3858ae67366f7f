/* Opens a run file, minimizes its objective with the optimizer that it names, and shows the best design and its motion.
 *   cc minimize.c $(pkg-config --cflags --libs mbopt) -o minimize && ./minimize configs/five_bar.ini */
#include <mbo/run.h>
#include <stdio.h>

int main(int argc, char **argv) {
  mbo_run *run = NULL;
  mbo_result best = {0};
  mbo_series *motion = NULL;
  mbd_error err = {0};
  if (argc != 2) {
    fprintf(stderr, "usage: %s RUN_FILE\n", argv[0]);
    return 2;
  }
  mbd_status status = mbo_run_open(argv[1], 0, NULL, &run, &err);
  if (status == MBD_OK) { status = mbo_run_minimize(run, NULL, NULL, &best, &err); }
  if (status == MBD_OK) { status = mbo_run_simulate(run, best.x, 0, &motion, &err); }
  if (status == MBD_OK) {
    printf("%s: %g, at the start %g\n", mbo_status_text(best.status), best.f, best.f_start);
    for (int i = 0; i < best.n; i++) { printf("%s = %.9g\n", mbo_run_variable(run, i), best.x[i]); }
    const int rows = mbo_series_rows(motion), columns = mbo_series_columns(motion);
    const double *end = mbo_series_values(motion) + (size_t)(rows - 1) * (size_t)columns;
    for (int j = 0; j < columns; j++) {
      printf("at the end %s = %g %s\n", mbo_series_name(motion, j), end[j], mbo_series_unit(motion, j));
    }
  } else {
    fprintf(stderr, "%s\n", err.text);
  }
  mbo_series_free(motion);
  mbo_result_free(&best);
  mbo_run_close(run);
  return status == MBD_OK ? 0 : 1;
}
