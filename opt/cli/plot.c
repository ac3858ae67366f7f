/* mbopt plot */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "base/memory.h"
#include "files/atomic_file.h"
#include "report/run_figures.h"
#include "report/study_folder.h"
#include "report/study_figures.h"

/* Figures as files, of a run or of a study. */
typedef struct album {
  const cli_arguments *a;
  figure_format format;
} album;

/* The file of one figure, or the reason why there is none; NULL: no memory. */
static char *open_target(const album *b, const char *name, figure_target *t) {
  char *path =
      mbd_sprintf_dup("%s/%s.%s", b->a->output ? b->a->output : b->a->file, name, figure_format_name(b->format));
  *t = (figure_target){.format = b->format, .path = path};
  return path;
}

/* A figure without data, for example of failed runs only, is left out with a message. */
static mbd_status close_target(const album *b, char *path, mbd_status status, mbd_error *err) {
  if (!path) { status = MBD_FAILED(err, MBD_NO_MEMORY, "no memory for a figure"); }
  if (status == MBD_OK && b->a->verbosity >= 0) { puts(path); }
  if (status == MBD_NOT_FINITE) {
    fprintf(stderr, "mbopt: %s is left out: %s\n", path, err->text);
    status = MBD_OK;
  }
  free(path);
  return status == MBD_OK && cli_stop ? MBD_FAILED(err, MBD_INTERRUPTED, "interrupted") : status;
}

/* Writes the figures from number `first` on. The first one that cannot be drawn ends the command; files before it are kept. */
static mbd_status write_figures(const album *b, const figure_list *l, int first, mbd_error *err) {
  for (int i = 0; i < l->n; i++) {
    figure_target t;
    if (l->item[i].part < first) { continue; }
    char *path = open_target(b, l->item[i].name, &t);
    MBD_TRY(close_target(b, path, path ? figure_list_draw(l, i, &t, err) : MBD_OK, err));
  }
  return MBD_OK;
}

static mbd_status plot_run(const album *b, mbd_error *err) {
  run_folder *f = NULL;
  run_figures v = {0};
  MBD_TRY(run_folder_open(b->a->file, &f, err));
  f->m->stop = &cli_stop;
  mbd_status status = run_figures_create(f, 0, &v, err);
  if (status == MBD_OK) { status = write_figures(b, &v.list, 0, err); }
  run_figures_free(&v);
  run_folder_close(f);
  return status;
}

/* Plots the figures of the best run, too, if there is one: runs have designs only if they optimize them. */
static mbd_status plot_best(const album *b, const study_data *d, mbd_error *err) {
  run_folder *f = NULL;
  run_figures v = {0};
  MBD_TRY(study_folder_best(d, &f, err));
  mbd_status status = f ? run_figures_create(f, 0, &v, err) : MBD_OK;
  if (status == MBD_OK) { status = write_figures(b, &v.list, d->optimize ? 0 : RUN_PART_HISTORY, err); }
  run_figures_free(&v);
  run_folder_close(f);
  return status;
}

static mbd_status plot_study(const album *b, mbd_error *err) {
  study_data *d = NULL;
  study_figures figures = {0};
  MBD_TRY(study_data_open(b->a->file, &cli_stop, &d, err));
  mbd_status status = study_figures_create(d, &figures, err);
  if (status == MBD_OK) { status = write_figures(b, &figures.list, 0, err); }
  if (status == MBD_OK) { status = plot_best(b, d, err); }
  study_figures_free(&figures);
  study_data_close(d);
  return status;
}

static mbd_status plot(const cli_arguments *a, mbd_error *err) {
  album b = {a, FIGURE_SVG};
  if (a->format) { MBD_TRY(figure_format_find(a->format, &b.format, err)); }
  int is_study;
  MBD_TRY(study_data_is(a->file, &is_study, err));
  if (a->output) { MBD_TRY(make_folder(a->output, err)); }
  return is_study ? plot_study(&b, err) : plot_run(&b, err);
}

int command_plot(const cli_arguments *a) {
  mbd_error err = {0};
  const mbd_status status = plot(a, &err);
  return status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, cli_exit_code(status));
}
