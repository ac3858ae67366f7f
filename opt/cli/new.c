/* mbopt new: writes a model file and a run file as a start. */
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/new_files.h"
#include "cli/new_points.h"
#include "cli/new_precision.h"
#include "cli/templates.h"

static const cli_template templates[] = {
#define X(name, doc) {#name, doc, cli_template_##name##_ini, cli_template_##name##_model_ini, NULL},
    CLI_TEMPLATES(X)
#undef X
#define X(name, model, doc) \
  {#name, doc, cli_template_##name##_ini, cli_template_##model##_model_ini, cli_template_##name##_csv},
        CLI_LINKAGES(X)
#undef X
};

enum { TEMPLATES = sizeof templates / sizeof templates[0] };

const cli_template *cli_template_at(int i) {
  return i >= 0 && i < TEMPLATES ? &templates[i] : NULL;
}

static const char *name_at(int i) {
  return i < TEMPLATES ? templates[i].name : NULL;
}

/* Prints how to ask for a template by its type, which begins behind the first n characters of its name; and by its task, if it is a linkage. */
static void print_type(const cli_template *t, size_t n) {
  static const char linkage[] = "linkage";
  const char *type = t->name + n + 1, *task = strrchr(t->name, '_') + 1;
  if (strncmp(t->name, linkage, sizeof linkage - 1) != 0) {
    fprintf(stderr, "  mbopt new %.*s --type %-16s %s\n", (int)n, t->name, type, t->doc);
    return;
  }
  type = t->name + sizeof linkage;
  fprintf(stderr, "  mbopt new %s --type %-8.*s --task %-8s %s\n", linkage, (int)(task - type - 1), type, task, t->doc);
}

/* The types of which a name is the first part, as kc_axle; 0: there are none. */
static int list_types(const char *name) {
  const size_t n = strlen(name);
  int found = 0;
  for (int i = 0; i < TEMPLATES; i++) {
    if (strncmp(templates[i].name, name, n) != 0 || templates[i].name[n] != '_') { continue; }
    if (!found++) { fprintf(stderr, "mbopt: new: '%s' has several types, expected one of them:\n", name); }
    print_type(&templates[i], n);
  }
  return found;
}

/* Writes the files of a template. With a table its hard points, or the precision points of a linkage, are taken from there; the model with hard points is read, to find
 * what is wrong with them. */
int cli_write_template(const cli_template *t, const char *folder, const char *table) {
  mbd_error err = {0};
  char *model = NULL, *run = NULL, *precision = NULL;
  const mbd_status status = !table     ? MBD_OK
                            : t->table ? cli_run_with_precision(t, table, &run, &precision, &err)
                                       : cli_model_with_points(t, table, folder, &model, &err);
  if (status != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  const int code =
      cli_write_new_files(&(cli_new_files){.folder = folder,
                                           .name = t->name,
                                           .model = model ? model : t->model,
                                           .run = run ? run : t->run,
                                           .table = precision ? precision : t->table,
                                           .read = model != NULL,
                                           .about_model = t->doc,
                                           .about_run = "what varies, what is simulated, what is to be small"});
  free(model), free(run), free(precision);
  return code;
}

/* Writes the files of a template, or lists the templates. */
int command_new(const cli_arguments *a) {
  char typed[80];
  const char *name = a->file;
  /* The list of the templates, or a message where none has the name. */
  if (!name || a->list) {
    for (int i = 0; i < TEMPLATES; i++) { printf("%-26s %s\n", templates[i].name, templates[i].doc); }
    printf("mbopt new NAME [FOLDER] writes NAME_model.ini and NAME.ini into FOLDER, else into a folder NAME\n");
    return EXIT_CONVERGED;
  }
  /* A type, and then a task, are the end of a template's name. */
  if (a->type || a->task) {
    snprintf(typed, sizeof typed, "%s%s%s%s%s", name, a->type ? "_" : "", a->type ? a->type : "", a->task ? "_" : "",
             a->task ? a->task : "");
    name = typed;
  }
  const int i = mbd_word_find(name, name_at);
  if (i < 0 && list_types(name)) { return EXIT_USAGE; }
  if (i < 0) { return cli_unknown_name("new", name, name_at); }
  return cli_write_template(&templates[i], a->nfile > 1 ? a->files[1] : name, a->points);
}
