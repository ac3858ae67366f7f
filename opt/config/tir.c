#include "config/tir.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config/expr.h"
#include "files/memory.h"
#include "files/text_file.h"

static const char blank[] = " \t\r\n";

/* Cuts off a comment, which begins with $ or ! outside of quotes. */
static void cut_comment(char *line) {
  int quoted = 0;
  for (char *c = line; *c; c++) {
    if (*c == '\'') { quoted = !quoted; }
    if (!quoted && (*c == '$' || *c == '!')) {
      *c = '\0';
      return;
    }
  }
}

static char *trimmed(char *text) {
  text += strspn(text, blank);
  size_t n = strlen(text);
  while (n && strchr(blank, text[n - 1])) { text[--n] = '\0'; }
  return text;
}

static const tir_entry *find(const tir_file *f, const char *key) {
  for (int i = 0; i < f->n; i++) {
    if (strcasecmp(f->entry[i].key, key) == 0) { return &f->entry[i]; }
  }
  return NULL;
}

/* key = value, key = 'text', key = */
static mbd_status add_entry(tir_file *f, char *text, int line, mbd_error *err) {
  if (!text_is_utf8(text)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: letters that are not in UTF-8; save the file in that encoding", f->path, line);
  }
  char *equals = strchr(text, '=');
  if (!equals || equals == text) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: '%.60s', expected [SECTION] or KEY = value", f->path, line, text);
  }
  /* Key and value are the texts around the first '='. */
  *equals = '\0';
  char *key = trimmed(text), *value = trimmed(equals + 1);
  size_t n = strlen(value);
  for (const char *c = key; *c; c++) {
    if (!isalnum((unsigned char)*c) && *c != '_') {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: key '%.60s', expected letters, digits and '_'", f->path, line, key);
    }
  }
  /* A quoted text loses its quotes and the blanks at both ends within them. */
  if (*value == '\'') {
    if (n < 2 || value[n - 1] != '\'') {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: %s = %.60s, expected a closing quote", f->path, line, key, value);
    }
    value[n - 1] = '\0';
    value = trimmed(value + 1);
  }
  /* An entry belongs to the file, even if one of its texts could not be copied: tir_free frees it. */
  tir_entry *grown = mbd_list_grow(f->entry, f->n, sizeof *grown);
  if (grown) {
    f->entry = grown;
    grown[f->n] = (tir_entry){mbd_strdup(key), mbd_strdup(value), line};
    f->n++;
  }
  if (!grown || !grown[f->n - 1].key || !grown[f->n - 1].value) { return MEMORY_NONE(err, "%s", f->path); }
  return MBD_OK;
}

static mbd_status read_lines(tir_file *f, text_file *in, mbd_error *err) {
  int table = 0; /* 1: between {its heads}, which [SHAPE] may lack, and the next section */
  for (char *line; (line = text_file_line(in)) != NULL;) {
    cut_comment(line);
    char *text = trimmed(line);
    if (*text == '[') {
      if (!strchr(text, ']')) {
        MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: '%.60s', a section without ']'", f->path, in->line, text);
      }
      table = strncasecmp(text, "[SHAPE]", 7) == 0;
    } else if (*text == '{') {
      table = 1;
    } else if (*text && !table) {
      MBD_TRY(add_entry(f, text, in->line, err));
    }
  }
  return MBD_OK;
}

/* All formulas are in SI units. */
static mbd_status check_units(const tir_file *f, mbd_error *err) {
  static const struct {
    const char *key, *names[5];
  } units[] = {{"LENGTH", {"meter", "metre", "meters", "m"}},
               {"FORCE", {"newton", "newtons", "n"}},
               {"ANGLE", {"radians", "radian", "rad"}},
               {"MASS", {"kg", "kilogram"}},
               {"TIME", {"second", "seconds", "sec", "s"}}};
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    const tir_entry *e = find(f, units[i].key);
    int known = !e;
    for (int k = 0; e && k < 5 && units[i].names[k]; k++) { known |= strcasecmp(e->value, units[i].names[k]) == 0; }
    if (!known) {
      MBD_FAIL(err, MBD_UNSUPPORTED, "%s:%d: %s = '%.40s', expected '%s': convert the file to SI units", f->path,
               e->line, e->key, e->value, units[i].names[0]);
    }
  }
  return MBD_OK;
}

/* FITTYP must be one whose equations are implemented: others have other equations with the same names of coefficients. Files of PAC2002, a program
 * with the equations of the Magic Formula 5.2, have none. */
static mbd_status check_equations(const tir_file *f, mbd_error *err) {
  static const double fits[] = {5, 6, 51, 52};
  const tir_entry *e;
  double value = 0;
  MBD_TRY(tir_number(f, "FITTYP", &value, &e, err));
  for (size_t i = 0; e && i < sizeof fits / sizeof fits[0]; i++) {
    if (value == fits[i]) { return MBD_OK; }
  }
  if (!e) {
    const tir_entry *format = find(f, "PROPERTY_FILE_FORMAT");
    if (format && strcasecmp(format->value, "PAC2002") == 0) { return MBD_OK; }
    MBD_FAIL(
        err, MBD_BAD_INPUT,
        "%s: FITTYP is missing: expected 5, 6, 51 or 52, the Magic Formula 5.x, or PROPERTY_FILE_FORMAT = 'PAC2002'",
        f->path);
  }
  MBD_FAIL(err, MBD_UNSUPPORTED, "%s:%d: FITTYP = %s, expected 5, 6, 51 or 52: only the Magic Formula 5.x is available",
           f->path, e->line, e->value);
}

mbd_status tir_read(const char *path, const char *text, tir_file *f, mbd_error *err) {
  *f = (tir_file){.path = mbd_strdup(path)};
  MEMORY_TRY(f->path, err, "%s", path);
  text_file in;
  MBD_TRY(text ? text_file_copy(text, path, &in, err) : text_file_read(path, TEXT_FILE_SETTINGS, &in, err));
  mbd_status status = read_lines(f, &in, err);
  text_file_free(&in);
  MBD_TRY(status);
  MBD_TRY(check_units(f, err));
  return check_equations(f, err);
}

void tir_free(tir_file *f) {
  for (int i = 0; i < f->n; i++) { free(f->entry[i].key), free(f->entry[i].value); }
  free(f->entry), free(f->path);
  *f = (tir_file){0};
}

mbd_status tir_number(const tir_file *f, const char *key, double *value, const tir_entry **entry, mbd_error *err) {
  const tir_entry *e = *entry = find(f, key);
  if (!e) { return MBD_OK; }
  for (const tir_entry *again = e + 1; again < f->entry + f->n; again++) {
    if (strcasecmp(again->key, key) == 0) {
      MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: %s appears twice, first in line %d", f->path, again->line, again->key,
               e->line);
    }
  }
  if (!mbo_number(e->value, value)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: %s = %.60s, expected a number", f->path, e->line, e->key,
             *e->value ? e->value : "(nothing)");
  }
  return MBD_OK;
}
