#include "evaluate/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "evaluate/journal_line.h"
#include "files/json.h"
#include "files/atomic_file.h"
#include "files/file_lock.h"
#include "files/plural.h"

struct journal {
  int fd;
  char *path;
  int n, nc;
  long lost;                                   /* mbd_memory_lost() when it was opened */
  char end[sizeof((journal_content *)0)->end]; /* as in journal_content */
};

/* ---- writing ---- */

static mbd_status write_line(journal *j, json_t *o, mbd_error *err) {
  char *line = journal_line_text(o, j->lost);
  MEMORY_TRY(line, err, "a line of %s", j->path);
  size_t length = strlen(line);
  off_t before = lseek(j->fd, 0, SEEK_END);
  ssize_t written = write(j->fd, line, length);
  int error = written < 0 ? errno : ENOSPC;
  free(line);
  if (written == (ssize_t)length) { return MBD_OK; }
  if (written > 0 && before >= 0 && ftruncate(j->fd, before) != 0) { error = errno; } /* remove the incomplete line */
  MBD_FAIL(err, MBD_IO_ERROR, "%s cannot be written: %s", j->path, strerror(error));
}

mbd_status journal_append(journal *j, const journal_record *record, mbd_error *err) {
  j->end[0] = '\0';
  return write_line(j, journal_line_record(record, j->n, j->nc), err);
}

mbd_status journal_decide(journal *j, const char *decided, mbd_error *err) {
  j->end[0] = '\0';
  json_t *o = journal_line_decided(decided);
  if (!o && mbd_memory_lost() == j->lost) { MBD_FAIL(err, MBD_BAD_INPUT, "what was decided is no JSON: %s", decided); }
  return write_line(j, o, err);
}

mbd_status journal_end(journal *j, const char *how, mbd_error *err) {
  if (strcmp(j->end, how) == 0) { return MBD_OK; }
  snprintf(j->end, sizeof j->end, "%s", how);
  return write_line(j, json_pack("{s:s}", "end", how), err);
}

/* ---- reading ---- */

/* A journal while it is read. */
typedef struct reading {
  const char *path;
  const mbo_problem *p;
  const char *fingerprint;
  journal_content *content;
  long valid; /* length of the file up to the end of its last complete line */
  int lines;  /* number of lines read so far */
  int ndamaged;
  int *damaged;     /* [ndamaged] numbers of damaged lines, from 1 */
  mbd_error damage; /* error of the first damaged line */
} reading;

/* Returns 1 if the line is an incomplete header, which a killed process or a loss of power has left. */
static int is_torn_header(const char *line, size_t length) {
  static const char begin[] = "{\"journal\":";
  size_t zeros = 0;
  while (zeros < length && line[zeros] == '\0') { zeros++; }
  return zeros == length || strncmp(line, begin, length < strlen(begin) ? length : strlen(begin)) == 0;
}

static mbd_status read_header(const reading *r, const char *line, size_t length, mbd_error *err) {
  json_t *o;
  mbd_error why = {0};
  mbd_status status = journal_line_read(line, length, &o, &why);
  if (status != MBD_OK) {
    MBD_FAIL(
        err, status,
        "%s is not a journal of this program (its first line: %s); remove it, or choose another folder with --output",
        r->path, why.text);
  }
  status = journal_line_check_header(o, r->path, r->p, r->fingerprint, err);
  json_decref(o);
  return status;
}

/* Reads a line after the header: an evaluation, decisions, or the end of a run. */
static mbd_status read_record(const reading *r, const char *line, size_t length, mbd_error *err) {
  journal_content *c = r->content;
  json_t *o;
  MBD_TRY(journal_line_read(line, length, &o, err));
  mbd_status status = MBD_OK;
  /* The kind of the line follows from its keys; only the last line decides whether the run has ended. */
  const char *end = json_string_value(json_object_get(o, "end"));
  const json_t *decided = json_object_get(o, "decided");
  snprintf(c->end, sizeof c->end, "%s", end ? end : "");
  if (decided) {
    status = journal_line_take_decided(decided, &c->decided, err);
  } else if (!end) {
    /* A line with neither key is an evaluation, which counts only if it is complete. */
    journal_record *grown = mbd_list_grow(c->record, c->n, sizeof *grown);
    if (grown) { c->record = grown; }
    status = grown ? journal_line_take(o, r->p->n, r->p->nc, &grown[c->n], err) : MEMORY_NONE(err, "%s", r->path);
    if (status == MBD_OK) {
      c->n++;
    } else if (grown) {
      journal_record_free(&grown[c->n]);
    }
  }
  json_decref(o);
  return status;
}

/* Reads one line; *more: 1 if further lines may follow. */
static mbd_status read_line(reading *r, const char *line, size_t length, int *more, mbd_error *err) {
  mbd_error why = {0};
  *more = line[length - 1] == '\n';
  if (!*more && (r->lines > 0 || is_torn_header(line, length))) {
    return MBD_OK;
  } /* the process was killed while it wrote this line */
  r->lines++;
  if (r->lines == 1) { return read_header(r, line, length - (size_t)*more, err); }
  const mbd_status status = read_record(r, line, length - 1, &why);
  if (status != MBD_OK && status != MBD_BAD_INPUT && err) { *err = why; }
  if (status != MBD_BAD_INPUT) { return status; }
  /* A damaged line is left out, and its number kept. */
  int *grown = mbd_list_grow(r->damaged, r->ndamaged, sizeof *grown);
  MEMORY_TRY(grown, err, "%s", r->path);
  if (r->ndamaged == 0) { r->damage = why; }
  r->damaged = grown;
  grown[r->ndamaged++] = r->lines;
  return MBD_OK;
}

static mbd_status read_lines(reading *r, FILE *in, mbd_error *err) {
  char *line = NULL;
  size_t size = 0;
  ssize_t length = 0;
  mbd_status status = MBD_OK;
  for (int more = 1; status == MBD_OK && more && (errno = 0, length = getline(&line, &size, in)) > 0;) {
    status = read_line(r, line, (size_t)length, &more, err);
    if (more) { r->valid = ftell(in); }
  }
  const int lost = status == MBD_OK && length < 0 && errno == ENOMEM;
  free(line);
  MEMORY_TRY(!lost, err, "a line of %s", r->path);
  if (status == MBD_OK && ferror(in)) { MBD_FAIL(err, MBD_IO_ERROR, "%s cannot be read", r->path); }
  return status;
}

/* ---- damaged lines ---- */

/* Writes the file anew without its damaged lines and without an incomplete last line. */
static mbd_status write_whole_lines(const reading *r, mbd_error *err) {
  atomic_file a;
  FILE *in = fopen(r->path, "r");
  if (!in) { MBD_FAIL(err, io_status(errno), "%s cannot be read: %s", r->path, strerror(errno)); }
  mbd_status status = atomic_open(r->path, &a, err);
  int line = 1, next = 0;
  for (long k = 0; status == MBD_OK && k < r->valid; k++) {
    const int c = getc(in), is_damaged = next < r->ndamaged && r->damaged[next] == line;
    if (!is_damaged) { putc(c, a.out); }
    if (c == '\n') { line++, next += is_damaged; }
  }
  fclose(in);
  return status == MBD_OK ? atomic_commit(&a, err) : status;
}

/* Keeps the damaged file under another name, writes its whole lines to a new file, and describes this in a message. */
static mbd_status repair(reading *r, mbd_error *err) {
  char *kept;
  MBD_TRY(keep_as(r->path, "damaged", &kept, err));
  mbd_status status = write_whole_lines(r, err);
  r->content->damage = mbd_sprintf_dup(
      "%s: %d of %d line%s %s damaged, the first is line %d: %s; the file is kept as %s, and the run continues from "
      "the "
      "%d evaluation%s that %s whole",
      r->path, r->ndamaged, r->lines, plural(r->lines), r->ndamaged == 1 ? "is" : "are", r->damaged[0], r->damage.text,
      kept, r->content->n, plural(r->content->n), r->content->n == 1 ? "is" : "are");
  free(kept);
  return status == MBD_OK && !r->content->damage ? MEMORY_NONE(err, "%s", r->path) : status;
}

/* Refuses all but regular files, since others may have no end. */
static mbd_status check_kind(const char *path, mbd_error *err) {
  struct stat info;
  if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s is not a file that a journal can be read from", path);
  }
  return MBD_OK;
}

static mbd_status open_to_read(const char *path, FILE **in, mbd_error *err) {
  MBD_TRY(check_kind(path, err));
  *in = fopen(path, "r");
  if (!*in) { MBD_FAIL(err, io_status(errno), "%s cannot be read: %s", path, strerror(errno)); }
  return MBD_OK;
}

/* Reads the lines of the file; *valid: its length without an incomplete last line. */
static mbd_status read_journal(const char *path, const mbo_problem *p, const char *fingerprint,
                               journal_content *content, long *valid, mbd_error *err) {
  FILE *in;
  reading r = {.path = path, .p = p, .fingerprint = fingerprint, .content = content};
  MBD_TRY(open_to_read(path, &in, err));
  mbd_status status = read_lines(&r, in, err);
  fclose(in);
  if (status == MBD_OK && r.ndamaged) { status = repair(&r, err); }
  free(r.damaged);
  *valid = r.valid;
  return status;
}

/* Reads all lines; the run has ended if the last line is the record of its end. A header alone, even an incomplete one,
 * is an empty journal. */
mbd_status journal_is_open(const char *path, int *open, mbd_error *err) {
  FILE *in;
  char *line = NULL;
  size_t size = 0;
  int lines = 0, ended = 0;
  /* A journal that is not there is not open; one that cannot be read counts as open. */
  *open = access(path, F_OK) == 0;
  if (!*open) { return MBD_OK; }
  mbd_status status = open_to_read(path, &in, err);
  if (status != MBD_OK) { return status == MBD_NO_MEMORY ? status : MBD_OK; }
  /* A damaged line is no record of an end; a damaged first line counts as open, unless it is the torn beginning of a header. */
  for (ssize_t length; (errno = 0, length = getline(&line, &size, in)) > 0; lines++) {
    json_t *o;
    status = journal_line_read(line, (size_t)length - (line[length - 1] == '\n'), &o, err);
    if (status == MBD_NO_MEMORY) { break; }
    const int whole = status == MBD_OK;
    ended = lines == 0 ? 1 : whole && journal_line_is_end(o);
    if (lines == 0 && !whole) { ended = line[length - 1] != '\n' && is_torn_header(line, (size_t)length); }
    if (whole) { json_decref(o); }
  }
  if (errno == ENOMEM) { status = MEMORY_NONE(err, "%s", path); }
  free(line);
  fclose(in);
  *open = lines > 0 && !ended;
  return status == MBD_NO_MEMORY ? status : MBD_OK;
}

/* ---- opening ---- */

int journal_is_taken(const char *path) {
  const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const int taken = file >= 0 && file_lock_look(file, 0, 0) == FILE_LOCK_OTHERS;
  if (file >= 0) { close(file); }
  return taken;
}

/* Opens the file for writing, with an exclusive lock if the file system has locks. */
static mbd_status open_alone(journal *j, mbd_error *err) {
  j->fd = open(j->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (j->fd < 0) { MBD_FAIL(err, io_status(errno), "%s cannot be written: %s", j->path, strerror(errno)); }
  if (file_lock_take(j->fd, 0, 0) == FILE_LOCK_OTHERS) {
    MBD_FAIL(err, MBD_BAD_INPUT, "another process is writing %s; wait for it, or end it", j->path);
  }
  return MBD_OK;
}

static mbd_status begin(journal *j, const mbo_problem *p, const char *fingerprint, journal_content *content,
                        mbd_error *err) {
  struct stat info;
  long valid = 0;
  if (content) { MBD_TRY(check_kind(j->path, err)); } /* opening a pipe would wait for a reader */
  MBD_TRY(open_alone(j, err));
  if (content) { MBD_TRY(read_journal(j->path, p, fingerprint, content, &valid, err)); }
  if (content) { memcpy(j->end, content->end, sizeof j->end); }
  if (content && content->damage) { /* the repair has made a new file of that name */
    close(j->fd);
    MBD_TRY(open_alone(j, err));
  } else if (fstat(j->fd, &info) == 0 && S_ISREG(info.st_mode) && ftruncate(j->fd, valid) != 0) {
    /* An incomplete last line, or everything if a run begins anew, could not be cut off. */
    MBD_FAIL(err, MBD_IO_ERROR, "%s cannot be written: %s", j->path, strerror(errno));
  }
  return valid == 0 ? write_line(j, journal_line_header(p, fingerprint), err) : MBD_OK;
}

mbd_status journal_open(const char *path, const mbo_problem *p, const char *fingerprint, journal **out,
                        journal_content *content, mbd_error *err) {
  json_memory_watch();
  *out = NULL;
  journal *j = mbd_zeros(1, sizeof *j);
  MEMORY_TRY(j, err, "the journal");
  *j = (journal){.fd = -1, .path = mbd_strdup(path), .n = p->n, .nc = p->nc, .lost = mbd_memory_lost()};
  mbd_status status = j->path ? begin(j, p, fingerprint, content, err) : MEMORY_NONE(err, "the journal");
  if (status != MBD_OK) { journal_close(j); }
  *out = status == MBD_OK ? j : NULL;
  return status;
}

void journal_close(journal *j) {
  if (!j) { return; }
  if (j->fd >= 0) { close(j->fd); }
  free(j->path);
  free(j);
}

void journal_content_free(journal_content *c) {
  for (int i = 0; i < c->n; i++) { journal_record_free(&c->record[i]); }
  free(c->record), free(c->decided), free(c->damage);
  *c = (journal_content){0};
}
