/* mbopt plot */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "core/memory.h"
#include "report/atomic_file.h"
#include "report/run_figures.h"

/* One file per figure; a figure that cannot be drawn ends it, the files before it stay. */
static mbd_status write_figures(const cli_arguments *a, const run_figures *v, figure_format format, mbd_error *err) {
  const char *folder = a->output ? a->output : a->file;
  MBD_TRY(make_folder(folder, err));
  for (int i = 0; i < v->n && !cli_stop; i++) {
    char *path = mbd_sprintf_dup("%s/%s.%s", folder, v->figure[i].name, figure_format_name(format));
    figure_target t = {.format = format, .path = path};
    mbd_status status = path ? run_figure_draw(v, i, &t, err)
                             : mbd_fail(err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for a figure");
    if (status == MBD_OK && a->verbosity >= 0) { puts(path); }
    free(path);
    MBD_TRY(status);
  }
  return cli_stop ? mbd_fail(err, MBD_INTERRUPTED, __func__, __LINE__, "interrupted") : MBD_OK;
}

static mbd_status plot(const cli_arguments *a, mbd_error *err) {
  figure_format format = FIGURE_SVG;
  run_folder *f = NULL;
  run_figures v = {0};
  if (a->format) { MBD_TRY(figure_format_find(a->format, &format, err)); }
  MBD_TRY(run_folder_open(a->file, &f, err));
  f->m->stop = &cli_stop;
  mbd_status status = run_figures_create(f, &v, err);
  if (status == MBD_OK) { status = write_figures(a, &v, format, err); }
  run_figures_free(&v);
  run_folder_close(f);
  return status;
}

int command_plot(const cli_arguments *a) {
  mbd_error err = {0};
  const mbd_status status = plot(a, &err);
  return status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, cli_exit_code(status));
}
