/* Who does the runs of a study: one table, a file each. An engine does what is missing of the runs [first, last), and knows
 * nothing of what a run is. */
#ifndef MBO_ENGINE_H
#define MBO_ENGINE_H

#include <signal.h>
#include <stdio.h>

#include "study/study.h"

typedef struct engine_progress {
  long total, done, failed; /* of the runs [first, last), with those that were there */
  double seconds, left;     /* since the engine began; that it may still take, NaN: not known yet */
} engine_progress;

typedef struct engine_task {
  study *s;
  long first, last;
  int retry_failed; /* runs that are recorded as failed are repeated */
  int dry;          /* tell on `out` what would be done, and do nothing */
  int wait;         /* come back when all is done, where the runs are in a queue */
  FILE *out;        /* what there is to say, a line each; NULL: nothing */
  const volatile sig_atomic_t *stop;
  const char *program; /* this program, for engines that start it elsewhere */
  void (*progress)(void *user, const engine_progress *p);
  void *user;
} engine_task;

typedef struct engine_ops {
  const char *name, *doc;
  /* MBD_INTERRUPTED: told to stop, what is done is recorded, and the text of the error says how to go on. Runs that fail are no
   * error: *p counts them. */
  mbd_status (*perform)(const engine_task *t, engine_progress *p, mbd_error *err);
  /* What a study in a folder has in a queue, as a sentence; since when [s of the clock]; both stay as they are if there
   * never was anything. *there: whether something still is; -1: the queue does not answer, which the text says. MBD_NO_MEMORY: not
   * known. NULL: the engine has no queue. */
  mbd_status (*describe)(const char *folder, int *there, char *text, size_t size, double *since, mbd_error *err);
  const char *end;  /* command that ends what is there */
  const char *file; /* of the folder, in which the engine remembers what it has in the queue */
} engine_ops;

const engine_ops *engine_at(int i); /* NULL past the end */
const engine_ops *engine_find(const char *name);

/* MBD_NO_MEMORY; MBD_BAD_INPUT: runs of the study in this folder are in some engine's queue, or may be, since it does not answer; who
 * began them would do them twice. */
mbd_status engine_check_idle(const char *folder, mbd_error *err);

#endif
