/* mbopt plot */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "files/atomic_file.h"
#include "files/json.h"
#include "files/memory.h"
#include "report/run_figures.h"
#include "report/study_figures.h"
#include "results/run_view.h"
#include "results/study_folder.h"

/* Figures as files, of a run or of a study. */
typedef struct album {
  const cli_arguments *a;
  figure_format format;
  json_t *taken; /* names of files */
} album;

/* Draws a figure into its file. One without data, for example of failed runs only, is left out with a message. */
static mbd_status draw(const album *b, const json_t *spec, const char *path, mbd_error *err) {
  const mbd_status status = figure_draw(spec, b->format, path, NULL, err);
  if (status == MBD_OK && b->a->verbosity >= 0) { puts(path); }
  if (status != MBD_NOT_FINITE) { return status; }
  fprintf(stderr, "mbopt: %s is left out: %s\n", path, err->text);
  return MBD_OK;
}

/* A figure_sink: finds a file of its own for the figure. The first one that cannot be drawn ends the command; files before it are kept. */
static mbd_status into_file(void *to, json_t *spec, mbd_error *err) {
  album *b = to;
  char *name = NULL, *path = NULL;
  const char *folder = b->a->output ? b->a->output : b->a->file;
  if (spec) { name = figure_file_name(mbd_strdup(json_text_in(spec, "name")), 1); }
  for (int k = 2; name && json_object_get(b->taken, name); k++) { name = figure_file_name(name, k); }
  if (name && json_object_set_new(b->taken, name, json_true()) == 0) {
    path = mbd_sprintf_dup("%s/%s.%s", folder, name, figure_format_name(b->format));
  }
  const mbd_status status = path ? draw(b, spec, path, err) : MEMORY_NONE(err, "a figure");
  free(name), free(path);
  json_decref(spec);
  return status == MBD_OK && cli_stop ? MBD_FAILED(err, MBD_INTERRUPTED, "interrupted") : status;
}

/* whole: 0: the figures of the motions alone. */
static mbd_status plot_folder(album *b, const run_folder *f, int whole, mbd_error *err) {
  run_figures w = {0};
  json_t *view;
  MBD_TRY(run_view_create(f, RUN_VIEW_FIGURES, &view, err));
  mbd_status status = run_figures_open(view, into_file, b, &w, err);
  if (status == MBD_OK) { status = run_figures_all(&w, whole, err); }
  run_figures_close(&w);
  json_decref(view);
  return status;
}

/* Plots the figures of the study and of its best run, if there is one: runs have designs only if they optimize them. */
static mbd_status plot_study(album *b, mbd_error *err) {
  study_data *d = NULL;
  run_folder *f = NULL;
  MBD_TRY(study_data_open(b->a->file, &cli_stop, &d, err));
  const study_drawing w = {d, NULL, into_file, b};
  mbd_status status = study_figures(&w, err);
  if (status == MBD_OK) { status = study_folder_best(d, &f, err); }
  if (f) { status = plot_folder(b, f, d->optimize, err); }
  run_folder_close(f);
  study_data_close(d);
  return status;
}

static mbd_status plot(album *b, mbd_error *err) {
  const cli_arguments *a = b->a;
  run_folder *f = NULL;
  int is_study;
  if (a->format) { MBD_TRY(figure_format_find(a->format, &b->format, err)); }
  MBD_TRY(study_data_is(a->file, &is_study, err));
  if (a->output) { MBD_TRY(make_folder(a->output, err)); }
  if (is_study) { return plot_study(b, err); }
  MBD_TRY(run_folder_open(a->file, &f, err));
  f->m->stop = &cli_stop;
  const mbd_status status = plot_folder(b, f, 1, err);
  run_folder_close(f);
  return status;
}

int command_plot(const cli_arguments *a) {
  mbd_error err = {0};
  album b = {a, FIGURE_SVG, json_object()};
  const mbd_status status = plot(&b, &err);
  json_decref(b.taken);
  return status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, cli_exit_code(status));
}
