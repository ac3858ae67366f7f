#include "cli/live.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "evaluate/seconds.h"
#include "files/atomic_file.h"
#include "files/memory.h"

static const double PAUSE_MIN = 2, PARTS = 30; /* [s]; the time is so many times that of the page */

static void write_page(cli_live *l, double live) {
  char *path = path_in(l->folder, "report.html");
  const mbd_status status = path ? l->write(l->user, live, path, &l->err) : MEMORY_NONE(&l->err, "the live page");
  if (status != MBD_OK) {
    fprintf(stderr, "mbopt: warning: %s: the page is not written any more: %s\n", l->folder, l->err.text);
    l->folder = NULL;
  }
  free(path);
}

void cli_live_look(cli_live *l) {
  const double begun = seconds_now();
  if (!l->folder || begun < l->due) { return; }
  if (l->due == 0 && !l->quiet) { fprintf(stderr, "mbopt: live page: %s/report.html\n", l->folder); }
  l->pause = fmax(PAUSE_MIN, l->pause);
  write_page(l, l->pause);
  const double ended = seconds_now();
  l->pause = fmax(PAUSE_MIN, PARTS * (ended - begun));
  l->due = ended + l->pause;
}

void cli_live_end(cli_live *l) {
  if (l->folder) { write_page(l, 0); }
}
