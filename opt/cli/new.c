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
#define X(name, model, doc) {#name, doc, cli_template_##name##_ini, cli_template_##model##_model_ini, NULL},
            CLI_DWELLS(X)
#undef X
};

enum { TEMPLATES = sizeof templates / sizeof templates[0] };

const cli_template *cli_template_at(int i) {
  return i >= 0 && i < TEMPLATES ? &templates[i] : NULL;
}

static const char *name_at(int i) {
  return i < TEMPLATES ? templates[i].name : NULL;
}

/* ---- families: templates with a first part of their names in common, behind which the type follows, and of a linkage the task ---- */

enum { TYPE_MAX = 40 };
static const char linkage[] = "linkage";
static const char *const families[] = {"kc_axle", linkage};

/* Has the family this template? Copies its type then; *task: what follows it in the name, or NULL. */
static int type_of(const char *family, const cli_template *t, char *type, const char **task) {
  const size_t n = strlen(family);
  if (strncmp(t->name, family, n) != 0 || t->name[n] != '_') { return 0; }
  const char *begin = t->name + n + 1, *end = family == linkage ? strrchr(begin, '_') : NULL;
  *task = end ? end + 1 : NULL;
  snprintf(type, TYPE_MAX, "%.*s", (int)(end ? end - begin : TYPE_MAX - 1), begin);
  return 1;
}

/* Prints how to ask for the templates of a family: those of one type, or all (NULL). */
static void print_types(const char *family, const char *one) {
  char type[TYPE_MAX];
  const char *task;
  for (int i = 0; i < TEMPLATES; i++) {
    if (!type_of(family, &templates[i], type, &task) || (one && strcmp(type, one) != 0)) { continue; }
    fprintf(stderr, "  mbopt new %s --type %-15s", family, type);
    if (task) { fprintf(stderr, " --task %-8s", task); }
    fprintf(stderr, " %s\n", templates[i].doc);
  }
}

/* Says what is wrong with the type and the task that are asked for of a family, and what there is. Returns 0 if the name is no family's. */
static int explain_types(const cli_arguments *a) {
  char types[TEMPLATES][TYPE_MAX], hint[MBD_HINT];
  const char *family = NULL, *task;
  mbd_nearest near = {.requested = a->type ? a->type : "", .listed = 1};
  int known = 0;
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    if (strcmp(families[i], a->file) == 0) { family = families[i]; }
  }
  if (!family) { return 0; }
  for (int i = 0; i < TEMPLATES; i++) {
    if (!type_of(family, &templates[i], types[i], &task)) { continue; }
    mbd_nearest_offer(&near, types[i]);
    known |= strcmp(types[i], near.requested) == 0;
  }
  fprintf(stderr, "mbopt: new: '%s' ", family);
  if (!a->type) {
    fputs("has several types, expected one of them:\n", stderr);
  } else if (!known) {
    fprintf(stderr, "has no type '%s', expected one of them%s\n", a->type, mbd_nearest_text(&near, hint, sizeof hint));
  } else if (a->task) {
    fprintf(stderr, "of type '%s' has no task '%s', expected:\n", a->type, a->task);
  } else {
    fprintf(stderr, "of type '%s' needs a task, expected:\n", a->type);
  }
  print_types(family, known ? a->type : NULL);
  return 1;
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
  char typed[2 * TYPE_MAX];
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
  if (strcmp(name, "linkage_six_bar_dwell") == 0) { /* before there were two of them */
    name = "linkage_stephenson_dwell";
    fprintf(stderr, "mbopt: new: the six-bar linkage with a dwell is %s now; --type watt is another one\n", name);
  }
  const int i = mbd_word_find(name, name_at);
  if (i < 0 && explain_types(a)) { return EXIT_USAGE; }
  if (i < 0) { return cli_unknown_name("new", name, name_at); }
  return cli_write_template(&templates[i], a->nfile > 1 ? a->files[1] : name, a->points);
}
