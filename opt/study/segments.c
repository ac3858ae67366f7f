#include "study/segments.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "evaluate/journal_line.h"
#include "files/atomic_file.h"
#include "files/json.h"
#include "files/plural.h"
#include "files/text_list.h"

enum { FORMAT = 1, SLOTS = 64, SLOT_BYTES = 1 << 16, ATTEMPTS_MAX = 60000, IN_A_FILE = -1, NOWHERE = -2 };

/* Where the line of a run is. */
typedef struct place {
  int64_t at; /* byte of the segment */
  int segment;
  unsigned short attempt;
  unsigned char state;
} place;

typedef struct segment {
  char *name;
  int64_t read; /* bytes that were read, whole lines */
  long lines;
  int foreign; /* 1: of another study */
} segment;

/* A segment that is open, with a part of its text. Runs are read in their order, so a few slots serve the segments of the processes that have done
 * neighbouring runs. */
typedef struct slot {
  int segment, file;
  char *text; /* [capacity] */
  size_t capacity, n;
  int64_t at; /* byte of the segment with which the text begins */
} slot;

struct segments {
  char *folder, *plan;
  long first, last;
  place *place; /* [last - first] */
  int n;
  segment *segment; /* [n] in the order in which they were found */
  json_t *known;    /* their names */
  slot slot[SLOTS];
  double since;
  long recent, count[RUN_FAILED + 1];
  /* the segment that this process writes */
  int own, file; /* -1: none */
  pid_t process; /* that has made it: it is not that of a child */
  int64_t size;
  /* lines that are left out */
  long damaged;
  char *first_damage, *damage;
};

/* ---- a line ---- */

static int skip(const char **at, const char *text) {
  const size_t n = strlen(text);
  const int is = strncmp(*at, text, n) == 0;
  *at += is ? n : 0;
  return is;
}

static int take_number(const char **at, long max, long *v) {
  char *end;
  *v = strtol(*at, &end, 10);
  const int is = end > *at && *v >= 0 && *v <= max;
  *at = end;
  return is;
}

static const char *const states[] = {"again", "done", "failed"}; /* runs_state */

/* By hand, as it is done for every line of a study. */
int segments_read(const char *line, segments_line *l) {
  long attempt = 0;
  int state = 0, is = skip(&line, "{\"run\":") && take_number(&line, LONG_MAX - 1, &l->run) &&
                      skip(&line, ",\"attempt\":") && take_number(&line, ATTEMPTS_MAX, &attempt) &&
                      skip(&line, ",\"state\":\"");
  while (is && state <= RUN_FAILED && !skip(&line, states[state])) { state++; }
  l->attempt = (int)attempt, l->state = (runs_state)state;
  is = is && state <= RUN_FAILED && skip(&line, "\",\"written\":") && take_number(&line, LONG_MAX, &l->written) &&
       skip(&line, ",\"row\":\"") && strnlen(line, 17) == 17 && line[16] == '"';
  if (is) { snprintf(l->row, sizeof l->row, "%.16s", line); }
  return is;
}

/* Keeps the first reason and counts all. */
static void note_damage(segments *g, const segment *s, const char *why) {
  char more[40] = " is";
  if (g->damaged++ == 0) { g->first_damage = mbd_sprintf_dup("%s/%s:%ld: %s", g->folder, s->name, s->lines, why); }
  if (g->damaged > 1) { snprintf(more, sizeof more, " and %ld more are", g->damaged - 1); }
  free(g->damage);
  g->damage =
      mbd_sprintf_dup("%s; it%s left out, and runs that are missing then are done again", g->first_damage, more);
}

static void put(segments *g, long run, place p) {
  place *known = &g->place[run - g->first];
  const int is_older =
      known->segment != NOWHERE &&
      (p.attempt < known->attempt || (p.attempt == known->attempt && known->state == RUN_DONE && p.state != RUN_DONE));
  if (is_older) { return; }
  g->count[known->state]--, g->count[p.state]++;
  *known = p;
}

/* Takes a line of segment k that begins at a byte, the first one of which is the plan. */
static mbd_status take_line(segments *g, int k, int64_t at, const char *line, size_t length, mbd_error *err) {
  segment *s = &g->segment[k];
  segments_line l;
  s->lines++, s->read = at + (int64_t)length + 1;
  if (s->foreign) { return MBD_OK; }
  if (!journal_line_is_whole(line, length)) {
    note_damage(g, s, "the hash at its end is not that of the line");
  } else if (s->lines == 1) {
    json_t *o;
    MBD_TRY(journal_line_read(line, length, &o, err));
    s->foreign =
        json_integer_value(json_object_get(o, "segment")) != FORMAT || strcmp(json_text_in(o, "study"), g->plan) != 0;
    json_decref(o);
    if (s->foreign) { note_damage(g, s, "the file belongs to another study"); }
  } else if (!segments_read(line, &l)) {
    note_damage(g, s, "it is not the line of a run");
  } else if (l.run >= g->first && l.run < g->last) {
    g->recent += g->since > 0 && l.state != RUN_MISSING && (double)l.written >= g->since - 1;
    put(g, l.run, (place){at, k, (unsigned short)l.attempt, (unsigned char)l.state});
  }
  return MEMORY_WHOLE(err, "the runs in %s", g->folder);
}

/* ---- reading ---- */

static void empty_slot(slot *s) {
  if (s->segment >= 0) { close(s->file); }
  s->segment = -1, s->n = 0;
}

/* Opens segment k in its slot. NULL: it is not there any more, or cannot be opened (errno). */
static slot *open_slot(segments *g, int k) {
  slot *s = &g->slot[k % SLOTS];
  if (s->segment == k) { return s; }
  empty_slot(s);
  char *path = path_in(g->folder, g->segment[k].name);
  const int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  free(path);
  if (file < 0) { return NULL; }
  s->segment = k, s->file = file;
  return s;
}

/* Reads on from a byte; a line that is longer than the text has more memory. */
static mbd_status fill_slot(const segments *g, slot *s, int64_t at, mbd_error *err) {
  const int longer = s->n == s->capacity && s->at == at;
  if (longer || !s->text) {
    const size_t capacity = s->text ? 2 * s->capacity : SLOT_BYTES;
    char *text = realloc(s->text, capacity + 1);
    MEMORY_TRY(text, err, "the runs in %s", g->folder);
    s->text = text, s->capacity = capacity;
  }
  const ssize_t n = pread(s->file, s->text, s->capacity, (off_t)at);
  if (n < 0) {
    s->n = 0;
    MBD_FAIL(err, MBD_IO_ERROR, "%s/%s cannot be read: %s", g->folder, g->segment[s->segment].name, strerror(errno));
  }
  s->at = at, s->n = (size_t)n, s->text[n] = '\0';
  return MBD_OK;
}

/* The line of segment k that begins at a byte; NULL: there is no whole one. */
static mbd_status line_at(segments *g, int k, int64_t at, const char **line, size_t *length, mbd_error *err) {
  slot *s = open_slot(g, k);
  *line = NULL;
  if (!s) {
    if (errno == ENOENT) { return MBD_OK; }
    MBD_FAIL(err, io_status(errno), "%s/%s cannot be read: %s", g->folder, g->segment[k].name, strerror(errno));
  }
  for (int filled = 0;; filled = 1) {
    const size_t before = (size_t)(at - s->at);
    if (at >= s->at && before < s->n) {
      const char *from = s->text + before, *end = memchr(from, '\n', s->n - before);
      if (end) {
        *line = from, *length = (size_t)(end - from);
        return MBD_OK;
      }
    }
    if (filled && s->n < s->capacity) { return MBD_OK; } /* the end of the file */
    MBD_TRY(fill_slot(g, s, at, err));
  }
}

static mbd_status read_segment(segments *g, int k, mbd_error *err) {
  const segment *s = &g->segment[k];
  struct stat info;
  const char *line;
  size_t length;
  if (k == g->own) { return MBD_OK; }
  char *path = path_in(g->folder, s->name);
  const int grown = path && stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > s->read;
  free(path);
  MBD_TRY(MEMORY_WHOLE(err, "the runs in %s", g->folder));
  if (!grown) { return MBD_OK; }
  for (;;) {
    MBD_TRY(line_at(g, k, s->read, &line, &length, err));
    if (!line) { return MBD_OK; }
    MBD_TRY(take_line(g, k, s->read, line, length, err));
  }
}

/* ---- which segments there are ---- */

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static mbd_status add_segment(segments *g, const char *name, mbd_error *err) {
  segment *grown = mbd_list_grow(g->segment, g->n, sizeof *grown);
  MEMORY_TRY(grown, err, "the runs in %s", g->folder);
  g->segment = grown;
  grown[g->n++] = (segment){.name = mbd_strdup(name)};
  json_object_set_new(g->known, name, json_true());
  return MEMORY_WHOLE(err, "the runs in %s", g->folder);
}

/* The names of new segments. */
typedef struct finding {
  const segments *g;
  int n;
  char **name; /* [n] */
} finding;

/* Is it the name of a segment with runs of this part, and not known yet? */
static mbd_status find_new(void *user, const char *name, mbd_error *err) {
  finding *found = user;
  const segments *g = found->g;
  long first, last, number;
  int n = 0;
  const int is_new = sscanf(name, "%18ld-%18ld.%18ld.jsonl%n", &first, &last, &number, &n) == 3 && n > 0 && !name[n] &&
                     first < g->last && last >= g->first && !json_object_get(g->known, name);
  if (is_new) { text_list_add(&found->name, &found->n, name); }
  return MEMORY_WHOLE(err, "the runs in %s", g->folder);
}

mbd_status segments_refresh(segments *g, mbd_error *err) {
  finding new = {.g = g};
  mbd_status status = folder_each(g->folder, "", find_new, &new, err);
  /* in alphabetical order, so that neighbours have different slots */
  if (new.n) { qsort(new.name, (size_t) new.n, sizeof *new.name, by_name); }
  for (int i = 0; i < new.n &&status == MBD_OK; i++) { status = add_segment(g, new.name[i], err); }
  text_list_free(new.name, new.n);
  for (int k = 0; k < g->n && status == MBD_OK; k++) { status = read_segment(g, k, err); }
  return status;
}

mbd_status segments_open(const char *folder, const char *plan, long first, long last, double since, segments **out,
                         mbd_error *err) {
  segments *g = *out = mbd_zeros(1, sizeof *g);
  MEMORY_TRY(g, err, "the runs of %s", folder);
  *g = (segments){.first = first, .last = last, .since = since, .own = -1, .file = -1};
  for (int i = 0; i < SLOTS; i++) { g->slot[i].segment = -1; }
  g->folder = path_in(folder, "runs"), g->plan = mbd_strdup(plan), g->known = json_object();
  g->place = mbd_zeros((size_t)(last - first), sizeof *g->place);
  mbd_status status = MEMORY_WHOLE(err, "the runs of %s", folder);
  for (long i = 0; status == MBD_OK && i < last - first; i++) { g->place[i].segment = NOWHERE; }
  g->count[RUN_MISSING] = last - first;
  if (status == MBD_OK) { status = segments_refresh(g, err); }
  if (status != MBD_OK) {
    segments_close(g);
    *out = NULL;
  }
  return status;
}

void segments_close(segments *g) {
  if (!g) { return; }
  for (int i = 0; i < SLOTS; i++) {
    empty_slot(&g->slot[i]);
    free(g->slot[i].text);
  }
  if (g->file >= 0) { close(g->file); }
  for (int k = 0; k < g->n; k++) { free(g->segment[k].name); }
  free(g->segment), free(g->place), free(g->folder), free(g->plan);
  free(g->first_damage), free(g->damage);
  json_decref(g->known);
  free(g);
}

/* ---- runs ---- */

mbd_status segments_find(segments *g, long run, const char **line, size_t *length, mbd_error *err) {
  const place *p = &g->place[run - g->first];
  *line = NULL;
  return p->segment >= 0 ? line_at(g, p->segment, p->at, line, length, err) : MBD_OK;
}

runs_state segments_state(const segments *g, long run) {
  return (runs_state)g->place[run - g->first].state;
}

void segments_count_file(segments *g, long run, runs_state state, double written) {
  if (run < g->first || run >= g->last) { return; }
  g->recent += g->since > 0 && written >= g->since;
  put(g, run, (place){.segment = IN_A_FILE, .state = (unsigned char)state});
}

runs_count segments_counts(const segments *g) {
  return (runs_count){.done = g->count[RUN_DONE], .failed = g->count[RUN_FAILED], .recent = g->recent};
}

const char *segments_damage(const segments *g) {
  return g->damage;
}

/* ---- writing ---- */

json_t *segments_begin(const segments *g, long run, runs_state state, const char *row) {
  const place *p = &g->place[run - g->first];
  const int attempt = p->segment == NOWHERE ? 0 : p->attempt < ATTEMPTS_MAX ? p->attempt + 1 : ATTEMPTS_MAX;
  return json_pack("{s:I, s:i, s:s, s:I, s:s}", "run", (json_int_t)run, "attempt", attempt, "state", states[state],
                   "written", (json_int_t)time(NULL), "row", row);
}

int segments_own(const segments *g) {
  return g->own >= 0 && g->process == getpid();
}

static void leave_own(segments *g) {
  if (g->file >= 0) { close(g->file); }
  g->own = g->file = -1;
}

/* Writes a text, by one call unless the system takes only a part of it. A segment that does not take it ends before it. */
static mbd_status write_all(segments *g, const char *text, mbd_error *err) {
  const char *name = g->segment[g->own].name;
  struct stat info;
  for (size_t left = strlen(text); left > 0;) {
    const ssize_t n = write(g->file, text, left);
    if (n < 0) {
      const int error = errno;
      const int is_cut = ftruncate(g->file, (off_t)g->size) == 0; /* else its last line has no end */
      (void)is_cut;
      leave_own(g);
      MBD_FAIL(err, MBD_IO_ERROR, "%s/%s cannot be written: %s", g->folder, name, strerror(error));
    }
    text += n, left -= (size_t)n;
  }
  if (fstat(g->file, &info) != 0 || info.st_nlink > 0) { return MBD_OK; }
  MBD_FAIL(err, MBD_IO_ERROR, "%s/%s has been removed while runs were done", g->folder, name);
}

/* Makes a segment of this process; one that its parent has made is that of the parent. */
static mbd_status make_own(segments *g, mbd_error *err) {
  leave_own(g);
  MBD_TRY(make_folder(g->folder, err));
  char name[80];
  for (long k = g->n; g->file < 0; k++) {
    snprintf(name, sizeof name, "%ld-%ld.%ld.jsonl", g->first, g->last - 1, k);
    char *path = path_in(g->folder, name);
    MEMORY_TRY(path, err, "the runs in %s", g->folder);
    g->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    const int error = errno;
    free(path);
    if (g->file < 0 && error != EEXIST) {
      MBD_FAIL(err, io_status(error), "no file can be made in %s: %s", g->folder, strerror(error));
    }
  }
  MBD_TRY(add_segment(g, name, err));
  g->own = g->n - 1, g->process = getpid(), g->size = 0;
  char *head = journal_line_text(json_pack("{s:i, s:s}", "segment", FORMAT, "study", g->plan), 0);
  mbd_status status = head ? segments_append(g, head, err) : MEMORY_NONE(err, "the runs in %s", g->folder);
  free(head);
  return status;
}

mbd_status segments_append(segments *g, const char *lines, mbd_error *err) {
  if (!segments_own(g)) { MBD_TRY(make_own(g, err)); }
  MBD_TRY(write_all(g, lines, err));
  for (size_t length; *lines; lines += length + 1) {
    length = strcspn(lines, "\n");
    const int64_t at = g->size;
    g->size += (int64_t)length + 1;
    MBD_TRY(take_line(g, g->own, at, lines, length, err));
  }
  return MBD_OK;
}
