#include "files/earlier.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/atomic_file.h"
#include "files/memory.h"

mbd_status earlier_make(const char *folder, char **made, mbd_error *err) {
  *made = NULL;
  for (int k = 1;; k++) {
    char *path = mbd_sprintf_dup("%s/earlier-%d", folder, k);
    MEMORY_TRY(path, err, "the results in %s", folder);
    if (mkdir(path, 0777) == 0) {
      *made = path;
      return MBD_OK;
    }
    const int error = errno;
    mbd_status status = MBD_OK;
    if (error != EEXIST) {
      status = MBD_FAILED(err, MBD_IO_ERROR, "folder %s cannot be made: %s", path, strerror(error));
    }
    free(path);
    MBD_TRY(status);
  }
}

mbd_status earlier_move(const char *folder, const char *name, const char *to, mbd_error *err) {
  char *from = path_in(folder, name), *into = path_in(to, name);
  mbd_status status = from && into ? MBD_OK : MEMORY_NONE(err, "the results in %s", folder);
  if (status == MBD_OK && rename(from, into) != 0) {
    status = MBD_FAILED(err, MBD_IO_ERROR, "%s cannot be moved to %s: %s", from, into, strerror(errno));
  }
  free(from), free(into);
  return status;
}
