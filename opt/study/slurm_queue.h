/* Asking Slurm: submit a script, how far its tasks are. By its commands, which every cluster has. */
#ifndef MBO_SLURM_QUEUE_H
#define MBO_SLURM_QUEUE_H

#include "mbd/status.h"

typedef struct slurm_job {
  long id;
  char cluster[64]; /* "" but where several clusters share their queues */
} slurm_job;

typedef struct slurm_tasks {
  int pending, running, done, failed; /* done: exit code 0; failed: any other end, cancelled too */
  char reason[128]; /* why the first of those pending waits ("Resources", "JobHeldUser", ...), or "" */
} slurm_tasks;

/* sbatch on a script. MBD_UNSUPPORTED: no sbatch here; MBD_IO_ERROR with its own words: refused. */
mbd_status slurm_submit(const char *script, slurm_job *job, mbd_error *err);

/* squeue on a job. Slurm forgets finished tasks after minutes, and then the job: nothing pending, nothing running.
 * MBD_IO_ERROR: the queue does not answer, which says nothing of the job. */
mbd_status slurm_ask(const slurm_job *job, slurm_tasks *tasks, mbd_error *err);

/* "17" or "17;cluster", as sbatch --parsable prints. */
mbd_status slurm_read_job(const char *text, slurm_job *job, mbd_error *err);

/* Lines of state and reason, one for each task: "PENDING Resources". Lines that begin otherwise are passed over. */
void slurm_read_tasks(const char *text, slurm_tasks *tasks);

#endif
