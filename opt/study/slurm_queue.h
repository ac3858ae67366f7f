/* Interface to Slurm's commands: submits a script, and asks for the states of its tasks. */
#ifndef MBO_SLURM_QUEUE_H
#define MBO_SLURM_QUEUE_H

#include "mbd/status.h"

typedef struct slurm_job {
  long id;
  char cluster[64]; /* "" unless several clusters share their queues */
} slurm_job;

typedef struct slurm_tasks {
  int pending, running, done, failed; /* done: exit code 0; failed: any other end, including cancelled ones */
  char reason[128];                   /* why the first pending task waits ("Resources", "JobHeldUser", ...), or "" */
} slurm_tasks;

/* Submits a script with sbatch. MBD_UNSUPPORTED: there is no sbatch; MBD_IO_ERROR with sbatch's message: refused. */
mbd_status slurm_submit(const char *script, slurm_job *job, mbd_error *err);

/* Requests the state of a job from squeue. Slurm deletes finished tasks after minutes, and then the job: none is pending, none running. MBD_IO_ERROR:
 * the queue does not answer, so that the state of the job is not known. */
mbd_status slurm_ask(const slurm_job *job, slurm_tasks *tasks, mbd_error *err);

/* Reads "17" or "17;cluster", the output of sbatch --parsable. */
mbd_status slurm_read_job(const char *text, slurm_job *job, mbd_error *err);

/* Reads lines of state and reason, one for each task: "PENDING Resources". Lines with other beginnings are ignored. */
void slurm_read_tasks(const char *text, slurm_tasks *tasks);

#endif
