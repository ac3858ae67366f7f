/* The libraries that `mbopt plugin` of this user has built, copies of which are in a folder of the user's settings. A file is one of them if
 * all its bytes are those of a copy, wherever it lies and whatever its name is; the copy is what is loaded, so that nobody can exchange
 * the file between comparison and loading. The name of a copy has a hash of its bytes, which only finds it: files can be made that share
 * a hash of 64 bits. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/memory.h"
#include "evaluate/fingerprint.h"
#include "files/atomic_file.h"
#include "plugin/plugin.h"

/* The folder of the settings, above that of the copies, in new memory. */
static mbd_status find_settings(char **folder, mbd_error *err) {
  const char *own = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  const int has_own = own && *own == '/', has_home = home && *home == '/';
  *folder = NULL;
  if (!has_own && !has_home) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "it is not known which libraries this user has built: neither XDG_CONFIG_HOME nor HOME names a folder by "
             "an absolute path");
  }
  *folder = has_own ? mbd_strdup(own) : mbd_sprintf_dup("%s/.config", home);
  MEMORY_TRY(*folder, err, "a folder");
  return MBD_OK;
}

static int is_mine(const struct stat *info) {
  return info->st_uid == geteuid() && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

/* The copy of a library with these bytes, whether it exists or not, in new memory. make: its folder is made where there is none.
 * MBD_UNSUPPORTED: there is no folder that this user alone can write to. */
static mbd_status place_of(const text_file *library, int make, char **copy, mbd_error *err) {
  char *settings, *folder;
  struct stat info;
  *copy = NULL;
  /* The folder of the copies, which is made with `make` where it does not exist. */
  MBD_TRY(find_settings(&settings, err));
  mbd_status status = make ? make_folder(settings, err) : MBD_OK;
  folder = path_in(settings, "mbopt");
  free(settings);
  if (status == MBD_OK && !folder) { status = MEMORY_NONE(err, "a folder"); }
  if (status == MBD_OK && make && mkdir(folder, 0700) != 0 && errno != EEXIST) {
    status = MBD_FAILED(err, io_status(errno), "folder %s cannot be made: %s", folder, strerror(errno));
  }
  /* Copies are trusted, so nobody else may be able to write to the folder. */
  if (status == MBD_OK && lstat(folder, &info) != 0) {
    status =
        MBD_FAILED(err, MBD_UNSUPPORTED, "`mbopt plugin` of this user has built none: %s: %s", folder, strerror(errno));
  } else if (status == MBD_OK && (!S_ISDIR(info.st_mode) || !is_mine(&info))) {
    status = MBD_FAILED(err, MBD_UNSUPPORTED,
                        "it is not known which libraries this user has built: %s is no folder that this user alone can "
                        "write to (chmod 700)",
                        folder);
  }
  /* The name of the copy, from a hash of the bytes of the library. */
  if (status == MBD_OK) {
    const unsigned long long hash = fingerprint_add(FINGERPRINT_NONE, library->text, library->size);
    *copy = mbd_sprintf_dup("%s/plugin-%016llx.so", folder, hash);
    if (!*copy) { status = MEMORY_NONE(err, "a path"); }
  }
  free(folder);
  return status;
}

mbd_status built_record(const char *path, mbd_error *err) {
  text_file library;
  atomic_file a;
  char *copy = NULL;
  MBD_TRY(bytes_read(path, PLUGIN_MIB, &library, err));
  mbd_status status = place_of(&library, 1, &copy, err);
  if (status == MBD_OK) { status = atomic_open(copy, &a, err); }
  if (status == MBD_OK) {
    if (fchmod(fileno(a.out), 0600) != 0) { status = MBD_FAILED(err, MBD_IO_ERROR, "%s: %s", copy, strerror(errno)); }
    fwrite(library.text, 1, library.size, a.out);
    status = atomic_end(&a, status, err);
  }
  free(copy);
  text_file_free(&library);
  return status;
}

mbd_status built_find(const text_file *library, char **copy, mbd_error *err) {
  struct stat info;
  text_file known = {0};
  MBD_TRY(place_of(library, 0, copy, err));
  mbd_status status = MBD_OK;
  int same = lstat(*copy, &info) == 0 && S_ISREG(info.st_mode) && is_mine(&info);
  if (same) { status = bytes_read(*copy, PLUGIN_MIB, &known, err); }
  same = same && status == MBD_OK && known.size == library->size && memcmp(known.text, library->text, known.size) == 0;
  text_file_free(&known);
  if (status == MBD_OK && !same) {
    status = MBD_FAILED(err, MBD_UNSUPPORTED, "`mbopt plugin` of this user has not built it: no copy of it is in %.*s",
                        (int)(strrchr(*copy, '/') - *copy), *copy);
  }
  if (status != MBD_OK) {
    free(*copy);
    *copy = NULL;
  }
  return status;
}
