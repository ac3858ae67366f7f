/* mbopt new: writes a model file and a run file as a start. */
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/new_files.h"
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
  if (i < 0) { return cli_unknown_name("new", name, name_at); }
  return cli_write_new_files(&(cli_new_files){.folder = a->nfile > 1 ? a->files[1] : name,
                                              .name = name,
                                              .model = templates[i].model,
                                              .run = templates[i].run,
                                              .about_model = templates[i].doc,
                                              .about_run = "what varies, what is simulated, what is to be small"});
}
