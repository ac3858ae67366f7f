/* Runs in worker processes of this machine. A worker takes the next batch of runs that no other has taken. The parent only watches the workers: it
 * replaces a worker that has died, and the batch at which it died is repeated. */
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "evaluate/seconds.h"
#include "study/engine.h"
#include "study/lock.h"
#include "study/run.h"
#include "files/atomic_file.h"
#include "files/memory.h"

/* Data that a worker and its parent share. */
typedef struct worker {
  atomic_long run; /* the first run of its present batch; -1: none */
  _Atomic double begun;
  atomic_long done, failed, computed; /* computed: without those that were recorded before */
  mbd_status status;
  mbd_error error; /* the error that ends the study */
  /* written by the parent only: */
  pid_t pid;    /* 0: none */
  int attempts; /* number of deaths at the run `tried` */
  long tried;
  long overdue; /* the run for which it was killed after the time limit; -1: none */
} worker;

typedef struct pool {
  const engine_task *t;
  atomic_long *next; /* shared */
  worker *w;         /* [n] shared */
  int n;
  size_t bytes;
  double begun;
  sigset_t blocked; /* signal mask before SIGCHLD was blocked */
  mbd_status status;
} pool;

/* The first run of the next batch that nobody has taken; the end of a batch that begins with run i. */
static long next_batch(const pool *p) {
  return atomic_fetch_add(p->next, p->t->s->batch);
}

static long end_of_batch(const pool *p, long i) {
  const long end = i + p->t->s->batch;
  return end < p->t->last ? end : p->t->last;
}

/* ---- the worker ---- */

/* Does the batch that begins with run i, all of it, unless all its runs are recorded: so results do not depend on interruptions. */
static mbd_status do_batch(const pool *p, worker *w, long i, mbd_error *err) {
  const engine_task *t = p->t;
  const long last = end_of_batch(p, i);
  runs_state state[STUDY_BATCH_MAX];
  int missing = 0;
  for (long k = i; k < last; k++) {
    MBD_TRY(runs_look(t->s, k, &state[k - i], err));
    missing |= state[k - i] == RUN_MISSING || (state[k - i] == RUN_FAILED && t->retry_failed);
  }
  if (missing) {
    MBD_TRY(run_do(t->s, i, last, t->stop, state, err));
    w->computed += last - i;
  }
  /* cppcheck-suppress uninitvar ; a batch has a run at least */
  for (long k = i; k < last; k++) { *(state[k - i] == RUN_DONE ? &w->done : &w->failed) += 1; }
  return MBD_OK;
}

static mbd_status work(const pool *p, worker *w, long i, mbd_error *err) {
  for (; i < p->t->last && !*p->t->stop; i = next_batch(p)) {
    w->begun = seconds_now();
    w->run = i;
    MBD_TRY(do_batch(p, w, i, err));
    w->run = -1;
  }
  return *p->t->stop ? MBD_INTERRUPTED : MBD_OK;
}

/* Starts a worker with the batch of run i; it then takes the next free ones. */
static void start(pool *p, worker *w, long i, mbd_error *err) {
  const pid_t parent = getpid();
  w->overdue = -1;
  w->begun = seconds_now();
  w->run = i < p->t->last ? i : -1; /* set here too, since the worker may be killed before it sets this */
  const pid_t pid = fork();         /* the child must not write w->pid, which is shared */
  if (pid < 0) { p->status = MBD_FAILED(err, MBD_NO_MEMORY, "no more processes: %s", strerror(errno)); }
  if (pid != 0) {
    w->pid = pid > 0 ? pid : 0;
    return;
  }
  sigprocmask(SIG_SETMASK, &p->blocked, NULL);
  prctl(PR_SET_PDEATHSIG, SIGTERM); /* the worker ends with its parent */
  if (getppid() != parent) { _exit(0); }
  w->status = work(p, w, i, &w->error);
  _exit(0);
}

/* ---- the parent ---- */

static void replace(pool *p, worker *w, mbd_error *err) {
  if (p->status == MBD_OK && !*p->t->stop) { start(p, w, next_batch(p), err); }
}

/* Records the runs of a batch as failed that have no result. */
static void give_up(pool *p, worker *w, long first, const char *reason, mbd_error *err) {
  for (long i = first; p->status == MBD_OK && i < end_of_batch(p, first); i++) {
    runs_state state;
    p->status = runs_look(p->t->s, i, &state, err);
    if (p->status == MBD_OK && state != RUN_DONE) {
      state = RUN_FAILED;
      p->status = run_fail(p->t->s, i, reason, err);
    }
    if (p->status != MBD_OK) { return; }
    *(state == RUN_DONE ? &w->done : &w->failed) += 1;
    w->computed++;
  }
}

/* The reason for which a batch is given up, of several runs in lanes with their numbers. */
static void tell_loss(const pool *p, const worker *w, int how, long first, char *text, size_t size) {
  const long last = end_of_batch(p, first) - 1;
  char batch[100] = "";
  if (last > first) {
    snprintf(batch, sizeof batch, "of the batch of runs %ld to %ld, which go in lanes: ", first, last);
  }
  if (w->overdue >= 0) {
    snprintf(text, size, "%stook longer than run_limit = %g s%s", batch, p->t->s->config->study.run_limit,
             last > first ? " for each" : "");
  } else if (WIFSIGNALED(how)) {
    snprintf(text, size, "%sits process was ended by signal %d (%s), %d times", batch, WTERMSIG(how),
             strsignal(WTERMSIG(how)), w->attempts);
  } else {
    snprintf(text, size, "%sits process left the program with exit code %d, %d times", batch, WEXITSTATUS(how),
             w->attempts);
  }
}

/* Handles a worker that ended at a run: killed, by a library that ends the process, or at the time limit. If it was ended for a run that
 * it had just finished, the run that it was at is repeated. */
static void lost(pool *p, worker *w, int how, mbd_error *err) {
  const long i = w->run;
  char reason[300];
  w->run = -1;
  if (*p->t->stop || p->status != MBD_OK) { return; }
  p->status = runs_refresh(p->t->s, err); /* the process may have ended just after it had recorded the run */
  if (p->status != MBD_OK) { return; }
  w->attempts = w->tried == i ? w->attempts + 1 : 1;
  w->tried = i;
  if (w->overdue >= 0 ? w->overdue != i : w->attempts < p->t->s->config->study.attempts) {
    start(p, w, i, err);
    return;
  }
  tell_loss(p, w, how, i, reason, sizeof reason);
  give_up(p, w, i, reason, err);
  replace(p, w, err);
}

/* Handles a worker that ended regularly. If it was stopped and its parent was not, the study ends as if both had been. */
static void finished(pool *p, const worker *w, mbd_error *err) {
  if (w->status == MBD_OK || *p->t->stop || p->status != MBD_OK) { return; }
  p->status = w->status;
  if (w->status == MBD_INTERRUPTED) {
    (void)MBD_FAILED(err, MBD_INTERRUPTED, "a worker process was told to stop; 'mbopt resume %s' goes on",
                     p->t->s->folder);
  } else if (err) {
    *err = w->error;
  }
}

static void reap(pool *p, worker *w, mbd_error *err) {
  int how;
  if (w->pid <= 0 || waitpid(w->pid, &how, WNOHANG) != w->pid) { return; }
  w->pid = 0;
  const int killed = WIFSIGNALED(how);
  if (w->run >= 0 && (killed || w->status == MBD_OK)) {
    lost(p, w, how, err);
  } else if (killed) {
    replace(p, w, err);
  } else {
    finished(p, w, err);
  }
}

static void end_overdue(const pool *p, worker *w) {
  const double limit = p->t->s->config->study.run_limit * p->t->s->batch;
  const long i = w->run;
  if (limit > 0 && w->pid > 0 && i >= 0 && seconds_now() - w->begun > limit) {
    w->overdue = i;
    kill(w->pid, SIGKILL);
  }
}

static void sum_up(const pool *p, engine_progress *progress) {
  long computed = 0;
  *progress = (engine_progress){.total = p->t->last - p->t->first, .seconds = seconds_now() - p->begun, .left = NAN};
  for (int i = 0; i < p->n; i++) {
    progress->done += p->w[i].done, progress->failed += p->w[i].failed, computed += p->w[i].computed;
  }
  if (computed) {
    progress->left =
        (double)(progress->total - progress->done - progress->failed) * progress->seconds / (double)computed;
  }
}

/* Waits for the end of workers: kills those beyond the time limit, replaces those that died, and passes a stop on to all. */
static void watch(pool *p, engine_progress *progress, mbd_error *err) {
  static const struct timespec pause = {.tv_nsec = 200000000};
  sigset_t child;
  int alive = 1, told = 0;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  while (alive) {
    /* The pause ends early when a worker ends; otherwise the time limit is checked every 0.2 s. */
    sigtimedwait(&child, NULL, &pause);
    /* Workers beyond the time limit are killed; workers that were lost are replaced. */
    alive = 0;
    for (int i = 0; i < p->n; i++) {
      worker *w = &p->w[i];
      end_overdue(p, w);
      reap(p, w, err);
      alive |= w->pid > 0;
    }
    /* A stop or an error ends all workers; the signal is sent once. A stop that comes meanwhile is seen in the next round. */
    const int ends = *p->t->stop || p->status != MBD_OK;
    for (int i = 0; i < p->n && ends && !told; i++) {
      if (p->w[i].pid > 0) { kill(p->w[i].pid, SIGTERM); }
    }
    told = ends;
    /* The progress of all workers is reported. */
    sum_up(p, progress);
    if (p->t->progress) { p->t->progress(p->t->user, progress); }
  }
}

static int processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static mbd_status make_pool(const engine_task *t, pool *p, mbd_error *err) {
  const int jobs = t->s->config->study.jobs;
  const long runs = t->last - t->first;
  *p = (pool){.t = t, .n = jobs ? jobs : processors(), .begun = seconds_now()};
  if (p->n > runs) { p->n = (int)runs; }
  p->bytes = sizeof *p->next + (size_t)p->n * sizeof *p->w + sizeof(max_align_t);
  void *shared = mmap(NULL, p->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) { return MEMORY_NONE(err, "%d workers", p->n); }
  p->w = shared;
  p->next = (atomic_long *)(void *)(p->w + p->n);
  *p->next = t->first;
  for (int i = 0; i < p->n; i++) { p->w[i].run = p->w[i].tried = -1; }
  return MBD_OK;
}

static mbd_status run_pool(pool *p, engine_progress *progress, mbd_error *err) {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &p->blocked);
  fflush(NULL); /* otherwise the buffered text would be copied into the workers */
  for (int i = 0; i < p->n; i++) { replace(p, &p->w[i], err); }
  watch(p, progress, err);
  sigprocmask(SIG_SETMASK, &p->blocked, NULL);
  if (p->status == MBD_OK && *p->t->stop) {
    MBD_FAIL(err, MBD_INTERRUPTED, "'mbopt resume %s' goes on", p->t->s->folder);
  }
  return p->status;
}

/* Performs the runs in worker processes of this machine. The lock of their range keeps other processes from the same
 * runs; if it does a whole study and no other process does runs of it, it first removes incomplete files of the folder. */
static mbd_status perform(const engine_task *t, engine_progress *progress, mbd_error *err) {
  const int whole = t->first == 0 && t->last == t->s->n;
  int lock;
  pool p;
  if (t->dry) {
    if (t->out) {
      fprintf(t->out, "runs %ld to %ld by worker processes of this machine, %d at once\n", t->first, t->last - 1,
              t->s->config->study.jobs ? t->s->config->study.jobs : processors());
    }
    return MBD_OK;
  }
  *progress = (engine_progress){0};
  if (t->first == t->last) { return MBD_OK; }
  MBD_TRY(lock_take(t->s->folder, t->first, t->last, &lock, err));
  const char *why;
  const int alone =
      whole && lock_works(t->s->folder, &why); /* otherwise incomplete files may belong to another process */
  if (alone) { atomic_tidy(t->s->folder); }
  runs_count before; /* finds all records now, so that workers need not */
  mbd_status status = runs_counted(t->s, 0, &before, err);
  if (status == MBD_OK) { status = make_pool(t, &p, err); }
  if (status == MBD_OK) {
    status = run_pool(&p, progress, err);
    munmap(p.w, p.bytes);
  }
  if (status == MBD_OK) { status = runs_refresh(t->s, err); }
  close(lock);
  return status;
}

const engine_ops mbo_engine_local = {
    .name = "local",
    .doc = "worker processes on this machine, as many as it has processors",
    .perform = perform,
};
