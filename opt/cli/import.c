/* mbopt import: a robot in URDF, as a model file and a run file. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/new_files.h"
#include "files/plural.h"
#include "files/text_stream.h"
#include "import/urdf.h"

/* The converted robot: in new memory, NULL for missing texts. */
typedef struct imported {
  char *name, *folder;           /* name of the robot's file without folder and extension; folder of its files */
  char *model, *run, *file_name; /* paths of the model and the run file; name of the model file without folder */
  char *model_text, *run_text;
} imported;

static void imported_free(imported *robot) {
  free(robot->name), free(robot->folder), free(robot->model), free(robot->run), free(robot->file_name),
      free(robot->model_text);
  free(robot->run_text);
}

/* "arm" of "robots/arm.urdf" */
static char *name_of(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return mbd_strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

/* 0: no memory. */
static int name_files(imported *robot, const char *path, const char *folder) {
  robot->name = name_of(path);
  if (!robot->name) { return 0; }
  robot->folder = mbd_strdup(folder ? folder : robot->name);
  robot->file_name = mbd_sprintf_dup("%s_model.ini", robot->name);
  if (!robot->folder || !robot->file_name) { return 0; }
  robot->model = mbd_sprintf_dup("%s/%s", robot->folder, robot->file_name);
  robot->run = mbd_sprintf_dup("%s/%s.ini", robot->folder, robot->name);
  return robot->model && robot->run;
}

static int write_texts(imported *robot, const urdf_robot *r, urdf_base base) {
  text_stream s;
  if (text_begin(&s)) { urdf_write_model(r, base, s.out); }
  robot->model_text = text_end(&s);
  if (text_begin(&s)) { urdf_write_run(r, base, robot->file_name, s.out); }
  robot->run_text = text_end(&s);
  return robot->model_text && robot->run_text;
}

static mbd_status convert(const cli_arguments *a, const urdf_robot *r, imported *robot, mbd_error *err) {
  const urdf_base base = a->base && strcmp(a->base, "floating") == 0 ? URDF_BASE_FLOATING : URDF_BASE_FIXED;
  if (!name_files(robot, a->file, a->nfile > 1 ? a->files[1] : NULL) || !write_texts(robot, r, base)) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", a->file);
  }
  return cli_write_both(robot->folder,
                        (const cli_new_file[2]){{robot->model, robot->model_text}, {robot->run, robot->run_text}}, err);
}

static void warn(const urdf_robot *r) {
  for (int i = 0; i < r->nwarning; i++) {
    const urdf_warning *w = &r->warning[i];
    fprintf(stderr, "mbopt: warning: %s", w->text);
    if (w->more) { fprintf(stderr, ", here and in %d place%s more", w->more, plural(w->more)); }
    fputc('\n', stderr);
  }
}

static int tell(const imported *robot, const urdf_robot *r) {
  printf("%s  the mechanism: %d link%s, %d joint%s\n%s  motions of its joints between their limits\n", robot->model,
         r->nlink, plural(r->nlink), r->njoint, plural(r->njoint), robot->run);
  printf("next: mbopt model %s\n", robot->run);
  return EXIT_CONVERGED;
}

int command_import(const cli_arguments *a) {
  mbd_error err = {0};
  urdf_robot r;
  imported q = {0};
  mbd_status status = urdf_read(a->file, &r, &err);
  if (status == MBD_OK) { warn(&r); }
  if (status == MBD_OK && a->strict && r.nwarning) {
    status = MBD_FAILED(&err, MBD_BAD_INPUT, "%s: refused because of its warnings, by --strict", a->file);
  }
  if (status == MBD_OK) { status = convert(a, &r, &q, &err); }
  const int code = status == MBD_OK ? tell(&q, &r) : cli_error(&err, EXIT_CONFIGURATION);
  imported_free(&q);
  urdf_free(&r);
  return code;
}
