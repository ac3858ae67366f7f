#include "cli/new_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "files/atomic_file.h"
#include "files/memory.h"
#include "mbo/model_file.h"

static mbd_status is_there(const char *path, mbd_error *err) {
  MBD_FAIL(err, MBD_IO_ERROR,
           "%s is there already, and nothing was written; a FOLDER at the end of the command takes another one", path);
}

/* Writes a new file; fails if one of this name exists. An incomplete file is removed. */
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

/* Writes all files or none: what the model names, the model, which is then read where that is asked for, and the others. */
static mbd_status write_all(const cli_new_files *files, int n, char *const *path, const char *const *text,
                            mbd_error *err) {
  mbo_model_file *m = NULL;
  int written = 0;
  for (int i = 0; i < n; i++) {
    MEMORY_TRY(path[i] && text[i], err, "%s", files->name);
    if (access(path[i], F_OK) == 0) { return is_there(path[i], err); }
  }
  MBD_TRY(make_folder(files->folder, err));
  mbd_status status = MBD_OK;
  while (written < n && status == MBD_OK) {
    status = write_new(path[written], text[written], err);
    written += status == MBD_OK;
    if (status == MBD_OK && files->read && written == files->nmore + 1) {
      status = mbo_model_file_read(path[files->nmore], 0, NULL, NULL, &m, err);
      mbo_model_file_destroy(m);
    }
  }
  while (status != MBD_OK && written > 0) { remove(path[--written]); }
  return status;
}

int cli_write_new_files(const cli_new_files *files) {
  mbd_error err = {0};
  const int model = files->nmore, n = model + 2 + (files->table != NULL);
  char **path = mbd_zeros((size_t)n, sizeof *path);
  const char **text = mbd_zeros((size_t)n, sizeof *text);
  mbd_status status = path && text ? MBD_OK : MEMORY_NONE(&err, "%s", files->folder);
  if (status == MBD_OK) {
    static const char *const ends[] = {"_model.ini", ".ini", "_points.csv"};
    const char *const texts[] = {files->model, files->run, files->table};
    for (int i = 0; i < n; i++) {
      const int own = i - model;
      path[i] = own < 0 ? mbd_sprintf_dup("%s/%s", files->folder, files->more_name[i])
                        : mbd_sprintf_dup("%s/%s%s", files->folder, files->name, ends[own]);
      text[i] = own < 0 ? files->more_text[i] : texts[own];
    }
    status = write_all(files, n, path, text, &err);
  }
  if (status == MBD_OK) {
    for (int i = 0; i < model; i++) { puts(path[i]); }
    if (files->table) { printf("%s  the points\n", path[model + 2]); }
    printf("%s  the mechanism: %s\n%s  %s\nnext: mbopt model %s\n", path[model], files->about_model, path[model + 1],
           files->about_run, path[model + 1]);
  }
  for (int i = 0; i < n && path; i++) { free(path[i]); }
  free(path), free(text);
  return status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, EXIT_CONFIGURATION);
}
