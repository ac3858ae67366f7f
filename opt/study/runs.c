#include "study/runs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "report/atomic_file.h"

enum { PER_FOLDER = 1000 };

static const char *const endings[] = {"", "json", "failed.json"};

char *runs_path(const study *s, long i, const char *ending) {
  return mbd_sprintf_dup("%s/runs/%03ld/%06ld.%s", s->folder, i / PER_FOLDER, i, ending);
}

static mbd_status no_memory(const study *s, mbd_error *err) {
  MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a run of %s", s->folder);
}

/* How every file of the run begins that was read last. */
static void beginning(const study *s, char text[32]) {
  snprintf(text, 32, "{\"hash\":\"%016llx\"", study_run_hash(s));
}

/* Does the file begin and end as one of this run? */
static int is_whole(const char *path, const char *begins) {
  char text[32] = "", end[2] = "";
  const size_t length = strlen(begins);
  struct stat info;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) { return 0; }
  const int whole = fstat(file, &info) == 0 && info.st_size > (off_t)length + 2 &&
                    pread(file, text, length, 0) == (ssize_t)length && pread(file, end, 2, info.st_size - 2) == 2 &&
                    strncmp(text, begins, length) == 0 && end[0] == '}' && end[1] == '\n';
  close(file);
  return whole;
}

mbd_status runs_look(study *s, long i, runs_state *state, mbd_error *err) {
  char begins[32];
  *state = RUN_MISSING;
  MBD_TRY(points_read(&s->points, i, err));
  beginning(s, begins);
  for (int k = RUN_DONE; k <= RUN_FAILED && *state == RUN_MISSING; k++) {
    char *path = runs_path(s, i, endings[k]);
    if (!path) { return no_memory(s, err); }
    if (is_whole(path, begins)) { *state = (runs_state)k; }
    free(path);
  }
  return MBD_OK;
}

static void remove_file(const study *s, long i, const char *ending) {
  char *path = runs_path(s, i, ending);
  if (path) { unlink(path); }
  free(path);
}

mbd_status runs_make_folder(const study *s, long i, mbd_error *err) {
  char *folder = mbd_sprintf_dup("%s/runs/%03ld", s->folder, i / PER_FOLDER);
  struct stat info;
  if (!folder) { return no_memory(s, err); }
  mbd_status status = stat(folder, &info) == 0 ? MBD_OK : make_folder(folder, err);
  free(folder);
  return status;
}

static mbd_status write_text(const char *path, const char *text, mbd_error *err) {
  atomic_file a;
  MBD_TRY(atomic_open(path, &a, err));
  a.lazy = 1;
  fputs(text, a.out);
  return atomic_commit(&a, err);
}

mbd_status runs_write(const study *s, long i, runs_state state, json_t *o, mbd_error *err) {
  char begins[32], *path = runs_path(s, i, endings[state]);
  char *rest = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(o);
  beginning(s, begins);
  char *text = rest ? mbd_sprintf_dup("%s,\"run\":%ld,%s\n", begins, i, rest + 1) : NULL;
  mbd_status status = path && text ? runs_make_folder(s, i, err) : no_memory(s, err);
  if (status == MBD_OK) { status = write_text(path, text, err); }
  free(path), free(rest), free(text);
  if (status == MBD_OK && state == RUN_DONE) {
    remove_file(s, i, endings[RUN_FAILED]);
    remove_file(s, i, "journal.jsonl"); /* that of a failure is where another attempt goes on */
  }
  return status;
}

mbd_status runs_read(study *s, long i, runs_state *state, json_t **out, mbd_error *err) {
  *out = NULL;
  MBD_TRY(runs_look(s, i, state, err));
  if (*state == RUN_MISSING) { return MBD_OK; }
  char *path = runs_path(s, i, endings[*state]);
  if (!path) { return no_memory(s, err); }
  *out = json_load_file(path, 0, NULL);
  free(path);
  if (!*out) { *state = RUN_MISSING; } /* torn in the middle */
  return MBD_OK;
}

/* ---- counting ---- */

static int ends_with(const char *name, const char *ending) {
  const size_t n = strlen(name), k = strlen(ending);
  return n > k && strcmp(name + n - k, ending) == 0;
}

typedef struct counting {
  double since;
  runs_count *c;
} counting;

/* Of the files of one folder. */
static void count_folder(DIR *d, void *user) {
  const counting *k = user;
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    struct stat info;
    const int failed = ends_with(e->d_name, ".failed.json"), done = !failed && ends_with(e->d_name, ".json");
    k->c->failed += failed, k->c->done += done;
    if (k->since > 0 && (failed || done) && fstatat(dirfd(d), e->d_name, &info, 0) == 0) {
      k->c->recent += (double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec >= k->since;
    }
  }
}

/* Files that a killed process left half written. */
static void tidy_folder(DIR *d, void *user) {
  (void)user;
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    if (strstr(e->d_name, ".json.tmp")) { unlinkat(dirfd(d), e->d_name, 0); }
  }
}

/* Call `visit` for every folder of runs. */
static mbd_status each_folder(const char *folder, void (*visit)(DIR *d, void *user), void *user, mbd_error *err) {
  char *runs = path_in(folder, "runs");
  DIR *d = runs ? opendir(runs) : NULL;
  for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
    char *path = e->d_name[0] == '.' ? NULL : path_in(runs, e->d_name);
    DIR *inner = path ? opendir(path) : NULL;
    if (inner) {
      visit(inner, user);
      closedir(inner);
    }
    free(path);
  }
  if (d) { closedir(d); }
  free(runs);
  if (!runs) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for the runs of %s", folder); }
  return MBD_OK;
}

mbd_status runs_counted(const char *folder, double since, runs_count *c, mbd_error *err) {
  counting k = {since, c};
  *c = (runs_count){0};
  return each_folder(folder, count_folder, &k, err);
}

mbd_status runs_tidy(const char *folder, mbd_error *err) {
  return each_folder(folder, tidy_folder, NULL, err);
}
