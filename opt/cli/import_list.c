#include "cli/import_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/memory.h"

enum { DEPTH_MAX = 8, FILES_MAX = 10000 };

static mbd_status add(import_list *list, const char *file, char *folder, const char *root, mbd_error *err) {
  import_item *grown = folder ? mbd_list_grow(list->item, list->n, sizeof *grown) : NULL;
  if (!grown) {
    free(folder);
    return MEMORY_NONE(err, "%s", file);
  }
  list->item = grown;
  grown[list->n++] = (import_item){mbd_strdup(file), folder, root};
  return MEMORY_WHOLE(err, "%s", file);
}

char *import_stem_of(const char *file) {
  const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file, *dot = strrchr(name, '.');
  return mbd_strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

static int is_robot(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && dot > name && strcmp(dot, ".urdf") == 0;
}

static mbd_status find_robots(import_list *list, const char *root, const char *folder, const char *out, int depth,
                              mbd_error *err);

/* An entry of a folder: a robot, or a folder in which robots may be. */
static mbd_status take_entry(import_list *list, const char *root, const char *folder, const char *name, const char *out,
                             int depth, mbd_error *err) {
  struct stat s;
  char *path = mbd_sprintf_dup("%s/%s", folder, name), *inner = mbd_sprintf_dup("%s/%s", out, name);
  mbd_status status = path && inner ? MBD_OK : MEMORY_NONE(err, "%s", folder);
  if (status == MBD_OK && lstat(path, &s) == 0) {
    if (S_ISDIR(s.st_mode) && depth < DEPTH_MAX) { status = find_robots(list, root, path, inner, depth + 1, err); }
    if (S_ISREG(s.st_mode) && is_robot(name)) {
      status = list->n < FILES_MAX
                   ? add(list, path, mbd_strdup(out), root, err)
                   : MBD_FAILED(err, MBD_BAD_INPUT, "%s: expected at most %d robots", folder, FILES_MAX);
    }
  }
  free(path), free(inner);
  return status;
}

static mbd_status find_robots(import_list *list, const char *root, const char *folder, const char *out, int depth,
                              mbd_error *err) {
  struct dirent **entry;
  const int n = scandir(folder, &entry, NULL, alphasort);
  if (n < 0) { MBD_FAIL(err, MBD_IO_ERROR, "cannot read %s: %s", folder, strerror(errno)); }
  mbd_status status = MBD_OK;
  for (int i = 0; i < n; i++) {
    if (status == MBD_OK && entry[i]->d_name[0] != '.') {
      status = take_entry(list, root, folder, entry[i]->d_name, out, depth, err);
    }
    free(entry[i]);
  }
  free(entry);
  return status;
}

static int is_folder(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static int is_file(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

mbd_status import_list_make(const cli_arguments *a, import_list *list, mbd_error *err) {
  const char *out = a->nfile > 1 && !is_file(a->files[a->nfile - 1]) ? a->files[a->nfile - 1] : NULL;
  *list = (import_list){.n = 0};
  if (a->packages && !is_folder(a->packages)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "--packages: %s is no folder", a->packages);
  }
  for (int i = 0; i < a->nfile - (out != NULL); i++) {
    const char *given = a->files[i];
    if (!is_folder(given)) {
      MBD_TRY(add(list, given, out ? mbd_strdup(out) : import_stem_of(given), NULL, err));
      continue;
    }
    if (!out) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s is a folder: expected another one behind it, for what is written", given);
    }
    const int before = list->n;
    MBD_TRY(find_robots(list, given, given, out, 0, err));
    if (list->n == before) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: has no file NAME.urdf", given); }
  }
  return MBD_OK;
}

void import_list_free(import_list *list) {
  for (int i = 0; i < list->n; i++) { free(list->item[i].file), free(list->item[i].folder); }
  free(list->item);
  *list = (import_list){.n = 0};
}
