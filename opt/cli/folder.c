/* The folder of the results, before a command writes into it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "files/atomic_file.h"
#include "report/results.h"

/* Moves earlier results of another run out of the folder, and tells the user where they are kept. */
static mbd_status keep_earlier(const cli_run *r, earlier_writer writer, mbd_error *err) {
  const char *folder = r->folder;
  earlier e = {0};
  const mbd_status status = earlier_keep(folder, r->config, writer, &e, err);
  const int tell = status == MBD_OK && r->a->verbosity >= 0;
  if (tell && e.reason == EARLIER_OTHER) {
    fprintf(stderr, "mbopt: the results of %s in %s are kept in %s\n", e.origin, folder, e.folder);
  }
  if (tell && e.reason == EARLIER_OPTIMIZATION) {
    fprintf(stderr, "mbopt: the results of the optimization in %s are kept in %s\n", folder, e.folder);
  }
  if (tell && e.reason == EARLIER_OPEN) {
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

mbd_status cli_prepare_folder(const cli_run *r, earlier_writer writer, mbd_error *err) {
  MBD_TRY(make_folder(r->folder, err));
  atomic_tidy(r->folder);
  if (r->a->resume && has(r, "journal.jsonl")) { return MBD_OK; } /* the run continues with all of these files */
  MBD_TRY(keep_earlier(r, writer, err));
  return writer == EARLIER_ADDS && !has(r, "resolved.ini") ? results_write_config(r->folder, r->config, err) : MBD_OK;
}

int cli_wants_page(const cli_arguments *a) {
  return a->format && strcmp(a->format, "html") == 0;
}

mbd_status cli_page_path(const cli_run *r, const char *name, char **path, mbd_error *err) {
  *path = NULL;
  MBD_TRY(cli_prepare_folder(r, EARLIER_ADDS, err));
  *path = path_in(r->folder, name);
  return *path ? MBD_OK : MBD_FAILED(err, MBD_NO_MEMORY, "no memory for the page");
}
