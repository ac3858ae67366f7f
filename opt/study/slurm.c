/* Runs as a job array of a Slurm cluster: every task does an equal share of the study with `mbopt work`, by the worker processes of the
 * local engine on its node. slurm_script.c has the script of a task, with its end and its restarts. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "evaluate/seconds.h"
#include "files/memory.h"
#include "files/json.h"
#include "files/atomic_file.h"
#include "files/plural.h"
#include "study/engine.h"
#include "study/runs.h"
#include "study/slurm_queue.h"
#include "study/slurm_script.h"

/* ---- the job that was submitted: slurm.json ---- */

/* Reads the job of a study. job->id 0: there is none. MBD_NO_MEMORY: not known. */
static mbd_status read_job(const char *folder, slurm_job *job, double *since, mbd_error *err) {
  json_t *o;
  double written = -1;
  MBD_TRY(file_written(folder, "slurm.json", &written, err));
  MEMORY_TRY(json_read_in(folder, "slurm.json", &o, NULL) != MBD_NO_MEMORY, err, "%s/slurm.json", folder);
  const char *cluster = json_string_value(json_object_get(o, "cluster"));
  *job = (slurm_job){.id = (long)json_integer_value(json_object_get(o, "job"))};
  snprintf(job->cluster, sizeof job->cluster, "%s", cluster ? cluster : "");
  if (written >= 0) { *since = written; }
  json_decref(o);
  return MBD_OK;
}

/* Describes the state of the job that was submitted for the study in the folder. */
static mbd_status describe(const char *folder, int *there, char *text, size_t size, double *since, mbd_error *err) {
  slurm_job job;
  slurm_tasks k;
  mbd_error why = {0};
  *there = 0;
  MBD_TRY(read_job(folder, &job, since, err));
  if (job.id <= 0) { return MBD_OK; }
  const mbd_status asked = slurm_ask(&job, &k, &why);
  if (asked == MBD_NO_MEMORY) { MBD_FAIL(err, MBD_NO_MEMORY, "%s", why.text); }
  if (asked != MBD_OK) {
    snprintf(text, size, "Slurm job %ld: the queue does not answer: %.200s", job.id, why.text);
    *there = -1;
    return MBD_OK;
  }
  const int more = k.pending + k.running;
  snprintf(text, size, more ? "Slurm job %ld: %d %s, %d wait%s%s%s" : "Slurm job %ld: over", job.id, k.running,
           k.running == 1 ? "task runs" : "tasks run", k.pending, *k.reason ? " (" : "", k.reason,
           *k.reason ? ")" : "");
  *there = more > 0;
  return MBD_OK;
}

/* ---- chunks with missing runs ---- */

typedef struct chunks {
  int of;    /* parts of the study */
  int n;     /* number of those with missing runs */
  int *k;    /* [n] */
  long left; /* runs */
} chunks;

/* Finds the parts of the study with missing runs. A failure that is to be repeated is forgotten, so that its run is missing. */
static mbd_status find_chunks(const engine_task *t, chunks *c, mbd_error *err) {
  study *s = t->s;
  const int tasks = strcmp(s->kind, "pareto") == 0 ? 1 : s->config->slurm.tasks; /* points follow from each other */
  *c = (chunks){.of = tasks < runs_batches(s) ? tasks : (int)runs_batches(s)};
  c->k = mbd_zeros((size_t)c->of, sizeof *c->k);
  MEMORY_TRY(c->k, err, "the jobs of %s", s->folder);
  for (int k = 0; k < c->of; k++) {
    const long before = c->left;
    long first, last;
    runs_part(s, k, c->of, &first, &last);
    for (long i = first; i < last; i++) {
      runs_state state;
      MBD_TRY(runs_look(s, i, &state, err));
      const int again = state == RUN_FAILED && t->retry_failed;
      if (again && !t->dry) { MBD_TRY(runs_forget(s, i, err)); }
      c->left += state == RUN_MISSING || again;
    }
    if (c->left > before) { c->k[c->n++] = k; }
  }
  return MEMORY_WHOLE(err, "the jobs of %s", s->folder);
}

/* ---- the scripts ---- */

/* The arguments of a submission, with texts that it owns. */
typedef struct submission {
  char *study, *logs, *array, *options, *name;
  slurm_script work, merge;
} submission;

static char *join_lines(const mbo_names *names) {
  char *text = mbd_strdup("");
  for (int i = 0; text && i < names->n; i++) {
    char *longer = mbd_sprintf_dup("%s%s\n", text, names->v[i]);
    free(text);
    text = longer;
  }
  return text;
}

/* Collects the arguments of the scripts: of the array that does the runs, and of the job that merges them. */
static mbd_status prepare(const engine_task *t, const chunks *c, submission *job, mbd_error *err) {
  const study *s = t->s;
  const mbo_slurm_config *g = &s->config->slurm;
  const char *slash = strrchr(s->folder, '/');
  /* Texts that the scripts point to and the submission owns. */
  *job = (submission){.study = realpath(s->folder, NULL),
                      .array = slurm_array_spec(c->k, c->n, g->at_once),
                      .options = join_lines(&g->options),
                      .name = mbd_sprintf_dup("mbopt %s", slash && slash[1] ? slash + 1 : s->folder)};
  job->logs = job->study ? path_in(job->study, "slurm") : NULL;
  MEMORY_TRY(job->study && job->array && job->options && job->name && job->logs, err, "the jobs of %s", s->folder);
  /* Arguments of both scripts. */
  slurm_script_init(&job->work);
  job->work.job_name = job->name, job->work.program = t->program, job->work.study = job->study,
  job->work.logs = job->logs;
  job->work.partition = g->partition, job->work.account = g->account, job->work.qos = g->qos;
  job->work.sbatch_options = job->options;
  job->work.allow_plugins = t->allow_plugins;
  job->work.allow_commands = t->allow_commands, job->work.command = t->command;
  job->merge = job->work;
  /* Arguments of the array alone: the job that merges has no chunks and takes the defaults. */
  job->work.array = job->array, job->work.chunks = c->of;
  job->work.time_limit = g->time_limit, job->work.memory = g->memory, job->work.cpus_per_task = g->cpus;
  job->work.max_restarts = g->requeues;
  return MBD_OK;
}

static mbd_status submit(const submission *array, const char *name, const slurm_script *script, slurm_job *job,
                         mbd_error *err) {
  atomic_file a;
  MBD_TRY(make_folder(array->logs, err));
  MBD_TRY(atomic_open_in(array->logs, name, &a, err));
  mbd_status status = slurm_script_write(script, a.out, err);
  MBD_TRY(atomic_end(&a, status, err));
  char *path = path_in(array->logs, name);
  status = path ? slurm_submit(path, job, err) : MEMORY_NONE(err, "a job");
  free(path);
  return status;
}

/* Submits the array, and a job after it that merges the finished runs. */
static mbd_status submit_all(const engine_task *t, submission *array, slurm_job *job, mbd_error *err) {
  slurm_job merge;
  char after[64];
  MBD_TRY(submit(array, "work.sh", &array->work, job, err));
  json_t *o = json_pack("{s:I, s:s}", "job", (json_int_t)job->id, "cluster", job->cluster);
  const mbd_status status = json_write_file(t->s->folder, "slurm.json", o, err);
  json_decref(o);
  MBD_TRY(status);
  snprintf(after, sizeof after, "afterany:%ld", job->id);
  array->merge.dependency = after;
  return submit(array, "merge.sh", &array->merge, &merge, err);
}

/* ---- waiting ---- */

/* Waits until the queue has no task of the job. The end is decided by the queue and not by the runs. */
static mbd_status wait_for(const engine_task *t, const slurm_job *job, long before, engine_progress *p,
                           mbd_error *err) {
  static const struct timespec pause = {.tv_sec = 1};
  const double begun = seconds_now();
  for (;;) {
    slurm_tasks k;
    runs_count counts = {0};
    MBD_TRY(slurm_ask(job, &k, err));
    MBD_TRY(runs_counted(t->s, 0, &counts, err));
    const long did = counts.done + counts.failed - before;
    *p = (engine_progress){
        .total = t->s->n, .done = counts.done, .failed = counts.failed, .seconds = seconds_now() - begun, .left = NAN};
    if (did > 0) { p->left = (double)(p->total - p->done - p->failed) * p->seconds / (double)did; }
    if (t->progress) { t->progress(t->user, p); }
    if (k.pending + k.running == 0) { return MBD_OK; }
    if (*t->stop) {
      MBD_FAIL(err, MBD_INTERRUPTED, "job %ld goes on in the queue; 'mbopt status %s' tells how far it is", job->id,
               t->s->folder);
    }
    nanosleep(&pause, NULL);
  }
}

/* ---- the engine ---- */

static void tell(const engine_task *t, const chunks *c) {
  if (!t->out) { return; }
  const long largest = (runs_batches(t->s) + c->of - 1) / c->of * t->s->batch;
  const long max = largest < t->s->n ? largest : t->s->n;
  fprintf(t->out, "%ld run%s in %d of %d task%s of a job array, each at most %ld run%s\n", c->left, plural(c->left),
          c->n, c->of, plural(c->of), max, plural(max));
}

static mbd_status dry_run(const engine_task *t, const submission *job, mbd_error *err) {
  slurm_script merge = job->merge;
  if (!t->out) { return MBD_OK; }
  merge.dependency = "afterany:JOB";
  fprintf(t->out, "sbatch of this script:\n\n");
  MBD_TRY(slurm_script_write(&job->work, t->out, err));
  fprintf(t->out, "\nand after it, whatever has become of it:\n\n");
  return slurm_script_write(&merge, t->out, err);
}

static mbd_status send(const engine_task *t, const chunks *c, engine_progress *p, mbd_error *err) {
  submission q;
  slurm_job job;
  mbd_status status = prepare(t, c, &q, err);
  if (status == MBD_OK && t->dry) {
    status = dry_run(t, &q, err);
  } else if (status == MBD_OK) {
    status = submit_all(t, &q, &job, err);
    if (status == MBD_OK && t->out) {
      fprintf(t->out, "submitted as job %ld; 'mbopt status %s' tells how far it is\n", job.id, t->s->folder);
    }
    if (status == MBD_OK && t->wait) { status = wait_for(t, &job, t->s->n - c->left, p, err); }
  }
  free(q.study), free(q.logs), free(q.array), free(q.options), free(q.name);
  return status;
}

static mbd_status perform(const engine_task *t, engine_progress *p, mbd_error *err) {
  chunks c;
  *p = (engine_progress){0};
  mbd_status status = find_chunks(t, &c, err);
  if (status == MBD_OK) { tell(t, &c); }
  if (status == MBD_OK && c.n > 0) { status = send(t, &c, p, err); }
  if (status == MBD_OK && c.n == 0) { *p = (engine_progress){.total = t->s->n, .done = t->s->n}; }
  free(c.k);
  return status;
}

const engine_ops mbo_engine_slurm = {
    .name = "slurm",
    .doc = "job arrays of a Slurm cluster, through sbatch",
    .perform = perform,
    .describe = describe,
    .end = "scancel",
    .file = "slurm.json",
};
