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

static void imported_free(imported *q) {
  free(q->name), free(q->folder), free(q->model), free(q->run), free(q->file_name), free(q->model_text);
  free(q->run_text);
}

/* "arm" of "robots/arm.urdf" */
static char *name_of(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return mbd_strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

/* 0: no memory. */
static int name_files(imported *q, const char *path, const char *folder) {
  q->name = name_of(path);
  if (!q->name) { return 0; }
  q->folder = mbd_strdup(folder ? folder : q->name);
  q->file_name = mbd_sprintf_dup("%s_model.ini", q->name);
  if (!q->folder || !q->file_name) { return 0; }
  q->model = mbd_sprintf_dup("%s/%s", q->folder, q->file_name);
  q->run = mbd_sprintf_dup("%s/%s.ini", q->folder, q->name);
  return q->model && q->run;
}

static int write_texts(imported *q, const urdf_robot *r, urdf_base base) {
  text_stream s;
  if (text_begin(&s)) { urdf_write_model(r, base, s.out); }
  q->model_text = text_end(&s);
  if (text_begin(&s)) { urdf_write_run(r, base, q->file_name, s.out); }
  q->run_text = text_end(&s);
  return q->model_text && q->run_text;
}

static mbd_status convert(const cli_arguments *a, const urdf_robot *r, imported *q, mbd_error *err) {
  const urdf_base base = a->base && strcmp(a->base, "floating") == 0 ? URDF_BASE_FLOATING : URDF_BASE_FIXED;
  if (!name_files(q, a->file, a->nfile > 1 ? a->files[1] : NULL) || !write_texts(q, r, base)) {
    MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", a->file);
  }
  return cli_write_both(q->folder, (const cli_new_file[2]){{q->model, q->model_text}, {q->run, q->run_text}}, err);
}

static void warn(const urdf_robot *r) {
  for (int i = 0; i < r->nwarning; i++) {
    const urdf_warning *w = &r->warning[i];
    fprintf(stderr, "mbopt: warning: %s", w->text);
    if (w->more) { fprintf(stderr, ", here and in %d place%s more", w->more, plural(w->more)); }
    fputc('\n', stderr);
  }
}

static int tell(const imported *q, const urdf_robot *r) {
  printf("%s  the mechanism: %d link%s, %d joint%s\n%s  motions of its joints between their limits\n", q->model,
         r->nlink, plural(r->nlink), r->njoint, plural(r->njoint), q->run);
  printf("next: mbopt model %s\n", q->run);
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
