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

static mbd_status write_all(const cli_new_files *files, const char *model, const char *run, const char *table,
                            mbd_error *err) {
  MEMORY_TRY(model && run && table, err, "%s", files->name);
  if (access(model, F_OK) == 0) { return is_there(model, err); }
  if (access(run, F_OK) == 0) { return is_there(run, err); }
  if (files->table && access(table, F_OK) == 0) { return is_there(table, err); }
  MBD_TRY(make_folder(files->folder, err));
  MBD_TRY(write_new(model, files->model, err));
  mbo_model_file *m = NULL;
  mbd_status status = files->read ? mbo_model_file_read(model, 0, NULL, NULL, &m, err) : MBD_OK;
  mbo_model_file_destroy(m);
  if (status == MBD_OK) { status = write_new(run, files->run, err); }
  if (status == MBD_OK && files->table) {
    status = write_new(table, files->table, err);
    if (status != MBD_OK) { remove(run); }
  }
  if (status != MBD_OK) { remove(model); }
  return status;
}

int cli_write_new_files(const cli_new_files *files) {
  mbd_error err = {0};
  char *model = mbd_sprintf_dup("%s/%s_model.ini", files->folder, files->name),
       *run = mbd_sprintf_dup("%s/%s.ini", files->folder, files->name),
       *table = mbd_sprintf_dup("%s/%s_points.csv", files->folder, files->name);
  const mbd_status status = write_all(files, model, run, table, &err);
  if (status == MBD_OK && files->table) { printf("%s  the points\n", table); }
  if (status == MBD_OK) {
    printf("%s  the mechanism: %s\n%s  %s\nnext: mbopt model %s\n", model, files->about_model, run, files->about_run,
           run);
  }
  free(model), free(run), free(table);
  return status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, EXIT_CONFIGURATION);
}
