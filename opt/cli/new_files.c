#include "cli/new_files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "files/atomic_file.h"

static mbd_status is_there(const char *path, mbd_error *err) {
  MBD_FAIL(err, MBD_IO_ERROR,
           "%s is there already, and nothing was written; a FOLDER at the end of the command takes another one", path);
}

/* Writes a new file; fails if one of this name exists. An incomplete file is removed. */
static mbd_status write_new(const cli_new_file *f, mbd_error *err) {
  FILE *out = fopen(f->path, "wxe");
  if (!out && errno == EEXIST) { return is_there(f->path, err); }
  if (!out) { MBD_FAIL(err, io_status(errno), "cannot write %s: %s", f->path, strerror(errno)); }
  int error = fputs(f->text, out) < 0 ? errno : 0;
  if (fclose(out) != 0 && !error) { error = errno; }
  if (!error) { return MBD_OK; }
  remove(f->path);
  MBD_FAIL(err, io_status(error), "cannot write %s: %s", f->path, strerror(error));
}

mbd_status cli_write_both(const char *folder, const cli_new_file file[2], mbd_error *err) {
  for (int i = 0; i < 2; i++) {
    if (access(file[i].path, F_OK) == 0) { return is_there(file[i].path, err); }
  }
  MBD_TRY(make_folder(folder, err));
  MBD_TRY(write_new(&file[0], err));
  const mbd_status status = write_new(&file[1], err);
  if (status != MBD_OK) { remove(file[0].path); }
  return status;
}
