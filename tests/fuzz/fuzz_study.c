/* Folders of studies: an input is several files, each behind a line "-- NAME". What makes a study is opened, every run of it is
 * looked at. */
#include "fuzz.h"
#include "study/runs.h"

static const char *const known[] = {"study.json", "points.csv", "runs/0-1.0.jsonl", "runs/000/000000.json",
                                    "runs/000/000001.failed.json"};
enum { N_KNOWN = sizeof known / sizeof known[0], RUNS_MAX = 20 };

static char folder[60]; /* "": not made yet */

static const char *path_of(const char *name) {
  static char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static void empty_folder(void) {
  fuzz_folder_empty(folder), fuzz_folder_empty(path_of("runs")), fuzz_folder_empty(path_of("runs/000"));
}

static void remove_folder(void) {
  empty_folder();
  rmdir(path_of("runs/000")), rmdir(path_of("runs")), rmdir(folder);
}

static void make_folders(void) {
  fuzz_folder_make(folder);
  mkdir(path_of("runs"), 0700), mkdir(path_of("runs/000"), 0700);
  atexit(remove_folder);
}

/* Where the next "-- NAME" line begins; `end`: none. */
static const char *next_part(const char *at, const char *end) {
  while (at < end && !(end - at > 3 && memcmp(at, "-- ", 3) == 0)) {
    const char *line = memchr(at, '\n', (size_t)(end - at));
    at = line ? line + 1 : end;
  }
  return at;
}

static void write_part(const char *at, const char *end) {
  const char *name = at + 3, *text = memchr(name, '\n', (size_t)(end - name));
  for (int i = 0; text && i < N_KNOWN; i++) {
    const size_t n = strlen(known[i]);
    if ((size_t)(text - name) != n || memcmp(name, known[i], n) != 0) { continue; }
    FILE *out = fopen(path_of(known[i]), "w");
    promise(out != NULL, "a file of the study", known[i]);
    fwrite(text + 1, 1, (size_t)(end - text - 1), out);
    fclose(out);
  }
}

static void open_study(void) {
  study *s = NULL;
  mbd_error err = {0};
  runs_count c;
  if (study_open_results(folder, &s, &err) != MBD_OK) {
    promise(*err.text != '\0', "a study that is refused", "without a reason");
    return;
  }
  for (long i = 0; i < s->n && i < RUNS_MAX; i++) {
    runs_state state;
    json_t *o = NULL;
    if (runs_read(s, i, &state, &o, &err) == MBD_OK) { json_decref(o); }
  }
  (void)runs_counted(s, 0, &c, &err);
  study_destroy(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *at = (const char *)data, *end = at + size;
  if (!*folder) { make_folders(); }
  empty_folder();
  for (at = next_part(at, end); at < end;) {
    const char *next = next_part(at + 3, end);
    write_part(at, next);
    at = next;
  }
  open_study();
  return 0;
}
