#include "config/ini.h"

#include <ctype.h>
#include <ini.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/text_file.h"
#include "base/nearest.h"

/* ---- reading ---- */

/* The library passes section, key and value to a callback; its reader is replaced so that lines can be counted and inspected. */
typedef struct reading {
  text_file text;
  ini_file *f;
  int schema;              /* line of the schema entry; 0: not seen */
  int continued;           /* 1: the line continues the value of the entry before, since it starts with white space */
  size_t length, capacity; /* characters of that value, and its memory */
  mbd_status status;
  mbd_error *err;
} reading;

static mbd_status read_fail(reading *r, const char *format, ...) {
  char text[512];
  va_list args;
  if (r->status != MBD_OK) { return r->status; }
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  r->status = MBD_FAILED(r->err, MBD_BAD_INPUT, "%s:%d: %s", r->f->path, r->text.line, text);
  return r->status;
}

static int is_name_character(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '-';
}

int ini_valid_name(const char *s) {
  if (!*s) { return 0; }
  while (is_name_character(*s)) { s++; }
  return *s == '\0';
}

/* The same with pairs of braces, as in link{i}. */
static int valid_pattern(const char *s) {
  if (!*s) { return 0; }
  while (*s) {
    const char *end = *s == '{' ? strchr(s, '}') : s;
    if (!end || (end == s && !is_name_character(*s))) { return 0; }
    s = end + 1;
  }
  return 1;
}

static void trim(char *s) {
  size_t n = strlen(s), start = 0;
  while (n && isspace((unsigned char)s[n - 1])) { s[--n] = '\0'; }
  while (isspace((unsigned char)s[start])) { start++; }
  memmove(s, s + start, n - start + 1);
}

ini_section *ini_add_section(ini_file *f, const char *kind, const char *name, int line) {
  ini_section *grown = mbd_list_grow(f->section, f->n, sizeof *grown);
  if (!grown) { return NULL; }
  f->section = grown;
  ini_section *s = &grown[f->n];
  *s = (ini_section){.kind = mbd_strdup(kind), .name = mbd_strdup(name), .line = line};
  if (!s->kind || !s->name || !name_index_add(&f->at, s->kind, s->name, f->n)) {
    free(s->kind), free(s->name);
    return NULL;
  }
  f->n++;
  return s;
}

enum { FEW = 16 }; /* up to so many entries are searched one by one */

/* Indexes every entry of a long section that is not indexed yet. 0: no memory. */
static int index_keys(ini_section *s) {
  for (int i = s->keys.n; s->n > FEW && i < s->n; i++) {
    if (!name_index_add(&s->keys, s->entry[i].key, "", i)) { return 0; }
  }
  return 1;
}

ini_entry *ini_add_entry(ini_section *s, const char *key, const char *value, int line) {
  ini_entry *grown = mbd_list_grow(s->entry, s->n, sizeof *grown);
  if (!grown) { return NULL; }
  s->entry = grown;
  ini_entry *e = &grown[s->n];
  *e = (ini_entry){.key = mbd_strdup(key), .value = mbd_strdup(value), .line = line};
  s->n++;
  if (e->key && e->value && index_keys(s)) { return e; }
  s->n--;
  free(e->key), free(e->value);
  return NULL;
}

/* Begins a section, after checks of its kind and name, of repetition, and of the schema entry before it. */
static mbd_status open_section(reading *r, char *header) {
  char *name = header;
  /* The first word is the kind, what follows is the name. */
  trim(header);
  while (*name && !isspace((unsigned char)*name)) { name++; }
  if (*name) { *name++ = '\0'; }
  trim(name);
  /* Only the name may have braces, whose expressions are replaced by repetitions. */
  if (!ini_valid_name(header)) {
    return read_fail(r, "section '[%s]', expected [kind] or [kind name] of letters, digits, '_' and '-'", header);
  }
  if (*name && !valid_pattern(name)) {
    return read_fail(r, "section '[%s %s]': names are made of letters, digits, '_', '-' and pairs of braces", header,
                     name);
  }
  /* A pair of kind and name must be new, and the schema entry must come before all sections. */
  const ini_section *twice = ini_find(r->f, header, name);
  if (twice) {
    return read_fail(r, "section '[%s%s%s]' appears twice, first in line %d", header, *name ? " " : "", name,
                     twice->line);
  }
  if (!r->schema) {
    return read_fail(r, "section '[%s]' before 'schema = %d', which must come first", header, MBO_SCHEMA);
  }
  if (!ini_add_section(r->f, header, name, r->text.line)) { r->status = ini_no_memory(r->f, r->err); }
  return r->status;
}

static int begins_comment(char c) {
  return c == ';' || c == '#';
}

/* Cuts off a comment: ; or # at the start or after white space. (The library only recognizes the first one after a value.) */
static void cut_comment(char *s) {
  for (char *c = s; *c; c++) {
    if (begins_comment(*c) && (c == s || isspace((unsigned char)c[-1]))) {
      *c = '\0';
      return;
    }
  }
}

/* "[kind name]" and nothing after it. */
static mbd_status inspect_section(reading *r, const char *s) {
  char header[512];
  const char *end = strchr(s, ']');
  if (!end || end - s > 400) { return read_fail(r, "a section without ']'"); }
  if (end[1]) {
    return read_fail(r, "'%.60s' after ']', expected nothing there; keys stand on lines of their own",
                     end + 1 + strspn(end + 1, " \t"));
  }
  snprintf(header, sizeof header, "%.*s", (int)(end - s - 1), s + 1);
  return open_section(r, header);
}

/* Replaces \; by ; and \# by #, in place. */
static void unescape(char *value) {
  char *to = value;
  for (const char *c = value; *c; c++) {
    if (*c == '\\' && begins_comment(c[1])) { c++; }
    *to++ = *c;
  }
  *to = '\0';
}

char *ini_escape(const char *value) {
  char *text = mbd_zeros(2 * strlen(value), 1), *to = text;
  for (const char *c = value; text && *c; c++) {
    const int after = c == value || c[-1] == '\\' || isspace((unsigned char)c[-1]);
    if (after && begins_comment(*c)) { *to++ = '\\'; }
    *to++ = *c;
  }
  if (text) { *to = '\0'; }
  return text;
}

/* The entry read last, of the section that is open; NULL: it has none. */
static ini_entry *last_entry(const reading *r) {
  const ini_section *s = r->f->n ? &r->f->section[r->f->n - 1] : NULL;
  return s && s->n > 0 ? &s->entry[s->n - 1] : NULL;
}

/* Does the last value so far end in a backslash, so that it goes on without a blank? */
static int value_is_broken(const reading *r) {
  const ini_entry *e = last_entry(r);
  return e && r->length > 0 && e->value[r->length - 1] == '\\';
}

/* Inspects a raw line before the library does: sections, bytes that are no text, lines without '='. The library takes every indented
 * line as a continuation of the value before; so the indentation of sections and keys is removed. */
static mbd_status inspect(reading *r, char *line) {
  char *s = line;
  int indented = isspace((unsigned char)*s), entries = last_entry(r) != NULL;
  while (isspace((unsigned char)*s)) { s++; }
  for (const char *c = s; *c; c++) {
    if (iscntrl((unsigned char)*c) && !isspace((unsigned char)*c)) {
      return read_fail(r, "a control character (code %d): this is no text file", (unsigned char)*c);
    }
  }
  /* Comments may be in any encoding; they are removed before the encoding of the line is checked. */
  cut_comment(s);
  trim(s);
  if (!text_is_utf8(s)) { return read_fail(r, "letters that are not in UTF-8; save the file in that encoding"); }
  const char *equals = strchr(s, '=');
  /* An indented line continues the value before if that ends in a backslash, or if the line is neither a section nor
   * has a '='. */
  r->continued = indented && entries && *s && (value_is_broken(r) || (*s != '[' && !equals));
  /* Any other line is empty, a section or an entry. The library would also split an entry at a ':' before the '='. */
  if (*s == '[' && !r->continued) {
    inspect_section(r, s);
  } else if (*s && !r->continued && (!equals || memchr(s, ':', (size_t)(equals - s)))) {
    read_fail(r, "'%.60s' is neither a [section] nor key = value", s);
  }
  /* Without its indentation the library reads the line as a new section or entry. */
  if (!r->continued) { memmove(line, s, strlen(s) + 1); }
  return r->status;
}

static char *next_line(char *buffer, int size, void *user) {
  reading *r = user;
  const char *line = r->status == MBD_OK ? text_file_line(&r->text) : NULL;
  if (!line) { return NULL; }
  const size_t length = strlen(line), max = (size_t)size - 2;
  if (length > max) {
    read_fail(r,
              "the line is too long, expected at most %d characters; a long list goes on in indented lines, another "
              "value behind a backslash too",
              size - 2);
    return NULL;
  }
  memcpy(buffer, line, length + 1);
  return inspect(r, buffer) == MBD_OK ? buffer : NULL;
}

/* Continues the last value: after a blank, or in place of the backslash at its end. Its memory is doubled when needed, since a list may
 * have any number of lines. */
static int extend_value(reading *r, ini_entry *e, const char *more) {
  const size_t n = strlen(more), at = value_is_broken(r) ? r->length - 1 : r->length + 1;
  if (at + n + 1 > r->capacity) {
    const size_t capacity = 2 * (at + n + 1);
    char *grown = realloc(e->value, capacity);
    if (!grown) {
      r->status = ini_no_memory(r->f, r->err);
      return 0;
    }
    e->value = grown, r->capacity = capacity;
  }
  if (at > r->length) { e->value[r->length] = ' '; }
  memcpy(e->value + at, more, n + 1);
  r->length = at + n;
  return 1;
}

/* Takes one entry from the library: "schema = 1" before the first section; a continued line, which extends the entry before it; or a new key
 * of the section, which must be the only one of its name and have a value. Returns 0 to stop the library. */
static int handle_entry(void *user, const char *section, const char *key, const char *value) {
  reading *r = user;
  (void)section; /* the section has been opened by inspect(), which has the line number */
  if (r->status != MBD_OK) { return 0; }
  if (r->f->n == 0) {
    if (strcmp(key, "schema") != 0) {
      read_fail(r, "'%s = %s' before the first section; only 'schema = %d' stands there", key, value, MBO_SCHEMA);
    } else if (strcmp(value, "1") != 0) {
      read_fail(r, "schema = %s is not supported; this program reads schema = %d", value, MBO_SCHEMA);
    } else if (r->schema) {
      read_fail(r, "schema appears twice, first in line %d", r->schema);
    }
    r->schema = r->text.line;
    return r->status == MBD_OK;
  }
  ini_section *s = &r->f->section[r->f->n - 1];
  /* of such a line the library passes at most 49 characters of the key */
  if (r->continued) { return extend_value(r, last_entry(r), value); }
  const ini_entry *twice = ini_find_entry(s, key);
  if (twice) {
    read_fail(r, "[%s%s%s] %s appears twice, first in line %d", s->kind, *s->name ? " " : "", s->name, key,
              twice->line);
    return 0;
  }
  if (!*value) {
    read_fail(r, "[%s%s%s] %s has no value", s->kind, *s->name ? " " : "", s->name, key);
    return 0;
  }
  r->length = strlen(value), r->capacity = r->length + 1;
  if (!ini_add_entry(s, key, value, r->text.line)) { r->status = ini_no_memory(r->f, r->err); }
  return r->status == MBD_OK;
}

/* text NULL: that of the file. */
static mbd_status read_sections(const char *path, const char *text, ini_file *f, mbd_error *err) {
  *f = (ini_file){.path = mbd_strdup(path)};
  reading r = {.f = f, .status = MBD_OK, .err = err};
  MEMORY_TRY(f->path, err, "%s", path);
  MBD_TRY(text ? text_file_copy(text, path, &r.text, err) : text_file_read(path, TEXT_FILE_SETTINGS, &r.text, err));
  const int bad = ini_parse_stream(next_line, &r, handle_entry, &r);
  text_file_free(&r.text);
  MBD_TRY(r.status);
  if (bad) { MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: expected [section], key = value or a comment", path, bad); }
  if (!r.schema) { MBD_FAIL(err, MBD_BAD_INPUT, "%s: 'schema = %d' is missing; it must come first", path, MBO_SCHEMA); }
  for (int i = 0; i < f->n; i++) {
    for (int k = 0; k < f->section[i].n; k++) { unescape(f->section[i].entry[k].value); }
  }
  return MBD_OK;
}

mbd_status ini_read(const char *path, ini_file *f, mbd_error *err) {
  return read_sections(path, NULL, f, err);
}

mbd_status ini_read_text(const char *text, const char *path, ini_file *f, mbd_error *err) {
  return read_sections(path, text, f, err);
}

void ini_free(ini_file *f) {
  for (int i = 0; i < f->n; i++) {
    ini_section *s = &f->section[i];
    for (int k = 0; k < s->n; k++) { free(s->entry[k].key), free(s->entry[k].value); }
    free(s->entry), free(s->kind), free(s->name);
    name_index_free(&s->keys);
  }
  free(f->section), free(f->path);
  name_index_free(&f->at);
  *f = (ini_file){0};
}

/* ---- queries ---- */

ini_section *ini_find(const ini_file *f, const char *kind, const char *name) {
  const int i = name_index_find(&f->at, kind, name);
  return i < 0 ? NULL : &f->section[i];
}

ini_entry *ini_find_entry(const ini_section *s, const char *key) {
  if (s && s->n > FEW) {
    const int i = name_index_find(&s->keys, key, "");
    return i < 0 ? NULL : &s->entry[i];
  }
  for (int i = 0; s && i < s->n; i++) {
    if (strcmp(s->entry[i].key, key) == 0) { return &s->entry[i]; }
  }
  return NULL;
}

ini_entry *ini_get(ini_section *s, const char *key) {
  ini_entry *e = ini_find_entry(s, key);
  if (e) { e->used = 1; }
  return e;
}

/* quoted: 1: the place has the value of the entry, too. */
static void where(const ini_file *f, const ini_section *s, const ini_entry *e, int quoted, char *text, size_t size) {
  int line = e ? e->line : s ? s->line : 0;
  int n = e && line == INI_SET   ? snprintf(text, size, "--set: ")
          : e && line == INI_RUN ? snprintf(text, size, "replaced by the run: ")
          : line > 0             ? snprintf(text, size, "%s:%d: ", f->path, line)
                                 : snprintf(text, size, "%s: ", f->path);
  if (f->through && n >= 0 && (size_t)n < size) { n += snprintf(text + n, size - (size_t)n, "part %s: ", f->through); }
  if (s && n >= 0 && (size_t)n < size) {
    n += snprintf(text + n, size - (size_t)n, "[%s%s%s] ", s->kind, *s->name ? " " : "", s->name);
  }
  if (e && n >= 0 && (size_t)n < size) {
    snprintf(text + n, size - (size_t)n, quoted ? "%s = %.80s: " : "%s: ", e->key, e->value);
  }
}

mbd_status ini_fail(const ini_file *f, const ini_section *s, const ini_entry *e, mbd_error *err, const char *format,
                    ...) {
  char place[400], text[900];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  where(f, s, e, 1, place, sizeof place);
  MBD_FAIL(err, MBD_BAD_INPUT, "%s%s", place, text);
}

mbd_status ini_locate(const ini_file *f, const ini_section *s, const ini_entry *e, mbd_status status, mbd_error *err) {
  char place[400];
  if (status == MBD_OK) { return MBD_OK; }
  where(f, s, e, 1, place, sizeof place);
  return mbd_locate(err, status, "%s", place);
}

mbd_status ini_locate_expression(const ini_file *f, const ini_section *s, const ini_entry *e, const char *text,
                                 mbd_status status, mbd_error *err) {
  char place[400];
  if (status == MBD_OK) { return MBD_OK; }
  where(f, s, e, e && strcmp(text, e->value) != 0, place, sizeof place);
  return mbd_locate(err, status, "%s", place);
}

mbd_status ini_replace(const ini_file *f, char **text, const char *by, mbd_error *err) {
  char *copy = mbd_strdup(by);
  if (!copy) { return ini_no_memory(f, err); }
  free(*text);
  *text = copy;
  return MBD_OK;
}

mbd_status ini_no_memory(const ini_file *f, mbd_error *err) {
  return MEMORY_NONE(err, "%s", f->path);
}

/* ---- kinds of sections ---- */

static int find_kind(const char *kind, ini_kinds kinds, int *named) {
  const char *known;
  for (int i = 0; (known = kinds(i, named)) != NULL; i++) {
    if (strcmp(known, kind) == 0) { return 1; }
  }
  return 0;
}

/* ", did you mean 'x'?" of a kind that is not known, or "". */
static const char *kind_hint(const char *kind, ini_kinds kinds, char *text, int size) {
  mbd_nearest near = {.requested = kind};
  const char *known;
  int named;
  for (int i = 0; (known = kinds(i, &named)) != NULL; i++) { mbd_nearest_offer(&near, known); }
  return mbd_nearest_text(&near, text, size);
}

mbd_status ini_check_section(const ini_file *f, const ini_section *s, const char *file, ini_kinds kinds,
                             mbd_error *err) {
  char hint[MBD_HINT];
  int named;
  if (!find_kind(s->kind, kinds, &named)) {
    return ini_fail(f, s, NULL, err, "section '%s' is not known in %s%s", s->kind, file,
                    kind_hint(s->kind, kinds, hint, sizeof hint));
  }
  if (named && !*s->name) { return ini_fail(f, s, NULL, err, "expected a name: [%s NAME]", s->kind); }
  if (!named && *s->name) { return ini_fail(f, s, NULL, err, "expected [%s] without a name", s->kind); }
  return MBD_OK;
}

void ini_offer_names(const ini_file *f, const char *kind, mbd_nearest *near) {
  for (int i = 0; i < f->n; i++) {
    if (strcmp(f->section[i].kind, kind) == 0) { mbd_nearest_offer(near, f->section[i].name); }
  }
}

/* ---- --set ---- */

/* Removes an entry, as if the file did not have it. s NULL: the file has no such section. */
static mbd_status leave_out(ini_section *s, const char *assignment, const char *key, mbd_error *err) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = key};
  ini_entry *e = ini_find_entry(s, key);
  for (int i = 0; !e && s && i < s->n; i++) { mbd_nearest_offer(&near, s->entry[i].key); }
  if (!e) {
    MBD_FAIL(err, MBD_BAD_INPUT, "--set '%s': an empty value leaves the key out, but the file has no '%s' there%s",
             assignment, key, mbd_nearest_text(&near, hint, sizeof hint));
  }
  free(e->key), free(e->value);
  memmove(e, e + 1, (size_t)(s->entry + --s->n - e) * sizeof *e);
  name_index_free(&s->keys);
  MEMORY_TRY(index_keys(s), err, "--set");
  return MBD_OK;
}

/* Sections with braces in their names are those of the file, with a key that says what the braces are. */
static mbd_status no_pattern(const ini_file *f, const char *assignment, const char *kind, const char *name,
                             mbd_error *err) {
  char hint[96];
  mbd_nearest near = {.requested = name};
  ini_offer_names(f, kind, &near);
  MBD_FAIL(err, MBD_BAD_INPUT, "--set '%s': %s has no section [%s %s]%s", assignment, f->path, kind, name,
           mbd_nearest_text(&near, hint, sizeof hint));
}

/* Splits SECTION[.NAME].KEY=VALUE at the first dots, finds or adds section and entry, and replaces the value; an empty one removes the
 * entry. */
mbd_status ini_set(ini_file *f, const char *assignment, ini_kinds kinds, mbd_error *err) {
  char text[512], *name = "", *key;
  int named;
  const char *equals = strchr(assignment, '=');
  /* The assignment must have a '=' and be one line of text in UTF-8. */
  if (!equals || equals == assignment || equals - assignment > 400) {
    MBD_FAIL(err, MBD_BAD_INPUT, "--set '%s', expected SECTION.KEY=VALUE", assignment);
  }
  if (!text_is_utf8(assignment)) { MBD_FAIL(err, MBD_BAD_INPUT, "--set: letters that are not in UTF-8"); }
  for (const char *c = assignment; *c; c++) {
    if (!iscntrl((unsigned char)*c) || *c == '\t') { continue; }
    MBD_FAIL(err, MBD_BAD_INPUT,
             "--set '%.*s...': a line break or a control character (code %d), expected text of one line",
             (int)(c - assignment), assignment, (unsigned char)*c);
  }
  /* The text before the '=': the kind of section ends at the first dot. */
  snprintf(text, sizeof text, "%.*s", (int)(equals - assignment), assignment);
  char *dot = strchr(text, '.');
  if (!dot) { MBD_FAIL(err, MBD_BAD_INPUT, "--set '%s', expected SECTION.KEY=VALUE", assignment); }
  *dot = '\0';
  key = dot + 1;
  if (!find_kind(text, kinds, &named)) {
    char hint[MBD_HINT];
    MBD_FAIL(err, MBD_BAD_INPUT, "--set '%s': section '%s' is not known%s", assignment, text,
             kind_hint(text, kinds, hint, sizeof hint));
  }
  /* In sections that have names the name ends at the next dot. */
  if (named) {
    char *second = strchr(key, '.');
    if (!second) { MBD_FAIL(err, MBD_BAD_INPUT, "--set '%s', expected %s.NAME.KEY=VALUE", assignment, text); }
    *second = '\0';
    name = key;
    key = second + 1;
    if (!valid_pattern(name)) {
      MBD_FAIL(err, MBD_BAD_INPUT, "--set '%s': the name '%s' is not made of letters, digits, '_' and '-'", assignment,
               name);
    }
    if (strchr(name, '{') && !ini_find(f, text, name)) { return no_pattern(f, assignment, text, name, err); }
  }
  /* Key and value have no white space at their ends. */
  trim(key);
  if (!*key) { MBD_FAIL(err, MBD_BAD_INPUT, "--set '%s', expected a key", assignment); }
  char *value = mbd_strdup(equals + 1);
  if (value) { trim(value); }
  ini_section *s = ini_find(f, text, name);
  if (value && !*value) {
    free(value);
    return leave_out(s, assignment, key, err);
  }
  /* The section and the entry are added where the file does not have them. */
  if (!s) { s = ini_add_section(f, text, name, 0); }
  ini_entry *e = s ? ini_get(s, key) : NULL;
  int added = s && value && (e || (e = ini_add_entry(s, key, "", INI_SET)));
  if (!added) {
    free(value);
    return MEMORY_NONE(err, "--set");
  }
  /* The entry is marked as one from --set that no reader has used yet. */
  free(e->value);
  e->value = value;
  e->line = INI_SET;
  e->used = 0;
  return MBD_OK;
}

/* ---- paths ---- */

char *ini_beside(const char *path, const char *file) {
  const char *slash = strrchr(path, '/');
  if (file[0] == '/' || !slash) { return mbd_strdup(file); }
  return mbd_sprintf_dup("%.*s/%s", (int)(slash - path), path, file);
}

/* ---- lists ---- */

int ini_list(const char *value, char ***part) {
  int n = 0;
  *part = NULL;
  for (const char *s = value;;) { /* commas inside parentheses belong to a function */
    const char *end = s;
    int depth = 0;
    for (; *end && (*end != ',' || depth > 0); end++) { depth += (*end == '(') - (*end == ')'); }
    char **grown = mbd_list_grow(*part, n, sizeof *grown);
    if (grown) { *part = grown; }
    char *copy = grown ? mbd_strndup(s, (size_t)(end - s)) : NULL;
    if (!copy) {
      text_list_free(*part, n);
      *part = NULL;
      return -1;
    }
    grown[n] = copy;
    trim(grown[n++]);
    if (!*end) { return n; }
    s = end + 1;
  }
}
