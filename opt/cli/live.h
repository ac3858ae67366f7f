/* Pages that are written anew while a study or an optimization goes on (--live): FOLDER/report.html, first at once, then at most every 2 s and for at
 * most a thirtieth of the time. What reads them needs no server: the page loads itself again (report/assets/live.js). The last one is that of `mbopt report`. */
#ifndef MBO_CLI_LIVE_H
#define MBO_CLI_LIVE_H

#include <signal.h>

#include "mbd/status.h"

typedef struct cli_live {
  const char *folder; /* NULL: no page was asked for, or it cannot be written, because of */
  mbd_error err;
  /* live: the seconds until the next page; 0: the last one */
  mbd_status (*write)(void *user, double live, const char *path, mbd_error *err);
  void *user;
  int quiet;         /* 1: where the page is, is not told */
  double due, pause; /* [s] when the next page is written, as seconds_now; after how long */
} cli_live;

/* Writes the page if it is time for it. A page that cannot be written is told once as a warning; the work goes on without. */
void cli_live_look(cli_live *l);
/* Writes the last page, of what has ended. */
void cli_live_end(cli_live *l);

/* The page of a study at `path`, as `mbopt report` makes it. runs: as --runs. live: as above; such pages, and those of motions = 0, have no motions and
 * no pages of runs. *left: how many runs are left. */
mbd_status cli_report_study(const char *folder, const char *runs, int motions, double live, const char *path,
                            const volatile sig_atomic_t *stop, long *left, mbd_error *err);
/* The page of the run in a folder. */
mbd_status cli_report_run(const char *folder, const char *path, const volatile sig_atomic_t *stop, mbd_error *err);

#endif
