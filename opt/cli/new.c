/* mbopt new: a model file and a run file to begin with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "cli/templates.h"
#include "files/atomic_file.h"

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
  mbd_nearest near = {.wanted = name};
  char hint[96];
  mbd_nearest_offer_all(&near, name_at);
  fprintf(stderr, "mbopt: new: '%s' is not known%s\n`mbopt new` lists what there is\n", name,
          mbd_nearest_text(&near, hint, sizeof hint));
  return EXIT_USAGE;
}

/* ---- writing ---- */

static mbd_status is_there(const char *path, mbd_error *err) {
  MBD_FAIL(err, MBD_IO_ERROR,
           "%s is there already, and nothing was written; `mbopt new NAME FOLDER` takes another folder", path);
}

/* A file that nobody has: the system makes it new or fails. What cannot be written whole is removed. */
static mbd_status write_new(const char *path, const char *text, mbd_error *err) {
  FILE *out = fopen(path, "wxe");
  if (!out && errno == EEXIST) { return is_there(path, err); }
  if (!out) { MBD_FAIL(err, io_status(errno), "cannot write %s: %s", path, strerror(errno)); }
  int error = fputs(text, out) < 0 ? errno : 0;
  if (fclose(out) != 0 && !error) { error = errno; }
  if (!error) { return MBD_OK; }
  remove(path);
  MBD_FAIL(err, io_status(error), "cannot write %s: %s", path, strerror(error));
}

/* Both files or none. */
static mbd_status write_both(const cli_template *t, const char *folder, const char *model, const char *run,
                             mbd_error *err) {
  if (access(model, F_OK) == 0) { return is_there(model, err); }
  if (access(run, F_OK) == 0) { return is_there(run, err); }
  MBD_TRY(make_folder(folder, err));
  MBD_TRY(write_new(model, t->model, err));
  const mbd_status status = write_new(run, t->run, err);
  if (status != MBD_OK) { remove(model); }
  return status;
}

static int write_template(const cli_template *t, const char *folder) {
  mbd_error err = {0};
  char *model = mbd_sprintf_dup("%s/%s_model.ini", folder, t->name),
       *run = mbd_sprintf_dup("%s/%s.ini", folder, t->name);
  int code = EXIT_MEMORY;
  if (!model || !run) {
    cli_no_memory();
  } else if (write_both(t, folder, model, run, &err) != MBD_OK) {
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
