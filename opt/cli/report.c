/* mbopt report */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "base/memory.h"
#include "files/atomic_file.h"
#include "report/run_page.h"
#include "report/study_page.h"
#include "report/study_pages.h"

static mbd_status report_study(const cli_arguments *a, const char *path, mbd_error *err) {
  study_data *d = NULL;
  MBD_TRY(study_data_open(a->file, &cli_stop, &d, err));
  mbd_status status = study_pages_write(d, path, a->runs, err);
  if (status == MBD_OK) { status = study_page_write(d, path, err); }
  study_data_close(d);
  return status;
}

static mbd_status report(const cli_arguments *a, const char *path, mbd_error *err) {
  run_folder *f = NULL;
  int is_study;
  MBD_TRY(study_data_is(a->file, &is_study, err));
  if (is_study) { return report_study(a, path, err); }
  if (a->runs) { MBD_FAIL(err, MBD_BAD_INPUT, "--runs is for studies; %s is the folder of one run", a->file); }
  MBD_TRY(run_folder_open(a->file, &f, err));
  f->m->stop = &cli_stop;
  const mbd_status status = run_page_write(f, path, err);
  run_folder_close(f);
  return status;
}

int command_report(const cli_arguments *a) {
  mbd_error err = {0};
  char *path = a->output ? mbd_strdup(a->output) : path_in(a->file, "report.html");
  const mbd_status status = path ? report(a, path, &err) : MBD_FAILED(&err, MBD_NO_MEMORY, "no memory for the report");
  if (status == MBD_OK && a->verbosity >= 0) { puts(path); }
  free(path);
  return status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, cli_exit_code(status));
}
