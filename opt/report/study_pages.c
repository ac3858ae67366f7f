#include "report/study_pages.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "report/run_page.h"
#include "report/study_folder.h"

static mbd_status no_memory(mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the pages of the runs");
}

static const char *name_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *study_pages_prefix(const char *path) {
  const char *name = name_of(path), *dot = strrchr(name, '.');
  const int html = dot && dot > name && strcmp(dot, ".html") == 0;
  return mbd_sprintf_dup("%.*s_run_", html ? (int)(dot - name) : (int)strlen(name), name);
}

/* ---- writing ---- */

static mbd_status write_one(const study_data *d, const char *path, const char *prefix, long run, mbd_error *err) {
  run_folder *f = NULL;
  char *file = mbd_sprintf_dup("%.*s%s%ld.html", (int)(name_of(path) - path), path, prefix, run);
  mbd_status status = file ? study_folder_run(d, run, &f, err) : no_memory(err);
  if (status == MBD_OK) {
    f->study = mbd_strdup(name_of(path));
    status = f->study ? run_page_write(f, file, err) : no_memory(err);
  }
  run_folder_close(f);
  free(file);
  return status;
}

static mbd_status write_best(const study_data *d, const char *path, const char *prefix, mbd_error *err) {
  enum { BEST = 3 };
  for (int i = 0; i < d->ntop && i < BEST; i++) { MBD_TRY(write_one(d, path, prefix, d->top[i].run, err)); }
  return d->ntop > BEST ? write_one(d, path, prefix, d->worst.run, err) : MBD_OK;
}

static mbd_status write_own_starts(const study_data *d, const char *path, const char *prefix, mbd_error *err) {
  enum { MOST = 12 };
  const int n = d->s->nfile * d->profiles.nbackend;
  for (int i = 0, k = 0; i < n && k < MOST; i++) {
    runs_state state = RUN_MISSING;
    if (d->from_own[i] >= 0) { MBD_TRY(runs_look(d->s, d->from_own[i], &state, err)); }
    if (state != RUN_DONE) { continue; }
    MBD_TRY(write_one(d, path, prefix, d->from_own[i], err));
    k++;
  }
  return MBD_OK;
}

static mbd_status write_all(const study_data *d, const char *path, const char *prefix, mbd_error *err) {
  for (long i = 0; i < d->s->n; i++) {
    runs_state state;
    MBD_TRY(runs_look(d->s, i, &state, err));
    if (state == RUN_DONE) { MBD_TRY(write_one(d, path, prefix, i, err)); }
  }
  return MBD_OK;
}

static mbd_status write_list(const study_data *d, const char *path, const char *prefix, const char *which,
                             mbd_error *err) {
  for (const char *s = which; *s;) {
    char *end;
    errno = 0;
    const long run = strtol(s, &end, 10);
    if (end == s || errno || run < 0 || (*end && *end != ',') || (*end == ',' && !end[1])) {
      MBD_FAIL(err, MBD_BAD_INPUT, "runs '%s', expected numbers with commas between them, as 3,17, or all, or none",
               which);
    }
    MBD_TRY(write_one(d, path, prefix, run, err));
    s = *end ? end + 1 : end;
  }
  return MBD_OK;
}

mbd_status study_pages_write(const study_data *d, const char *path, const char *which, mbd_error *err) {
  if ((!which && !d->m) || (which && strcmp(which, "none") == 0)) { return MBD_OK; }
  char *prefix = study_pages_prefix(path);
  if (!prefix) { return no_memory(err); }
  const mbd_status status = which && strcmp(which, "all") == 0 ? write_all(d, path, prefix, err)
                            : which                            ? write_list(d, path, prefix, which, err)
                            : d->kind == KIND_COMPARE          ? write_own_starts(d, path, prefix, err)
                                                               : write_best(d, path, prefix, err);
  free(prefix);
  return status;
}

/* ---- the list ---- */

/* The run whose page the file is; -1: it is not a page of a run. */
static long run_of(const char *name, const char *prefix) {
  const size_t n = strlen(prefix);
  char *end;
  if (strncmp(name, prefix, n) != 0 || name[n] < '0' || name[n] > '9') { return -1; }
  errno = 0;
  const long run = strtol(name + n, &end, 10);
  return errno || run > INT_MAX || strcmp(end, ".html") != 0 ? -1 : run;
}

static int ascending(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static mbd_status add_page(const study_data *d, const char *folder, const char *name, long number, int **run, int *n,
                           mbd_error *err) {
  struct stat info;
  char *path = mbd_sprintf_dup("%s/%s", folder, name);
  if (!path) { return no_memory(err); }
  const int there = stat(path, &info) == 0 && info.st_mtime >= d->written && number < d->s->n;
  free(path);
  if (!there) { return MBD_OK; }
  int *grown = mbd_list_grow(*run, *n, sizeof *grown);
  if (!grown) { return no_memory(err); }
  *run = grown;
  grown[(*n)++] = (int)number;
  return MBD_OK;
}

mbd_status study_pages_list(const study_data *d, const char *path, int **run, int *n, mbd_error *err) {
  char *prefix = study_pages_prefix(path),
       *folder = mbd_sprintf_dup("%.*s.", (int)(name_of(path) - path), path); /* "FOLDER/." */
  DIR *list = prefix && folder ? opendir(folder) : NULL;
  mbd_status status = prefix && folder ? MBD_OK : no_memory(err);
  *run = NULL, *n = 0;
  for (const struct dirent *e; status == MBD_OK && list && (e = readdir(list));) {
    const long number = run_of(e->d_name, prefix);
    if (number >= 0) { status = add_page(d, folder, e->d_name, number, run, n, err); }
  }
  if (list) { closedir(list); }
  if (*n) { qsort(*run, (size_t)*n, sizeof **run, ascending); }
  free(prefix), free(folder);
  if (status != MBD_OK) {
    free(*run);
    *run = NULL;
  }
  return status;
}
