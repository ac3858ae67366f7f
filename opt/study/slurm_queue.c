#include "study/slurm_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/command.h"

static const char package[] = "slurm-client";

mbd_status slurm_read_job(const char *text, slurm_job *job, mbd_error *err) {
  char *end;
  *job = (slurm_job){.id = strtol(text, &end, 10)};
  if (end == text || job->id <= 0 || (*end != ';' && *end != '\n' && *end != '\0')) {
    MBD_FAIL(err, MBD_IO_ERROR, "sbatch answered \"%.*s\", expected the number of a job", (int)strcspn(text, "\n"),
             text);
  }
  if (*end == ';') { snprintf(job->cluster, sizeof job->cluster, "%.*s", (int)strcspn(end + 1, "\n"), end + 1); }
  return MBD_OK;
}

mbd_status slurm_submit(const char *script, slurm_job *job, mbd_error *err) {
  const char *const argv[] = {"sbatch", "--parsable", script, NULL};
  command_result r;
  MBD_TRY(command_run(argv, NULL, package, &r, err));
  mbd_status status = command_ok(argv[0], &r, err);
  if (status == MBD_OK) { status = slurm_read_job(r.out, job, err); }
  command_result_destroy(&r);
  return status;
}

/* ---- progress ---- */

enum { PENDING, RUNNING, DONE, FAILED, UNKNOWN };

static const struct {
  const char *name;
  int kind;
} states[] = {
    {"PENDING", PENDING},      {"CONFIGURING", PENDING},  {"REQUEUED", PENDING},      {"REQUEUE_FED", PENDING},
    {"REQUEUE_HOLD", PENDING}, {"SPECIAL_EXIT", PENDING}, {"RESV_DEL_HOLD", PENDING}, {"RUNNING", RUNNING},
    {"COMPLETING", RUNNING},   {"SUSPENDED", RUNNING},    {"STOPPED", RUNNING},       {"SIGNALING", RUNNING},
    {"STAGE_OUT", RUNNING},    {"RESIZING", RUNNING},     {"COMPLETED", DONE},        {"FAILED", FAILED},
    {"CANCELLED", FAILED},     {"TIMEOUT", FAILED},       {"NODE_FAIL", FAILED},      {"PREEMPTED", FAILED},
    {"BOOT_FAIL", FAILED},     {"DEADLINE", FAILED},      {"OUT_OF_MEMORY", FAILED},  {"REVOKED", FAILED}};

static int state_kind(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
    if (strlen(states[i].name) == length && strncmp(states[i].name, name, length) == 0) { return states[i].kind; }
  }
  return UNKNOWN;
}

void slurm_read_tasks(const char *text, slurm_tasks *tasks) {
  int count[UNKNOWN + 1] = {0};
  *tasks = (slurm_tasks){0};
  while (*text) {
    size_t line = strcspn(text, "\n"), word = strcspn(text, " \n");
    int kind = state_kind(text, word);
    count[kind]++;
    /* The first reason for which a task waits. */
    const char *reason = text + word + 1;
    const int length = (int)(line - word) - 1;
    if (kind == PENDING && word < line && !tasks->reason[0] && (length != 4 || strncmp(reason, "None", 4) != 0)) {
      snprintf(tasks->reason, sizeof tasks->reason, "%.*s", length, reason);
    }
    text += line + (text[line] == '\n');
  }
  tasks->pending = count[PENDING], tasks->running = count[RUNNING];
  tasks->done = count[DONE], tasks->failed = count[FAILED];
}

mbd_status slurm_ask(const slurm_job *job, slurm_tasks *tasks, mbd_error *err) {
  char id[64], cluster[sizeof job->cluster + 16];
  snprintf(id, sizeof id, "--jobs=%ld", job->id);
  snprintf(cluster, sizeof cluster, "--clusters=%s", job->cluster);
  const char *const argv[] = {
      "squeue", "--noheader", "--array", "--states=all", "--format=%T %r", id, job->cluster[0] ? cluster : NULL, NULL};
  command_result r;
  MBD_TRY(command_run(argv, NULL, package, &r, err));
  int is_forgotten = r.code != 0 && strstr(r.text, "Invalid job id");
  mbd_status status = is_forgotten ? MBD_OK : command_ok(argv[0], &r, err);
  if (status == MBD_OK) { slurm_read_tasks(r.out, tasks); }
  command_result_destroy(&r);
  return status;
}
