#include "study/axis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/expr.h"
#include "config/ini.h"
#include "files/memory.h"

enum { LEVELS_MAX = 100000000 };

void axis_number(double v, char text[AXIS_NUMBER]) {
  for (int digits = 15; digits <= 17; digits++) {
    const char *end;
    snprintf(text, AXIS_NUMBER, "%.*g", digits, v);
    if (mbo_decimal(text, &end) == v) { return; }
  }
}

/* ---- reading ---- */

/* The next word of the text: *length 0 at its end. */
static const char *word(const char *at, int *length) {
  at += strspn(at, " \t");
  *length = (int)strcspn(at, " \t");
  return at;
}

/* A number that is a whole word. */
static int number_word(const char **at, double *v) {
  int length;
  const char *begin = word(*at, &length), *end;
  *v = mbo_decimal(begin, &end);
  *at = begin + length;
  return end == begin + length && length > 0;
}

static int is_word(const char **at, const char *expected) {
  int length;
  const char *begin = word(*at, &length);
  if ((size_t)length != strlen(expected) || strncmp(begin, expected, (size_t)length) != 0) { return 0; }
  *at = begin + length;
  return 1;
}

/* "FROM to": the values are a range; otherwise they are a list. */
static int is_range(const char *values) {
  double from;
  return number_word(&values, &from) && is_word(&values, "to");
}

static mbd_status read_range(axis *a, const char *values, mbd_error *err) {
  const char *at = values;
  double n = 0;
  int good = number_word(&at, &a->from) && is_word(&at, "to") && number_word(&at, &a->to);
  if (good && is_word(&at, "in")) { good = number_word(&at, &n) && n >= 1 && n <= LEVELS_MAX && n == floor(n); }
  a->n = good ? (int)n : 0;
  a->log = is_word(&at, "log");
  good &= at[strspn(at, " \t")] == '\0';
  if (!good) { MBD_FAIL(err, MBD_BAD_INPUT, "expected a list A, B, C, or FROM to TO in N, or FROM to TO in N log"); }
  if (a->log && !(a->from > 0 && a->to > 0) && !(a->from < 0 && a->to < 0)) {
    MBD_FAIL(err, MBD_BAD_INPUT, "'log' needs ends of one sign and not zero, found %g and %g", a->from, a->to);
  }
  if (a->n == 1 && a->from != a->to) {
    MBD_FAIL(err, MBD_BAD_INPUT, "one value cannot be %g and %g; expected 'in 2' or more", a->from, a->to);
  }
  return MBD_OK;
}

static mbd_status read_list(axis *a, const char *values, mbd_error *err) {
  a->n = ini_list(values, &a->level);
  if (a->n < 0) { return MEMORY_NONE(err, "the values"); }
  for (int i = 0; i < a->n; i++) {
    if (!*a->level[i]) { MBD_FAIL(err, MBD_BAD_INPUT, "value %d of the list is empty", i + 1); }
    for (int k = 0; k < i; k++) {
      if (strcmp(a->level[k], a->level[i]) == 0) {
        MBD_FAIL(err, MBD_BAD_INPUT, "value '%s' is there twice", a->level[i]);
      }
    }
  }
  return MBD_OK;
}

mbd_status axis_read(const char *key, const char *values, axis *a, mbd_error *err) {
  *a = (axis){.key = mbd_strdup(key)};
  MEMORY_TRY(a->key, err, "the values");
  return is_range(values) ? read_range(a, values, err) : read_list(a, values, err);
}

void axis_free(axis *a) {
  free(a->key);
  text_list_free(a->level, a->n);
  *a = (axis){0};
}

/* ---- values ---- */

/* Rounds to 15 digits, so that 0.1 to 0.3 in 3 has 0.2 in the middle. */
static double rounded(double v) {
  char text[AXIS_NUMBER];
  const char *end;
  snprintf(text, sizeof text, "%.15g", v);
  return mbo_decimal(text, &end);
}

/* The value at a share of the range; the ends keep their exact values. */
static double between(const axis *a, double share) {
  if (share <= 0) { return a->from; }
  if (share >= 1) { return a->to; }
  return rounded(a->log ? a->from * pow(a->to / a->from, share) : a->from + (a->to - a->from) * share);
}

const char *axis_level(const axis *a, int i, char text[AXIS_NUMBER]) {
  if (a->level) { return a->level[i]; }
  axis_number(between(a, a->n > 1 ? (double)i / (a->n - 1) : 0), text);
  return text;
}

const char *axis_at(const axis *a, double u, char text[AXIS_NUMBER]) {
  if (a->n > 0) {
    const int i = (int)(u * a->n);
    return axis_level(a, i < a->n ? i : a->n - 1, text);
  }
  axis_number(between(a, u), text);
  return text;
}

int axis_width(const axis *a) {
  size_t width = a->level ? 0 : AXIS_NUMBER - 7; /* -1.2345678901234567e-308 and the zero at its end */
  for (int i = 0; a->level && i < a->n; i++) {
    const size_t length = strlen(a->level[i]);
    if (length > width) { width = length; }
  }
  return (int)width;
}
