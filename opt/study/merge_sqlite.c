/* study.sqlite: the runs of a study for queries. */
#include <stdlib.h>
#include <string.h>

#include "study/merge.h"

#ifndef MBO_HAVE_SQLITE

mbd_status merge_database_open(const study *s, const merged *m, merge_database **out, mbd_error *err) {
  (void)m;
  *out = NULL;
  MBD_FAIL(err, MBD_NOT_BUILT_IN,
           "%s/study.sqlite is not written: the program was built without SQLite; install the Debian package "
           "libsqlite3-dev and build again",
           s->folder);
}

mbd_status merge_database_add(merge_database *d, long i, const json_t *o, const json_t *const *value,
                              const char *warnings, mbd_error *err) {
  (void)d, (void)i, (void)o, (void)value, (void)warnings, (void)err;
  return MBD_OK;
}

mbd_status merge_database_close(merge_database *d, mbd_status status, mbd_error *err) {
  (void)d, (void)err;
  return status;
}

#else

#include <sqlite3.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

#include "files/memory.h"
#include "files/text_stream.h"
#include "mbd/version.h"
#include "files/atomic_file.h"

struct merge_database {
  const merged *m;
  atomic_file file;
  sqlite3 *db;
  sqlite3_stmt *run, *simulation;
};
typedef struct merge_database database;

static mbd_status failed(const database *d, mbd_error *err) {
  const int code = sqlite3_errcode(d->db); /* SQLITE_NOMEM if there is no database */
  MBD_FAIL(err, code == SQLITE_NOMEM ? MBD_NO_MEMORY : MBD_IO_ERROR, "%s cannot be written: %s", d->file.path,
           sqlite3_errmsg(d->db));
}

static mbd_status execute(const database *d, const char *sql, mbd_error *err) {
  return sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK ? MBD_OK : failed(d, err);
}

static int is_own(const char *name) {
  static const char *const own[] = {"run", "status", "warnings", "seconds", "error"};
  int is = 0;
  for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) { is |= strcasecmp(own[i], name) == 0; }
  return is;
}

/* Writes the name of a column. SQLite ignores the case of column names: the number of a column is appended to a name that occurs twice. */
static void write_name(FILE *out, const merged *m, int k) {
  int before = is_own(m->column[k]);
  for (int i = 0; i < k; i++) { before |= strcasecmp(m->column[i], m->column[k]) == 0; }
  fputs(", \"", out);
  for (const char *c = m->column[k]; *c; c++) { fprintf(out, *c == '"' ? "\"\"" : "%c", *c); }
  if (before) { fprintf(out, " %d", k + 1); }
  fputc('"', out);
}

/* "BEGIN, "name", ..., END" with a name or a placeholder for each column; new memory. */
static char *statement(const merged *m, const char *begin, int names, const char *end) {
  text_stream stream;
  FILE *out = text_begin(&stream);
  if (!out) { return text_end(&stream); }
  fputs(begin, out);
  for (int k = 0; k < m->ncolumn; k++) {
    if (names) {
      write_name(out, m, k);
    } else {
      fputs(", ?", out);
    }
  }
  fputs(end, out);
  return text_end(&stream);
}

/* Creates the tables runs, simulations and study, and prepares the statements that insert rows. */
static mbd_status create_tables(database *d, mbd_error *err) {
  char *create = statement(d->m, "CREATE TABLE runs (\"run\" INTEGER PRIMARY KEY, \"status\" TEXT", 1,
                           ", \"warnings\" TEXT, \"seconds\" REAL, \"error\" TEXT)");
  char *insert = statement(d->m, "INSERT INTO runs VALUES (?, ?", 0, ", ?, ?, ?)");
  mbd_status status = create && insert ? execute(d, create, err) : MEMORY_NONE(err, "the table");
  if (status == MBD_OK) {
    status = execute(d,
                     "CREATE TABLE simulations (run INTEGER, number INTEGER, objective REAL, violation REAL);"
                     "CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT)",
                     err);
  }
  if (status == MBD_OK && (sqlite3_prepare_v2(d->db, insert, -1, &d->run, NULL) != SQLITE_OK ||
                           sqlite3_prepare_v2(d->db, "INSERT INTO simulations VALUES (?, ?, ?, ?)", -1, &d->simulation,
                                              NULL) != SQLITE_OK)) {
    status = failed(d, err);
  }
  free(create), free(insert);
  return status;
}

/* Binds a value. A text must stay in place until the row is inserted. */
static void bind(sqlite3_stmt *insert, int at, const json_t *v) {
  if (json_is_integer(v)) {
    sqlite3_bind_int64(insert, at, json_integer_value(v));
  } else if (json_is_number(v)) {
    sqlite3_bind_double(insert, at, json_number_value(v));
  } else if (json_is_string(v)) {
    sqlite3_bind_text(insert, at, json_string_value(v), -1, SQLITE_STATIC);
  } else {
    sqlite3_bind_null(insert, at);
  }
}

static mbd_status insert(const database *d, sqlite3_stmt *statement, mbd_error *err) {
  const int done = sqlite3_step(statement) == SQLITE_DONE;
  if (!done) { return failed(d, err); }
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return MBD_OK;
}

static mbd_status insert_simulations(const database *d, long i, const json_t *list, mbd_error *err) {
  for (size_t k = 0; k < json_array_size(list); k++) {
    const json_t *pair = json_array_get(list, k);
    sqlite3_bind_int64(d->simulation, 1, i);
    sqlite3_bind_int64(d->simulation, 2, (sqlite3_int64)k + 1);
    bind(d->simulation, 3, json_array_get(pair, 0));
    bind(d->simulation, 4, json_array_get(pair, 1));
    MBD_TRY(insert(d, d->simulation, err));
  }
  return MBD_OK;
}

mbd_status merge_database_add(merge_database *d, long i, const json_t *o, const json_t *const *value,
                              const char *warnings, mbd_error *err) {
  const int n = d->m->ncolumn;
  sqlite3_bind_int64(d->run, 1, i);
  bind(d->run, 2, json_object_get(o, "status"));
  for (int k = 0; k < n; k++) { bind(d->run, 3 + k, value[k]); }
  if (*warnings) { sqlite3_bind_text(d->run, 3 + n, warnings, -1, SQLITE_STATIC); }
  bind(d->run, 4 + n, json_object_get(o, "seconds"));
  bind(d->run, 5 + n, json_object_get(o, "error"));
  MBD_TRY(insert(d, d->run, err));
  return insert_simulations(d, i, json_object_get(o, "simulations"), err);
}

static mbd_status insert_study(database *d, const study *s, mbd_error *err) {
  const char *const pairs[][2] = {
      {"kind", s->kind}, {"task", s->task}, {"run file", s->origin[0]}, {"mbopt", MBD_VERSION}};
  sqlite3_stmt *statement;
  if (sqlite3_prepare_v2(d->db, "INSERT INTO study VALUES (?, ?)", -1, &statement, NULL) != SQLITE_OK) {
    return failed(d, err);
  }
  mbd_status status = MBD_OK;
  for (size_t k = 0; status == MBD_OK && k < sizeof pairs / sizeof pairs[0]; k++) {
    sqlite3_bind_text(statement, 1, pairs[k][0], -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, pairs[k][1], -1, SQLITE_STATIC);
    status = insert(d, statement, err);
  }
  sqlite3_finalize(statement);
  return status;
}

static mbd_status begin(database *d, const study *s, mbd_error *err) {
  if (sqlite3_open(d->file.temporary, &d->db) != SQLITE_OK) { return failed(d, err); }
  if (d->m->ncolumn + 5 > sqlite3_limit(d->db, SQLITE_LIMIT_COLUMN, -1)) {
    MBD_FAIL(err, MBD_UNSUPPORTED,
             "study.sqlite is not written: %d columns are more than SQLite takes; table.csv has them all",
             d->m->ncolumn);
  }
  MBD_TRY(execute(d, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN",
                  err)); /* the file is renamed when it is complete */
  MBD_TRY(create_tables(d, err));
  return insert_study(d, s, err);
}

mbd_status merge_database_open(const study *s, const merged *m, merge_database **out, mbd_error *err) {
  database *d = mbd_zeros(1, sizeof *d);
  *out = NULL;
  MEMORY_TRY(d, err, "%s/study.sqlite", s->folder);
  d->m = m;
  mbd_status status = atomic_open_in(s->folder, "study.sqlite", &d->file, err);
  if (status != MBD_OK) {
    free(d);
    return status;
  }
  status = begin(d, s, err);
  if (status != MBD_OK) { return merge_database_close(d, status, err); }
  *out = d;
  return MBD_OK;
}

mbd_status merge_database_close(merge_database *d, mbd_status status, mbd_error *err) {
  if (status == MBD_OK) { status = execute(d, "COMMIT", err); }
  sqlite3_finalize(d->run), sqlite3_finalize(d->simulation);
  sqlite3_close(d->db);
  status = atomic_end(&d->file, status, err);
  free(d);
  return status;
}

#endif
