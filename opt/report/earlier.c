#include "report/earlier.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "evaluate/journal.h"
#include "files/json.h"
#include "files/atomic_file.h"

/* What runs write. The last two say that there is something to keep: they go last, so that a process that is killed before them
 * leaves it to the next. */
static const char *const beginnings[] = {"trajectory",    "sensitivities", "eigenvalues.csv",       "history.csv",
                                         "compare.csv",   "report.html",   "journal.jsonl.damaged", "result.json",
                                         "journal.jsonl", "resolved.ini"};
enum { N_BEGINNINGS = sizeof beginnings / sizeof beginnings[0] };

void earlier_free(earlier *e) {
  free(e->folder), free(e->origin);
  *e = (earlier){0};
}

static mbd_status no_memory(const char *folder, mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the results in %s", folder);
}

static mbd_status is_optimization(const char *result, int *is, mbd_error *err) {
  json_t *o;
  if (json_read_file(result, &o, NULL) == MBD_NO_MEMORY) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", result); }
  *is = json_object_get(o, "status") != NULL;
  json_decref(o);
  return MBD_OK;
}

/* Why there is something to keep. */
static mbd_status find_reason(const char *resolved, const char *result, const char *lines, const mbo_run_config *c,
                              int optimizes, earlier *e, mbd_error *err) {
  int is = 0;
  errno = 0;
  e->origin = mbo_run_config_origin(resolved);
  if (!e->origin && errno == ENOMEM) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for %s", resolved); }
  if (e->origin && strcmp(e->origin, c->path) != 0) {
    e->reason = EARLIER_OTHER;
  } else if (optimizes) {
    MBD_TRY(journal_is_open(lines, &is, err));
    if (is) { e->reason = EARLIER_OPEN; }
  } else {
    MBD_TRY(is_optimization(result, &is, err));
    if (is) { e->reason = EARLIER_OPTIMIZATION; }
  }
  return MBD_OK;
}

static mbd_status look(const char *folder, const mbo_run_config *c, int optimizes, earlier *e, mbd_error *err) {
  char *resolved = path_in(folder, "resolved.ini"), *result = path_in(folder, "result.json"),
       *lines = path_in(folder, "journal.jsonl");
  mbd_status status =
      resolved && result && lines ? find_reason(resolved, result, lines, c, optimizes, e, err) : no_memory(folder, err);
  const int moves = status == MBD_OK && (e->reason == EARLIER_OTHER || e->reason == EARLIER_OPEN);
  if (moves && journal_is_taken(lines)) {
    status =
        mbd_fail(err, MBD_BAD_INPUT, __func__, __LINE__,
                 "another process is writing %s; wait for it, end it, or choose another folder with --output", lines);
  }
  free(resolved), free(result), free(lines);
  return status;
}

static mbd_status make_next_folder(const char *folder, earlier *e, mbd_error *err) {
  for (int k = 1;; k++) {
    free(e->folder);
    e->folder = mbd_sprintf_dup("%s/earlier-%d", folder, k);
    if (!e->folder) { return no_memory(folder, err); }
    if (mkdir(e->folder, 0777) == 0) { return MBD_OK; }
    if (errno != EEXIST) { MBD_FAIL(err, MBD_IO_ERROR, "folder %s cannot be made: %s", e->folder, strerror(errno)); }
  }
}

static int beginning_of(const char *name) {
  int k = 0;
  while (k < N_BEGINNINGS && strncmp(name, beginnings[k], strlen(beginnings[k])) != 0) { k++; }
  return k;
}

/* An optimization goes on from its journal in the folder: it has its files there too. A journal is written where it is, so it needs
 * a copy; all others are replaced. */
static mbd_status keep_one(const char *folder, const char *name, const earlier *e, mbd_error *err) {
  char *from = path_in(folder, name), *to = path_in(e->folder, name);
  mbd_status status = from && to ? MBD_OK : no_memory(folder, err);
  if (status == MBD_OK && e->reason == EARLIER_OPTIMIZATION) {
    const int is_journal = strcmp(name, "journal.jsonl") == 0;
    status = is_journal ? copy_file(from, to, err) : link_file(from, to, err);
  } else if (status == MBD_OK && rename(from, to) != 0) {
    status = mbd_fail(err, MBD_IO_ERROR, __func__, __LINE__, "%s cannot be moved to %s: %s", from, to, strerror(errno));
  }
  free(from), free(to);
  return status;
}

/* All files that begin in this way. */
static mbd_status keep_some(const char *folder, int beginning, const earlier *e, mbd_error *err) {
  DIR *d = opendir(folder);
  mbd_status status = MBD_OK;
  if (!d) { MBD_FAIL(err, io_status(errno), "%s cannot be read: %s", folder, strerror(errno)); }
  for (struct dirent *f; status == MBD_OK && (f = readdir(d)) != NULL;) {
    if (beginning_of(f->d_name) == beginning) { status = keep_one(folder, f->d_name, e, err); }
  }
  closedir(d);
  return status;
}

mbd_status earlier_keep(const char *folder, const mbo_run_config *c, int optimizes, earlier *e, mbd_error *err) {
  *e = (earlier){0};
  MBD_TRY(look(folder, c, optimizes, e, err));
  if (e->reason == EARLIER_NOTHING) { return MBD_OK; }
  MBD_TRY(make_next_folder(folder, e, err));
  for (int k = 0; k < N_BEGINNINGS; k++) { MBD_TRY(keep_some(folder, k, e, err)); }
  return MBD_OK;
}
