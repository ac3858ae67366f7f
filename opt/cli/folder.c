/* The folder of the results, before a command writes into it. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "files/atomic_file.h"
#include "files/memory.h"
#include "results/results.h"
#include "results/run_view.h"

/* Moves earlier results of another run out of the folder, and tells the user where they are kept. */
static mbd_status keep_earlier(const cli_run *r, earlier_writer writer, mbd_error *err) {
  const char *folder = r->folder;
  earlier e = {0};
  const mbd_status status = earlier_keep(folder, r->config, writer, &e, err);
  const int is_kept = status == MBD_OK && r->a->verbosity >= 0;
  if (is_kept && e.reason == EARLIER_OTHER) {
    fprintf(stderr, "mbopt: the results of %s in %s are kept in %s\n", e.origin, folder, e.folder);
  }
  if (is_kept && e.reason == EARLIER_OPTIMIZATION) {
    fprintf(stderr, "mbopt: the results of the optimization in %s are kept in %s\n", folder, e.folder);
  }
  if (is_kept && e.reason == EARLIER_OPEN) {
    fprintf(
        stderr,
        "mbopt: the journal in %s is of a run that did not come to its end; it is kept in %s, from which '--output %s "
        "--resume' goes on, as --resume alone would have done\n",
        folder, e.folder, e.folder);
  }
  earlier_free(&e);
  return status;
}

static int has(const cli_run *r, const char *name) {
  char *path = path_in(r->folder, name);
  const int is_there = path && access(path, F_OK) == 0;
  free(path);
  return is_there;
}

/* Whether the folder is `above` or in it. */
static int is_below(const char *above, const char *folder) {
  char resolved[PATH_MAX], of[PATH_MAX];
  if (!realpath(folder, resolved) || !realpath(above, of)) { return 0; }
  const size_t n = strcmp(of, "/") == 0 ? 0 : strlen(of);
  return strncmp(resolved, of, n) == 0 && (resolved[n] == '/' || !resolved[n]);
}

mbd_status cli_make_folder(const cli_run *r, const char *folder, mbd_error *err) {
  const char *run = r->config->path, *slash = strrchr(run, '/');
  static int warned;
  char beside[PATH_MAX];
  snprintf(beside, sizeof beside, "%.*s/.", slash ? (int)(slash - run) : 1, slash ? run : ".");
  MBD_TRY(make_folder(folder, err));
  if (!warned && !r->a->output && r->a->verbosity >= 0 && !is_below(".", folder) && !is_below(beside, folder)) {
    fprintf(stderr,
            "mbopt: warning: %s: [output] folder: results go to %s, outside the working directory and the folder of "
            "the run file\n",
            run, folder);
    warned = 1;
  }
  return MBD_OK;
}

mbd_status cli_prepare_folder(const cli_run *r, earlier_writer writer, mbd_error *err) {
  MBD_TRY(cli_make_folder(r, r->folder, err));
  atomic_tidy(r->folder);
  if (r->a->resume && has(r, "journal.jsonl")) { return MBD_OK; } /* the run continues with all of these files */
  MBD_TRY(keep_earlier(r, writer, err));
  return writer == EARLIER_ADDS && !has(r, "resolved.ini") ? results_write_config(r->folder, r->config, err) : MBD_OK;
}

int cli_requests_page(const cli_arguments *a) {
  return a->format && strcmp(a->format, "html") == 0;
}

mbd_status cli_write_page(const cli_run *r, const char *name, json_t *o, cli_page_writer *write, mbd_error *err) {
  mbd_status status = cli_prepare_folder(r, EARLIER_ADDS, err);
  char *path = status == MBD_OK ? path_in(r->folder, name) : NULL;
  run_view_files(r->m, o);
  if (status == MBD_OK) { status = path && o ? write(o, path, err) : MEMORY_NONE(err, "the page"); }
  json_decref(o);
  if (status == MBD_OK && !r->a->json && r->a->verbosity >= 0) { puts(path); }
  free(path);
  return status;
}
