/* mbopt new: writes a model file and a run file as a start. */
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/new_files.h"
#include "cli/new_points.h"
#include "cli/templates.h"

static const cli_template templates[] = {
#define X(name, doc) {#name, doc, cli_template_##name##_ini, cli_template_##name##_model_ini},
    CLI_TEMPLATES(X)
#undef X
};

enum { TEMPLATES = sizeof templates / sizeof templates[0] };

const cli_template *cli_template_at(int i) {
  return i >= 0 && i < TEMPLATES ? &templates[i] : NULL;
}

static const char *name_at(int i) {
  return i < TEMPLATES ? templates[i].name : NULL;
}

/* The types of which a name is the first part, as kc_axle; 0: there are none. */
static int list_types(const char *name) {
  const size_t n = strlen(name);
  int found = 0;
  for (int i = 0; i < TEMPLATES; i++) {
    if (strncmp(templates[i].name, name, n) != 0 || templates[i].name[n] != '_') { continue; }
    if (!found++) { fprintf(stderr, "mbopt: new: '%s' has several types, expected one of them:\n", name); }
    fprintf(stderr, "  mbopt new %s --type %-16s %s\n", name, templates[i].name + n + 1, templates[i].doc);
  }
  return found;
}

/* Writes the files of a template. With a table its hard points are taken from there, and the model is read, to find what is wrong with them. */
static int write_template(const cli_template *t, const char *folder, const char *table) {
  mbd_error err = {0};
  char *model = NULL;
  const mbd_status status = table ? cli_model_with_points(t, table, folder, &model, &err) : MBD_OK;
  if (status != MBD_OK) { return cli_error(&err, EXIT_CONFIGURATION); }
  const int code =
      cli_write_new_files(&(cli_new_files){.folder = folder,
                                           .name = t->name,
                                           .model = model ? model : t->model,
                                           .run = t->run,
                                           .read = table != NULL,
                                           .about_model = t->doc,
                                           .about_run = "what varies, what is simulated, what is to be small"});
  free(model);
  return code;
}

/* Writes the files of a template, or lists the templates. */
int command_new(const cli_arguments *a) {
  char typed[80];
  const char *name = a->file;
  /* The list of the templates, or a message where none has the name. */
  if (!name || a->list) {
    for (int i = 0; i < TEMPLATES; i++) { printf("%-24s %s\n", templates[i].name, templates[i].doc); }
    printf("mbopt new NAME [FOLDER] writes NAME_model.ini and NAME.ini into FOLDER, else into a folder NAME\n");
    return EXIT_CONVERGED;
  }
  /* A type is the end of a template's name. */
  if (a->type) {
    snprintf(typed, sizeof typed, "%s_%s", name, a->type);
    name = typed;
  }
  const int i = mbd_word_find(name, name_at);
  if (i < 0 && list_types(name)) { return EXIT_USAGE; }
  if (i < 0) { return cli_unknown_name("new", name, name_at); }
  return write_template(&templates[i], a->nfile > 1 ? a->files[1] : name, a->points);
}
