#include "report/study_links.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/memory.h"

const char *study_links_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *study_links_prefix(const char *path) {
  const char *name = study_links_name(path), *dot = strrchr(name, '.');
  const int html = dot && dot > name && strcmp(dot, ".html") == 0;
  return mbd_sprintf_dup("%.*s_run_", html ? (int)(dot - name) : (int)strlen(name), name);
}

/* The run whose page the file is; -1: it is not a page of a run. */
static long run_of(const char *name, const char *prefix) {
  const size_t n = strlen(prefix);
  char *end;
  if (strncmp(name, prefix, n) != 0 || name[n] < '0' || name[n] > '9') { return -1; }
  errno = 0;
  const long run = strtol(name + n, &end, 10);
  return errno || run > INT_MAX || strcmp(end, ".html") != 0 ? -1 : run;
}

static mbd_status add_page(const study_data *d, const char *folder, const char *name, long number, study_links *l,
                           mbd_error *err) {
  struct stat info;
  char *path = mbd_sprintf_dup("%s/%s", folder, name);
  MEMORY_TRY(path, err, "the pages of the runs");
  const int there = stat(path, &info) == 0 && info.st_mtime >= d->written && number < d->s->n;
  free(path);
  if (!there) { return MBD_OK; }
  int *grown = mbd_list_grow(l->run, l->n, sizeof *grown);
  MEMORY_TRY(grown, err, "the pages of the runs");
  l->run = grown;
  grown[l->n++] = (int)number;
  return MBD_OK;
}

mbd_status study_links_find(const study_data *d, const char *path, study_links *l, mbd_error *err) {
  *l = (study_links){.prefix = study_links_prefix(path)};
  char *folder = mbd_sprintf_dup("%.*s.", (int)(study_links_name(path) - path), path); /* "FOLDER/." */
  DIR *list = l->prefix && folder ? opendir(folder) : NULL;
  mbd_status status = l->prefix && folder ? MBD_OK : MEMORY_NONE(err, "the pages of the runs");
  for (const struct dirent *e; status == MBD_OK && list && (e = readdir(list));) {
    const long number = run_of(e->d_name, l->prefix);
    if (number >= 0) { status = add_page(d, folder, e->d_name, number, l, err); }
  }
  if (list) { closedir(list); }
  if (l->n) { mbd_sort_numbers(l->n, l->run); }
  free(folder);
  return status;
}

void study_links_free(study_links *l) {
  free(l->prefix), free(l->run);
  *l = (study_links){0};
}

char *study_links_file(const study_links *l, long run) {
  int a = 0, b = l ? l->n : 0;
  while (a < b) {
    const int k = a + (b - a) / 2;
    if (l->run[k] < run) {
      a = k + 1;
    } else {
      b = k;
    }
  }
  if (!l || a == l->n || l->run[a] != run) { return NULL; }
  return mbd_sprintf_dup("%s%ld.html", l->prefix, run);
}
