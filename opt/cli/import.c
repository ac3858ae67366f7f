/* mbopt import: robots in URDF, MJCF or SDFormat, and vehicles of Project Chrono, tables of hard points, each as a model file and a run file. */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/import_list.h"
#include "cli/new_files.h"
#include "config/expr.h"
#include "cli/new_points.h"
#include "files/memory.h"
#include "files/plural.h"
#include "files/text_stream.h"
#include "import/chrono.h"
#include "import/import.h"
#include "import/robot_shape.h"
#include "import/robot_vary.h"

/* Writes both files of the robot, which have the name of its own file without folder and extension. */
static int write_files(const cli_arguments *a, const import_item *item, const robot *r, mbd_error *err) {
  const robot_base base = a->base && strcmp(a->base, "floating") == 0 ? ROBOT_BASE_FLOATING : ROBOT_BASE_FIXED;
  char *name = import_stem_of(item->file);
  char *model_file = name ? mbd_sprintf_dup("%s_model.ini", name) : NULL;
  const int joints = r->njoint - r->nclosing;
  char *about = mbd_sprintf_dup("%d link%s, %d joint%s", r->nlink, plural(r->nlink), joints, plural(joints));
  if (about && r->nclosing) {
    char *tree = about;
    about = mbd_sprintf_dup("%s, and %d that close%s loops", tree, r->nclosing, r->nclosing == 1 ? "s" : "");
    free(tree);
  }
  text_stream s;
  /* The texts. The run file names the model file, which is in the same folder. */
  if (text_begin(&s)) { robot_write_model(r, base, s.out); }
  char *model = text_end(&s);
  if (text_begin(&s) && model_file) { robot_write_run(r, base, model_file, s.out); }
  char *run = text_end(&s);
  const cli_new_files files = {.folder = item->folder,
                               .name = name,
                               .model = model,
                               .run = run,
                               .about_model = about,
                               .about_run = "motions of its joints between their limits"};
  const int whole = model_file && about && model && run;
  if (!whole) { (void)MEMORY_NONE(err, "%s", item->file); }
  const int code = whole ? cli_write_new_files(&files) : cli_error(err, EXIT_CONFIGURATION);
  free(name), free(model_file), free(about), free(model), free(run);
  return code;
}

/* A vehicle, in JSON. */
static int import_vehicle(const cli_arguments *a, const import_item *item) {
  mbd_error err = {0};
  chrono_model m = {.model = NULL};
  char *name = import_stem_of(item->file);
  mbd_status status = name ? chrono_import(item->file, a->tyre, name, &m, &err) : MEMORY_NONE(&err, "%s", item->file);
  for (int i = 0; i < m.nwarning && status == MBD_OK; i++) { fprintf(stderr, "mbopt: warning: %s\n", m.warning[i]); }
  if (status == MBD_OK && a->strict && m.nwarning) {
    status = MBD_FAILED(&err, MBD_BAD_INPUT, "%s: refused because of its warnings, by --strict", item->file);
  }
  const cli_new_files files = {.folder = item->folder,
                               .name = name,
                               .model = m.model,
                               .run = m.run,
                               .nmore = m.nname,
                               .more_name = m.name,
                               .more_text = m.text,
                               .read = 1,
                               .about_model = m.about,
                               .about_run = "at rest, over the travel of its wheels, in a turn"};
  const int code = status == MBD_OK ? cli_write_new_files(&files) : cli_error(&err, EXIT_CONFIGURATION);
  chrono_model_free(&m), free(name);
  return code;
}

/* A table of hard points, as an axle. */
static int import_points(const import_item *item) {
  mbd_error err = {0};
  const cli_template *t;
  const mbd_status status = cli_template_of_points(item->file, cli_template_at, &t, &err);
  return status == MBD_OK ? cli_write_template(t, item->folder, item->file) : cli_error(&err, EXIT_CONFIGURATION);
}

/* Options of one kind of files are not passed over silently with another one. */
static mbd_status check_options(const cli_arguments *a, const char *file, int is_vehicle, int is_robot,
                                mbd_error *err) {
  const char *option = !is_vehicle && a->tyre     ? "--tyre"
                       : !is_robot && a->base     ? "--base"
                       : !is_robot && a->vary     ? "--vary"
                       : !is_robot && a->packages ? "--packages"
                       : !is_robot && a->density  ? "--density"
                                                  : NULL;
  if (!option) { return MBD_OK; }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s: %s is an option of %s", file, option,
           a->tyre && !is_vehicle ? "vehicles" : "robots");
}

static int has_mass(const robot *r) {
  double mass = 0;
  for (int i = 0; i < r->nlink; i++) { mass += r->link[i].mass; }
  return mass > 0;
}

static int import_one(const cli_arguments *a, const import_item *item, unsigned vary, double density) {
  const char *dot = strrchr(item->file, '.');
  const int is_table = dot && strcmp(dot, ".csv") == 0, is_vehicle = dot && strcmp(dot, ".json") == 0;
  mbd_error options = {0};
  if (check_options(a, item->file, is_vehicle, !is_table && !is_vehicle, &options) != MBD_OK) {
    return cli_error(&options, EXIT_USAGE);
  }
  if (is_table) { return import_points(item); }
  if (is_vehicle) { return import_vehicle(a, item); }
  mbd_error err = {0};
  robot r;
  const robot_folders folders = {.root = item->root, .packages = a->packages, .out = item->folder, .density = density};
  mbd_status status = import_read(item->file, &r, &err);
  if (status == MBD_OK) { status = robot_find_meshes(&r, &folders, &err); }
  for (int i = 0; i < r.nwarning && status == MBD_OK; i++) {
    const robot_warning *w = &r.warning[i];
    fprintf(stderr, "mbopt: warning: %s", w->text);
    if (w->more) { fprintf(stderr, ", here and in %d place%s more", w->more, plural(w->more)); }
    fputc('\n', stderr);
  }
  if (status == MBD_OK && r.note) { fprintf(stderr, "mbopt: note: %s\n", r.note); }
  if (status == MBD_OK && !has_mass(&r)) {
    fprintf(stderr,
            "mbopt: note: %s: no link has a mass, so no motion takes a force; --density gives links the masses of "
            "their shapes, and masses can be "
            "written into the model file, with forces that act on it\n",
            item->file);
  }
  if (status == MBD_OK && a->strict && r.nwarning) {
    status = MBD_FAILED(&err, MBD_BAD_INPUT, "%s: refused because of its warnings, by --strict", item->file);
  }
  if (status == MBD_OK && r.grounded && a->base && strcmp(a->base, "floating") == 0) {
    status = MBD_FAILED(&err, MBD_BAD_INPUT, "%s says by its joints which bodies are free, expected no --base floating",
                        item->file);
  }
  r.vary = vary;
  const int code = status == MBD_OK ? write_files(a, item, &r, &err) : cli_error(&err, EXIT_CONFIGURATION);
  robot_free(&r);
  return code;
}

/* Imports each robot; one that is refused does not keep the others from being read. */
static int import_all(const cli_arguments *a, const import_list *list, unsigned vary, double density) {
  int code = EXIT_CONVERGED, refused = 0;
  for (int i = 0; i < list->n && code != EXIT_MEMORY; i++) {
    const int one = import_one(a, &list->item[i], vary, density);
    if (one == EXIT_CONVERGED) { continue; }
    refused++;
    code = one;
  }
  if (list->n > 1) { printf("%d of %d robots\n", list->n - refused, list->n); }
  return code;
}

int command_import(const cli_arguments *a) {
  mbd_error err = {0};
  import_list list = {.n = 0};
  unsigned vary = 0;
  double density = 0;
  mbd_status status = a->vary ? robot_vary_read(a->vary, &vary, &err) : MBD_OK;
  if (status == MBD_OK && a->density && !(mbo_number(a->density, &density) && density > 0)) {
    status = MBD_FAILED(&err, MBD_BAD_INPUT, "--density: found '%.40s', expected a number > 0 [kg/m^3]", a->density);
  }
  if (status != MBD_OK) { return cli_error(&err, EXIT_USAGE); }
  status = import_list_make(a, &list, &err);
  const int code = status == MBD_OK ? import_all(a, &list, vary, density) : cli_error(&err, EXIT_CONFIGURATION);
  import_list_free(&list);
  return code;
}
