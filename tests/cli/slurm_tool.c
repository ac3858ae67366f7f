/* The library's side of Slurm for a test in the shell, with any program in the place of mbopt:
 *   slurm_tool submit STUDY PROGRAM ARRAY TIME_LIMIT   writes STUDY/batch, submits it, prints the number of the job
 *   slurm_tool ask JOB                                 prints the numbers of tasks pending, running, done, failed */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/atomic_file.h"
#include "study/slurm_queue.h"
#include "study/slurm_script.h"

static mbd_status submit(char **argument, mbd_error *err) {
  slurm_script s;
  slurm_job job;
  atomic_file file;
  slurm_script_init(&s);
  s.study = s.logs = argument[0], s.program = argument[1], s.array = argument[2], s.chunks = 4,
  s.time_limit = argument[3];
  char *path = path_in(argument[0], "batch");
  mbd_status status = atomic_open(path, &file, err);
  if (status == MBD_OK) { status = slurm_script_write(&s, file.out, err); }
  if (status == MBD_OK) { status = atomic_commit(&file, err); }
  if (status == MBD_OK) { status = slurm_submit(path, &job, err); }
  if (status == MBD_OK) { printf("%ld\n", job.id); }
  free(path);
  return status;
}

static mbd_status ask(const char *id, mbd_error *err) {
  slurm_job job;
  slurm_tasks t;
  MBD_TRY(slurm_read_job(id, &job, err));
  MBD_TRY(slurm_ask(&job, &t, err));
  printf("%d %d %d %d\n", t.pending, t.running, t.done, t.failed);
  return MBD_OK;
}

int main(int argc, char **argv) {
  mbd_error err = {0};
  mbd_status status = MBD_BAD_INPUT;
  if (argc == 6 && strcmp(argv[1], "submit") == 0) { status = submit(argv + 2, &err); }
  if (argc == 3 && strcmp(argv[1], "ask") == 0) { status = ask(argv[2], &err); }
  if (status != MBD_OK) { fprintf(stderr, "%s\n", err.text); }
  return status != MBD_OK;
}
