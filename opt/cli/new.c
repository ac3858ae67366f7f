/* mbopt new: writes a model file and a run file as a start. */
#include <stdlib.h>

#include "base/memory.h"
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

static int list(void) {
  for (int i = 0; i < TEMPLATES; i++) { printf("%-14s %s\n", templates[i].name, templates[i].doc); }
  printf("mbopt new NAME [FOLDER] writes NAME_model.ini and NAME.ini into FOLDER, else into a folder NAME\n");
  return EXIT_CONVERGED;
}

static int unknown(const char *name) {
  mbd_nearest near = {.requested = name};
  char hint[96];
  mbd_nearest_offer_all(&near, name_at);
  fprintf(stderr, "mbopt: new: '%s' is not known%s\n`mbopt new` lists what there is\n", name,
          mbd_nearest_text(&near, hint, sizeof hint));
  return EXIT_USAGE;
}

static int write_template(const cli_template *t, const char *folder) {
  mbd_error err = {0};
  char *model = mbd_sprintf_dup("%s/%s_model.ini", folder, t->name),
       *run = mbd_sprintf_dup("%s/%s.ini", folder, t->name);
  int code = EXIT_MEMORY;
  if (!model || !run) {
    cli_no_memory();
  } else if (cli_write_both(folder, (const cli_new_file[2]){{model, t->model}, {run, t->run}}, &err) != MBD_OK) {
    code = cli_error(&err, EXIT_CONFIGURATION);
  } else {
    printf("%s  the mechanism: %s\n%s  what varies, what is simulated, what is to be small\n", model, t->doc, run);
    printf("next: mbopt model %s\n", run);
    code = EXIT_CONVERGED;
  }
  free(model), free(run);
  return code;
}

int command_new(const cli_arguments *a) {
  const char *name = a->file;
  if (!name || a->list) { return list(); }
  const int i = mbd_word_find(name, name_at);
  return i < 0 ? unknown(name) : write_template(&templates[i], a->nfile > 1 ? a->files[1] : name);
}
