#include "results/earlier_run.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "evaluate/journal.h"
#include "files/json.h"
#include "files/atomic_file.h"
#include "files/earlier.h"

/* The beginnings of the names of files that runs write. Files of the last two show that there are results to keep; they
 * are moved last, so that after a process was killed the next one moves the remaining files. */
static const char *const beginnings[] = {"trajectory",  "sensitivities", "inverse_dynamics", "eigenvalues.csv",
                                         "history.csv", "residuals.csv", "report.html",      "journal.jsonl.damaged",
                                         "result.json", "journal.jsonl", "resolved.ini"};
enum { N_BEGINNINGS = sizeof beginnings / sizeof beginnings[0] };

void earlier_free(earlier *e) {
  free(e->folder), free(e->origin);
  *e = (earlier){0};
}

/* Finds the reason for which earlier results must be kept. */
static mbd_status find_reason(const char *resolved, const char *result, const char *lines, const mbo_run_config *c,
                              earlier_writer writer, earlier *e, mbd_error *err) {
  int is_open = 0;
  errno = 0;
  e->origin = mbo_run_config_origin(resolved);
  if (!e->origin && errno == ENOMEM) { return MEMORY_NONE(err, "%s", resolved); }
  if (e->origin && strcmp(e->origin, c->path) != 0) {
    e->reason = EARLIER_OTHER;
  } else if (writer == EARLIER_OPTIMIZES) {
    MBD_TRY(journal_is_open(lines, &is_open, err));
    if (is_open) { e->reason = EARLIER_OPEN; }
  } else if (writer == EARLIER_SIMULATES) {
    json_t *o;
    MEMORY_TRY(json_read_file(result, &o, NULL) != MBD_NO_MEMORY, err, "%s", result);
    if (json_object_get(o, "status")) { e->reason = EARLIER_OPTIMIZATION; }
    json_decref(o);
  }
  return MBD_OK;
}

static mbd_status look(const char *folder, const mbo_run_config *c, earlier_writer writer, earlier *e, mbd_error *err) {
  char *resolved = path_in(folder, "resolved.ini"), *result = path_in(folder, "result.json"),
       *lines = path_in(folder, "journal.jsonl");
  mbd_status status = MEMORY_WHOLE(err, "the results in %s", folder);
  if (status == MBD_OK) { status = find_reason(resolved, result, lines, c, writer, e, err); }
  const int moves = status == MBD_OK && (e->reason == EARLIER_OTHER || e->reason == EARLIER_OPEN);
  if (moves && journal_is_taken(lines)) {
    status =
        MBD_FAILED(err, MBD_BAD_INPUT,
                   "another process is writing %s; wait for it, end it, or choose another folder with --output", lines);
  }
  free(resolved), free(result), free(lines);
  return status;
}

typedef struct keeping {
  const char *folder;
  const earlier *e;
} keeping;

/* A kept optimization can be continued from its journal in the folder, so its files remain there, too. The journal is
 * written in place and is copied; all other files are replaced by new ones, so a link suffices. */
static mbd_status keep_one(void *user, const char *name, mbd_error *err) {
  const keeping *k = user;
  if (k->e->reason != EARLIER_OPTIMIZATION) { return earlier_move(k->folder, name, k->e->folder, err); }
  char *from = path_in(k->folder, name), *to = path_in(k->e->folder, name);
  const int is_journal = strcmp(name, "journal.jsonl") == 0;
  const mbd_status status = !from || !to ? MEMORY_NONE(err, "the results in %s", k->folder)
                            : is_journal ? copy_file(from, to, err)
                                         : link_file(from, to, err);
  free(from), free(to);
  return status;
}

mbd_status earlier_keep(const char *folder, const mbo_run_config *c, earlier_writer writer, earlier *e,
                        mbd_error *err) {
  const keeping k = {folder, e};
  *e = (earlier){0};
  MBD_TRY(look(folder, c, writer, e, err));
  if (e->reason == EARLIER_NOTHING) { return MBD_OK; }
  MBD_TRY(earlier_make(folder, &e->folder, err));
  for (int i = 0; i < N_BEGINNINGS; i++) { MBD_TRY(folder_each(folder, beginnings[i], keep_one, (void *)&k, err)); }
  return MBD_OK;
}
