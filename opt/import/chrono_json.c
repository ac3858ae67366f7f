#include "import/chrono_json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/nearest.h"
#include "files/json.h"
#include "files/text_file.h"

enum { FOLDERS_ABOVE = 4 };
#define SEPARATORS " \t\r\n,:"

/* ---- a file ---- */

/* Blanks in the place of comments, outside of texts; lines stay where they are. */
static void blank_comments(char *text) {
  int quoted = 0;
  for (char *c = text; *c; c++) {
    if (quoted && *c == '\\' && c[1]) {
      c++;
    } else if (*c == '"') {
      quoted = !quoted;
    } else if (!quoted && *c == '/' && (c[1] == '/' || c[1] == '*')) {
      const int whole_line = c[1] == '/';
      const char *end = whole_line ? strchr(c, '\n') : strstr(c + 2, "*/");
      end = !end ? c + strlen(c) : whole_line ? end : end + 2;
      for (; c < end; c++) {
        if (*c != '\n') { *c = ' '; }
      }
      c--;
    }
  }
}

mbd_status chrono_read(const char *path, chrono_file *f, mbd_error *err) {
  text_file t;
  json_error_t why;
  *f = (chrono_file){.path = mbd_strdup(path)};
  MEMORY_TRY(f->path, err, "%s", path);
  MBD_TRY(text_file_read(path, TEXT_FILE_SETTINGS, &t, err));
  f->text = mbd_strdup(t.left);
  text_file_free(&t);
  MEMORY_TRY(f->text, err, "%s", path);
  blank_comments(f->text);
  json_memory_watch();
  const long before = mbd_memory_lost();
  f->root = json_loads(f->text, JSON_REJECT_DUPLICATES, &why);
  MBD_TRY(MEMORY_SINCE(before, err, "%s", path));
  if (!f->root) { MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: %s", path, why.line, why.text); }
  if (!json_is_object(f->root)) { MBD_FAIL(err, MBD_BAD_INPUT, "%s:1: expected an object, { ... }", path); }
  return MBD_OK;
}

void chrono_free(chrono_file *f) {
  json_decref(f->root);
  free(f->path), free(f->text);
  *f = (chrono_file){.root = NULL};
}

/* ---- keys ---- */

/* The next part of a path of keys, in `part`; returns what follows, NULL past the end. */
static const char *next_part(const char *key, char part[CHRONO_KEY]) {
  if (!*key) { return NULL; }
  const size_t n = strcspn(key, "/");
  snprintf(part, CHRONO_KEY, "%.*s", (int)n, key);
  return key + n + (key[n] == '/');
}

static const json_t *member(const json_t *v, const char *part) {
  return json_is_array(v) ? json_array_get(v, (size_t)strtoul(part, NULL, 10)) : json_object_get(v, part);
}

const char *chrono_join(char key[CHRONO_KEY], const char *section, const char *rest) {
  const int n = snprintf(key, CHRONO_KEY, "%s/%s", section, rest);
  return n >= 0 && n < CHRONO_KEY ? key : rest;
}

const json_t *chrono_find(const chrono_file *f, const char *key) {
  const json_t *v = f->root;
  char part[CHRONO_KEY];
  while (v && (key = next_part(key, part)) != NULL) { v = member(v, part); }
  return v;
}

/* Behind a value of valid JSON, and behind what separates it from the next one. */
static const char *behind(const char *c) {
  int depth = 0;
  do {
    if (*c == '"') {
      do { c += *c == '\\' ? 2 : 1; } while (*c != '"');
      c++;
    } else if (strchr("{}[]", *c)) {
      depth += *c == '{' || *c == '[' ? 1 : -1, c++;
    } else {
      c += strcspn(c, "\"{}[]" SEPARATORS);
    }
    c += strspn(c, SEPARATORS);
  } while (depth > 0);
  return c;
}

/* The value of a part of a list or of an object, and where it begins, of an object with its name; NULL: it has none. */
static const char *value_of(const char *at, const char *part, const char **begin) {
  const int list = *at == '[', number = atoi(part);
  char quoted[CHRONO_KEY + 3];
  if (!list && *at != '{') { return NULL; }
  snprintf(quoted, sizeof quoted, "\"%s\"", part);
  at++, at += strspn(at, SEPARATORS);
  for (int i = 0; *at != '}' && *at != ']'; i++) {
    const char *value = list ? at : behind(at);
    if (list ? i == number : strncmp(at, quoted, strlen(quoted)) == 0) {
      *begin = at;
      return value;
    }
    at = behind(value);
  }
  return NULL;
}

/* The line of a key: that of the last of its parts that the text has. */
static int line_of(const chrono_file *f, const char *key) {
  const char *at = f->text + strspn(f->text, SEPARATORS), *begin = f->text;
  char part[CHRONO_KEY];
  while (at && (key = next_part(key, part)) != NULL) { at = value_of(at, part, &begin); }
  int line = 1;
  for (const char *c = f->text; c < begin; c++) { line += *c == '\n'; }
  return line;
}

mbd_status chrono_fail(const chrono_file *f, const char *key, mbd_error *err, const char *format, ...) {
  char text[600];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: '%s' %s", f->path, line_of(f, key), key, text);
}

/* The message of a key that is missing, with the nearest of those that are there. */
static mbd_status missing(const chrono_file *f, const char *key, mbd_error *err) {
  char part[CHRONO_KEY], above[CHRONO_KEY], hint[MBD_HINT];
  json_t *v = f->root;
  const char *rest = key;
  for (const char *next; (next = next_part(rest, part)) != NULL && member(v, part); rest = next) {
    v = (json_t *)member(v, part);
  }
  mbd_nearest near = {.requested = part};
  for (void *at = json_object_iter(v); at; at = json_object_iter_next(v, at)) {
    mbd_nearest_offer(&near, json_object_iter_key(at));
  }
  mbd_nearest_text(&near, hint, sizeof hint);
  snprintf(above, sizeof above, "%.*s", rest > key ? (int)(rest - key) - 1 : 0, key);
  if (*above) { return chrono_fail(f, above, err, "has no '%s'%s", part, hint); }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s:1: '%s' is missing%s", f->path, part, hint);
}

/* ---- values ---- */

static mbd_status find(const chrono_file *f, const char *key, const json_t **v, mbd_error *err) {
  *v = chrono_find(f, key);
  return *v ? MBD_OK : missing(f, key, err);
}

mbd_status chrono_text(const chrono_file *f, const char *key, const char **text, mbd_error *err) {
  const json_t *v;
  MBD_TRY(find(f, key, &v, err));
  *text = json_string_value(v);
  return *text ? MBD_OK : chrono_fail(f, key, err, "is no text");
}

/* 1: a number, of a size that things in a vehicle have. */
static int is_number(const json_t *v, double *number) {
  *number = json_number_value(v);
  return json_is_number(v) && fabs(*number) < 1e15;
}

mbd_status chrono_number(const chrono_file *f, const char *key, double *v, mbd_error *err) {
  const json_t *number;
  MBD_TRY(find(f, key, &number, err));
  return is_number(number, v) ? MBD_OK : chrono_fail(f, key, err, "expected a number, below 1e15");
}

mbd_status chrono_number_if(const chrono_file *f, const char *key, double *v, mbd_error *err) {
  return chrono_find(f, key) ? chrono_number(f, key, v, err) : MBD_OK;
}

mbd_status chrono_numbers(const chrono_file *f, const char *key, int n, double *v, mbd_error *err) {
  const json_t *list;
  MBD_TRY(find(f, key, &list, err));
  int right = json_array_size(list) == (size_t)n;
  for (int i = 0; i < n && right; i++) { right = is_number(json_array_get(list, (size_t)i), &v[i]); }
  return right ? MBD_OK : chrono_fail(f, key, err, "expected %d numbers, as [0, 0.5, 0.2]", n);
}

mbd_status chrono_list(const chrono_file *f, const char *key, int *n, mbd_error *err) {
  const json_t *list;
  MBD_TRY(find(f, key, &list, err));
  *n = (int)json_array_size(list);
  return *n > 0 ? MBD_OK : chrono_fail(f, key, err, "expected a list, [ ... ], that is not empty");
}

/* ---- files that a file names ---- */

static int is_file(const char *path) {
  struct stat s;
  return path && lstat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* 1: a path that goes down only. */
static int goes_down(const char *path) {
  int down = *path && *path != '/' && !strchr(path, '\\');
  for (const char *c = path; *c && down; c += strcspn(c, "/"), c += *c == '/') {
    down = strcspn(c, "/") != 2 || strncmp(c, "..", 2) != 0;
  }
  return down;
}

/* The folder above one, "" being the working directory; in the memory of the folder, which has room for "/..". */
static void go_up(char *folder) {
  char *slash = strrchr(folder, '/'), *last = slash ? slash + 1 : folder;
  if (!*folder || strcmp(last, "..") == 0 || strcmp(last, ".") == 0) {
    strcat(folder, *folder ? "/.." : "..");
  } else {
    *(slash ? slash : folder) = '\0';
  }
}

mbd_status chrono_path(const chrono_file *f, const char *key, char **path, mbd_error *err) {
  const char *name, *slash = strrchr(f->path, '/');
  const int n = slash ? (int)(slash - f->path) : 0;
  *path = NULL;
  MBD_TRY(chrono_text(f, key, &name, err));
  if (!goes_down(name)) {
    return chrono_fail(f, key, err, "= %.200s, expected a path that goes down from a folder", name);
  }
  const char *last = strrchr(name, '/');
  char *folder = mbd_sprintf_dup("%.*s%*s", n, f->path, 3 * (FOLDERS_ABOVE + 1), "");
  MEMORY_TRY(folder, err, "%s", f->path);
  folder[n] = '\0';
  for (int above = 0; above <= FOLDERS_ABOVE + 1 && !*path; above++) {
    if (above > FOLDERS_ABOVE) { /* beside f */
      *path = mbd_sprintf_dup("%.*s%s%s", n, f->path, n ? "/" : "", last ? last + 1 : name);
    } else {
      *path = mbd_sprintf_dup("%s%s%s", folder, *folder ? "/" : "", name);
      go_up(folder);
    }
    if (*path && !is_file(*path)) { free(*path), *path = NULL; }
  }
  free(folder);
  MBD_TRY(MEMORY_WHOLE(err, "%s", f->path));
  if (*path) { return MBD_OK; }
  return chrono_fail(f, key, err, "= %.200s is no file in the folder of this one, nor in the %d above", name,
                     FOLDERS_ABOVE);
}

mbd_status chrono_read_named(const chrono_file *f, const char *key, const char *type, chrono_file *named,
                             mbd_error *err) {
  char *path;
  const char *is = "";
  *named = (chrono_file){.root = NULL};
  MBD_TRY(chrono_path(f, key, &path, err));
  mbd_status status = chrono_read(path, named, err);
  free(path);
  if (status == MBD_OK) { status = chrono_text(named, "Type", &is, err); }
  if (status == MBD_OK && strcmp(is, type) != 0) {
    status = chrono_fail(named, "Type", err, "= %.60s, expected %s, as %s names it under '%s'", is, type, f->path, key);
  }
  return status;
}
