/* The batch script of a study on a Slurm cluster: one task of a job array for each chunk of runs. */
#ifndef MBO_SLURM_SCRIPT_H
#define MBO_SLURM_SCRIPT_H

#include <stdio.h>

#include "mbd/status.h"

/* The arguments of the script. For texts that are NULL or "" and numbers that are 0 the cluster's defaults apply. */
typedef struct slurm_script {
  const char *job_name;
  const char *program; /* path of mbopt on the nodes, absolute */
  const char *study;   /* folder of the study, absolute */
  const char *logs;    /* existing folder; every task appends to ID_CHUNK.log, also after a restart */
  const char *array;   /* chunks, as slurm_array_spec writes them; NULL: no array but one job that merges the study */
  int chunks;          /* number of parts of the whole study */
  const char *dependency;                                      /* "afterany:17": the job that must have ended before */
  const char *partition, *time_limit, *memory, *account, *qos; /* in the syntax of sbatch: "2:00:00", "4G" */
  const char *sbatch_options; /* further options of sbatch, in one line or several; they override those above */
  int cpus_per_task;
  int warning;         /* USR1 is sent so many seconds before the time limit, or up to a minute earlier */
  int allow_plugins;   /* 1: with the option of this name */
  int allow_commands;  /* 1: likewise */
  const char *command; /* with the option of this name; NULL: without */
  int max_restarts;    /* after so many restarts a task is left to `mbopt resume` */
} slurm_script;

/* Sets all to NULL or 0, except job_name "mbopt", warning 60, max_restarts 100. */
void slurm_script_init(slurm_script *s);

/* Writes the script. Every task runs `PROGRAM work STUDY --chunk N/CHUNKS` and passes USR1 and TERM on to it. If the program exits with 75
 * (saved, not done), the task returns to the queue, unless it received TERM: after preemption and failures of nodes Slurm restarts a
 * task by itself, and after scancel it must not be restarted.
 * s        program, study, logs are given, and array with chunks, or none
 * returns  MBD_BAD_INPUT for a text that a line of a batch script cannot contain; a part of the script has been written then;
 *          the caller checks `out` for errors */
mbd_status slurm_script_write(const slurm_script *s, FILE *out, mbd_error *err);

/* "0,3-7,12" for increasing numbers chunk [n], n > 0, none below 0; with max_at_once > 0 "0,3-7,12%4": at most so many at the same
 * time. In new memory; NULL: no memory. */
char *slurm_array_spec(const int *chunk, int n, int max_at_once);

#endif
