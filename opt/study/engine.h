/* Engines, which execute the runs of a study: one table, a file each. An engine does the missing runs of [first, last); it does not
 * depend on what a run computes. */
#ifndef MBO_ENGINE_H
#define MBO_ENGINE_H

#include <signal.h>
#include <stdio.h>

#include "study/study.h"

typedef struct engine_progress {
  long total, done, failed; /* of the runs [first, last), including those done before */
  double seconds, left;     /* time since the engine started; estimated time left, NaN: not known yet */
} engine_progress;

typedef struct engine_task {
  study *s;
  long first, last;
  int retry_failed;    /* 1: runs that are recorded as failed are repeated */
  int dry;             /* 1: print on `out` what would be done, and do nothing */
  int wait;            /* 1: return when all runs are done, if they are in a queue */
  int allow_plugins;   /* 1: processes on other machines load all libraries that run files name */
  int allow_commands;  /* 1: they start whatever optimizers run files name */
  const char *command; /* the one that they start in any case; NULL: none */
  FILE *out;           /* messages, one per line; NULL: none */
  const volatile sig_atomic_t *stop;
  const char *program; /* path of this program, for engines that start it on other machines */
  void (*progress)(void *user, const engine_progress *p);
  void *user;
} engine_task;

typedef struct engine_ops {
  const char *name, *doc;
  /* MBD_INTERRUPTED: stopped; finished runs are recorded, and the text of the error explains how to continue. Failed
   * runs are no error: *p counts them. */
  mbd_status (*perform)(const engine_task *t, engine_progress *p, mbd_error *err);
  /* Describes the jobs of a study's folder in the queue as a sentence, with the time of submission [s of the clock]; both are unchanged
   * if there never were any. *there: 1: some jobs remain, 0: none; -1: the queue does not answer; the text reports
   * this. MBD_NO_MEMORY: not known. NULL: the engine has no queue. */
  mbd_status (*describe)(const char *folder, int *there, char *text, size_t size, double *since, mbd_error *err);
  const char *end;  /* command that cancels the jobs */
  const char *file; /* file in the folder in which the engine records its jobs */
} engine_ops;

const engine_ops *engine_at(int i); /* NULL past the end */
const engine_ops *engine_find(const char *name);

/* Checks that no engine has runs of the study in a queue, where they would be done a second time. MBD_NO_MEMORY; MBD_BAD_INPUT: some
 * engine has runs in its queue, or may have, since the queue does not answer. */
mbd_status engine_check_idle(const char *folder, mbd_error *err);

#endif
