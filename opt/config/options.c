#include "config/options.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/expr.h"
#include "base/memory.h"
#include "base/nearest.h"

/* ---- values ---- */

/* Reads a number, or a bound inf or -inf, which means no bound. */
static int to_bound(const char *text, double *v) {
  if (strcmp(text, "inf") != 0 && strcmp(text, "-inf") != 0) { return mbo_number(text, v); }
  *v = *text == '-' ? -INFINITY : INFINITY;
  return 1;
}

static const char *word_at(const options_words *w, int i) {
  return w->at ? w->at(i) : w->word[i];
}

const char *options_words_text(const options_words *w, const char *mark, char text[OPTIONS_TEXT]) {
  text[0] = '\0';
  for (int i = 0; word_at(w, i); i++) {
    const size_t n = strlen(text);
    snprintf(text + n, OPTIONS_TEXT - n, "%s%s", i ? mark : "", word_at(w, i));
  }
  return text;
}

mbd_status options_word(const ini_file *f, const ini_section *s, const ini_entry *e, const options_words *w,
                        const char *mark, int *which, mbd_error *err) {
  char all[OPTIONS_TEXT], hint[MBD_HINT];
  mbd_nearest near = {.requested = e->value, .listed = 1};
  for (int i = 0; word_at(w, i); i++) {
    *which = i;
    if (strcmp(word_at(w, i), e->value) == 0) { return MBD_OK; }
  }
  for (int i = 0; word_at(w, i); i++) { mbd_nearest_offer(&near, word_at(w, i)); }
  mbd_nearest_text(&near, hint, sizeof hint);
  return ini_fail(f, s, e, err, "expected one of %s%s", options_words_text(w, mark, all), hint);
}

/* Checks the range of a number. found: "the value is 3, " for an expression, else "". */
static mbd_status check_range(const ini_file *f, const ini_section *s, const ini_entry *e, const option_row *r,
                              const char *found, double v, mbd_error *err) {
  if (v >= r->min && v <= r->max) { return MBD_OK; }
  const char *unit = r->unit, *blank = *unit ? " " : "";
  if (r->max >= 1e300) { return ini_fail(f, s, e, err, "%sexpected a number >= %g%s%s", found, r->min, blank, unit); }
  if (r->min <= -1e300) { return ini_fail(f, s, e, err, "%sexpected a number <= %g%s%s", found, r->max, blank, unit); }
  return ini_fail(f, s, e, err, "%sexpected a number between %g and %g%s%s", found, r->min, r->max, blank, unit);
}

/* ---- numbers that are expressions ---- */

/* The section that is read, NULL: the file does not have it; the structure that it goes to; its expressions, which are evaluated later. */
typedef struct reading {
  const ini_file *f;
  ini_section *s;
  void *base;
  option_expressions *later;
  mbd_error *err;
} reading;

/* Checks whether a text is an expression, none of whose names other programs use for numbers. expected: "a number". */
static mbd_status check_expression(const reading *in, const ini_entry *e, const char *text, const char *expected) {
  static const char *const no[] = {"nan", "inf", "infinity"};
  mbd_error why = {0};
  mbo_expr parsed;
  int no_number = 0;
  const mbd_status status = mbo_expr_parse(text, &parsed, &why);
  if (status == MBD_NO_MEMORY) { return ini_no_memory(in->f, in->err); }
  if (status != MBD_OK) {
    (void)MBD_FAILED(in->err, MBD_BAD_INPUT, "expected %s; %.400s", expected, why.text);
    return ini_locate_expression(in->f, in->s, e, text, MBD_BAD_INPUT, in->err);
  }
  for (int i = 0; i < parsed.nname; i++) {
    for (size_t k = 0; k < sizeof no / sizeof no[0]; k++) { no_number |= strcmp(parsed.name[i], no[k]) == 0; }
  }
  mbo_expr_free(&parsed);
  return no_number ? ini_fail(in->f, in->s, e, in->err, "expected %s", expected) : MBD_OK;
}

static mbd_status add_expression(const reading *in, const ini_entry *e, const option_row *r) {
  option_expressions *later = in->later;
  option_expression *grown = mbd_list_grow(later->v, later->n, sizeof *grown);
  if (!grown) { return ini_no_memory(in->f, in->err); }
  later->v = grown;
  grown[later->n++] = (option_expression){.s = in->s, .e = e, .row = *r, .base = in->base};
  return MBD_OK;
}

/* Checks the value against the row and stores it in the field of the row's type. */
mbd_status option_put_number(const ini_file *f, const option_expression *entry, int i, double v, mbd_error *err) {
  const option_row *r = &entry->row;
  void *at = (char *)entry->base + r->offset;
  char found[64];
  snprintf(found, sizeof found, "the value is %.9g, ", v);
  if (r->type == OPTION_NUMBERS) {
    ((mbo_numbers *)at)->v[i] = v;
    return MBD_OK;
  }
  if (r->type == OPTION_INTEGER && v != floor(v)) {
    return ini_fail(f, entry->s, entry->e, err, "%sexpected a whole number", found);
  }
  MBD_TRY(check_range(f, entry->s, entry->e, r, found, v, err));
  /* the field has the type of the row */
  if (r->type == OPTION_INTEGER) {
    *(int *)at = (int)v;
  } else {
    *(double *)at = v;
  }
  return MBD_OK;
}

static double option_number(const option_row *r, const void *base, int i) {
  const void *at = (const char *)base + r->offset;
  if (r->type == OPTION_NUMBERS) { return ((const mbo_numbers *)at)->v[i]; }
  return r->type == OPTION_INTEGER ? *(const int *)at : *(const double *)at;
}

/* ---- values while they are read ---- */

static mbd_status read_number(const reading *in, const ini_entry *e, const option_row *r, double *at) {
  *at = NAN;
  if (!*e->value) { return MBD_OK; }
  if (to_bound(e->value, at)) { return check_range(in->f, in->s, e, r, "", *at, in->err); }
  MBD_TRY(check_expression(in, e, e->value, "a number or an expression"));
  return add_expression(in, e, r);
}

static mbd_status read_integer(const reading *in, const ini_entry *e, const option_row *r, int *at) {
  double v;
  if (!mbo_number(e->value, &v)) {
    MBD_TRY(check_expression(in, e, e->value, "a whole number or an expression"));
    return add_expression(in, e, r);
  }
  if (v != floor(v)) { return ini_fail(in->f, in->s, e, in->err, "expected a whole number"); }
  MBD_TRY(check_range(in->f, in->s, e, r, "", v, in->err));
  *at = (int)v;
  return MBD_OK;
}

/* Reads a list of numbers. If any of its items is an expression, the whole list is added once to `later`. */
static mbd_status read_numbers(const reading *in, const ini_entry *e, const option_row *r, mbo_numbers *out) {
  char **part;
  const int n = ini_list(e->value, &part);
  int plain = 1;
  mbd_status status = MBD_OK;
  out->v = calloc((size_t)(n > 0 ? n : 1), sizeof *out->v);
  if (n < 0 || !out->v) {
    text_list_free(part, n);
    return ini_no_memory(in->f, in->err);
  }
  out->n = n;
  /* Numbers are stored at once; expressions are checked, and evaluated later. */
  for (int i = 0; i < n && status == MBD_OK; i++) {
    if (mbo_number(part[i], &out->v[i])) { continue; }
    plain = 0;
    status = check_expression(in, e, part[i], "numbers or expressions separated by commas");
  }
  text_list_free(part, n);
  MBD_TRY(status);
  return plain ? MBD_OK : add_expression(in, e, r);
}

static mbd_status read_names(const reading *in, const ini_entry *e, mbo_names *out) {
  out->n = ini_list(e->value, &out->v);
  if (out->n < 0) { return ini_no_memory(in->f, in->err); }
  for (int i = 0; i < out->n; i++) {
    if (!*out->v[i]) { return ini_fail(in->f, in->s, e, in->err, "name %d of the list is empty", i + 1); }
  }
  return MBD_OK;
}

/* Reads one value into its field; e has the default if the file has no such key. */
static mbd_status read_value(const reading *in, const ini_entry *e, const option_row *r) {
  void *at = (char *)in->base + r->offset;
  int which = 0;
  switch (r->type) {
    case OPTION_NUMBER: return read_number(in, e, r, at);
    case OPTION_INTEGER: return read_integer(in, e, r, at);
    case OPTION_BOOLEAN:
    case OPTION_ENUM:
    case OPTION_CHOICE:
      if (!*e->value && r->type == OPTION_CHOICE && r->dflt && !*r->dflt) { /* "" chooses none of the words */
        *(const char **)at = "";
        return MBD_OK;
      }
      MBD_TRY(options_word(in->f, in->s, e, &r->words, "|", &which, in->err));
      if (r->type == OPTION_CHOICE) {
        *(const char **)at = word_at(&r->words, which);
      } else {
        *(int *)at = r->type == OPTION_BOOLEAN ? !which : which;
      }
      return MBD_OK;
    case OPTION_TEXT: *(char **)at = mbd_strdup(e->value); return *(char **)at ? MBD_OK : ini_no_memory(in->f, in->err);
    case OPTION_NUMBERS: return *e->value ? read_numbers(in, e, r, at) : MBD_OK;
    case OPTION_NAMES: return *e->value ? read_names(in, e, at) : MBD_OK;
    case OPTION_PAIRS:
    case OPTION_NUMBER_PAIRS:
    case OPTION_MORE: break; /* not a single value: read_pairs, option_row_at */
  }
  return MBD_OK;
}

/* Returns the length of "PREFIX." in the key of a row "PREFIX.NAME"; 0 for [scalars], whose keys are names. */
static size_t prefix_length(const option_row *r) {
  const char *dot = strrchr(r->key, '.');
  return dot ? (size_t)(dot - r->key) + 1 : 0;
}

static int is_pairs(const option_row *r) {
  return r->type == OPTION_PAIRS || r->type == OPTION_NUMBER_PAIRS;
}

/* Reads the value of pair i as a number with the range of the row; one that is an expression is stored later at its place in the list. */
static mbd_status read_number_of_pair(const reading *in, const option_row *r, const ini_entry *e, int i,
                                      mbo_numbers *out) {
  const reading list = {in->f, in->s, out->v, in->later, in->err};
  option_row item = *r;
  item.key = e->key, item.type = OPTION_NUMBER, item.offset = (size_t)i * sizeof *out->v;
  if (!*e->value) { return ini_fail(in->f, in->s, e, in->err, "expected a number or an expression"); }
  out->n = i + 1;
  return read_number(&list, e, &item, &out->v[i]);
}

/* All entries "PREFIX.name = text" of such a row. */
static mbd_status read_pairs(const reading *in, const option_row *r) {
  const size_t prefix = prefix_length(r);
  const ini_section *s = in->s;
  mbo_pairs *out = (mbo_pairs *)((char *)in->base + r->offset);
  if (!s) { return MBD_OK; }
  out->name.v = calloc((size_t)s->n + 1, sizeof *out->name.v);
  out->text.v = calloc((size_t)s->n + 1, sizeof *out->text.v);
  if (!out->name.v || !out->text.v) { return ini_no_memory(in->f, in->err); }
  mbo_numbers *numbers = r->type == OPTION_NUMBER_PAIRS ? &((mbo_number_pairs *)out)->value : NULL;
  if (numbers) { numbers->v = calloc((size_t)s->n + 1, sizeof *numbers->v); }
  if (numbers && !numbers->v) { return ini_no_memory(in->f, in->err); }
  for (int i = 0; i < s->n; i++) {
    ini_entry *e = &s->entry[i];
    if (strncmp(e->key, r->key, prefix) != 0 || !e->key[prefix]) { continue; }
    e->used = 1;
    char *name = out->name.v[out->name.n++] = mbd_strdup(e->key + prefix);
    char *text = out->text.v[out->text.n++] = mbd_strdup(e->value);
    if (!name || !text) { return ini_no_memory(in->f, in->err); }
    if (numbers) { MBD_TRY(read_number_of_pair(in, r, e, out->name.n - 1, numbers)); }
  }
  return MBD_OK;
}

/* Sets *row to row i and returns 1; returns 0 past the end. A row of type OPTION_MORE counts as all options of a table of the library. */
int option_row_at(const option_row *rows, int i, option_row *row) {
  for (const option_row *r = rows; r->key; r++) {
    const mbd_case_option *o;
    if (r->type != OPTION_MORE) {
      if (i-- > 0) { continue; }
      *row = *r;
      return 1;
    }
    /* rows of the table of the library */
    for (int k = 0; (o = r->more(k)) != NULL; k++) {
      if (i-- > 0) { continue; }
      *row = (option_row){.key = o->key,
                          .type = o->whole ? OPTION_INTEGER : OPTION_NUMBER,
                          .offset = r->offset + o->offset,
                          .dflt = o->text,
                          .min = o->min,
                          .max = o->max,
                          .unit = o->unit,
                          .doc = o->doc};
      return 1;
    }
  }
  return 0;
}

mbd_status options_read(const ini_file *f, ini_section *s, const option_row *rows, void *base,
                        option_expressions *later, mbd_error *err) {
  enum { ROWS_MAX = 63 };
  const reading in = {f, s, base, later, err};
  const char *known[ROWS_MAX + 1];
  option_row r;
  int n = 0;
  /* The keys of all rows, for messages. */
  while (n < ROWS_MAX && option_row_at(rows, n, &r)) { known[n++] = r.key; }
  known[n] = NULL;
  /* The entries, or defaults. */
  for (int i = 0; option_row_at(rows, i, &r); i++) {
    const ini_entry dflt = {.key = (char *)r.key, .value = (char *)r.dflt};
    if (is_pairs(&r)) {
      MBD_TRY(read_pairs(&in, &r));
      continue;
    }
    const ini_entry *e = ini_get(s, r.key);
    if (!e && !r.dflt) { return options_missing_key(f, s, known, r.key, r.doc, err); }
    MBD_TRY(read_value(&in, e ? e : &dflt, &r));
  }
  return s ? options_unknown_key(f, s, known, err) : MBD_OK;
}

void options_free(const option_row *rows, void *base) {
  option_row r;
  for (int i = 0; option_row_at(rows, i, &r); i++) {
    void *at = (char *)base + r.offset;
    if (r.type == OPTION_TEXT) { free(*(char **)at); }
    if (r.type == OPTION_NUMBERS) { free(((mbo_numbers *)at)->v); }
    if (r.type == OPTION_NAMES) { text_list_free(((mbo_names *)at)->v, ((mbo_names *)at)->n); }
    if (r.type == OPTION_NUMBER_PAIRS) { free(((mbo_number_pairs *)at)->value.v); }
    if (is_pairs(&r)) {
      mbo_pairs *pairs = at;
      text_list_free(pairs->name.v, pairs->name.n), text_list_free(pairs->text.v, pairs->text.n);
    }
  }
}

const char *options_misspelt_key(const ini_section *s, const char *const *known, const char *key,
                                 char text[OPTIONS_HINT]) {
  text[0] = '\0';
  for (int i = 0; s && i < s->n; i++) {
    const ini_entry *e = &s->entry[i];
    char place[40];
    int listed = 0;
    for (int k = 0; known[k]; k++) { listed |= strcmp(known[k], e->key) == 0; }
    if (e->used || listed) { continue; }
    mbd_nearest near = {.requested = e->key};
    for (int k = 0; known[k]; k++) { mbd_nearest_offer(&near, known[k]); }
    const char *best = mbd_nearest_best(&near);
    if (!best || strcmp(best, key) != 0) { continue; }
    snprintf(place, sizeof place, e->line > 0 ? "line %d" : "--set", e->line);
    snprintf(text, OPTIONS_HINT, "; %s has '%.80s', which is not known here: did you mean '%.80s'?", place, e->key,
             key);
    return text;
  }
  return text;
}

/* If --set has made the section: "; --set has [case swng], ...: did you mean [case swing]?", else "". */
static const char *new_section_text(const ini_file *f, const ini_section *s, char text[OPTIONS_HINT]) {
  text[0] = '\0';
  if (!s || s->line || !*s->name) { return text; }
  mbd_nearest near = {.requested = s->name};
  for (int i = 0; i < f->n; i++) {
    const ini_section *section = &f->section[i];
    if (section->line && strcmp(section->kind, s->kind) == 0) { mbd_nearest_offer(&near, section->name); }
  }
  const char *best = mbd_nearest_best(&near);
  if (!best) { return text; }
  snprintf(text, OPTIONS_HINT, "; --set has added this section: did you mean [%.80s %.80s]?", s->kind, best);
  return text;
}

mbd_status options_missing_key(const ini_file *f, const ini_section *s, const char *const *known, const char *key,
                               const char *what, mbd_error *err) {
  char misspelt[OPTIONS_HINT], added[OPTIONS_HINT];
  const int short_what = (int)strcspn(what, ";"); /* the text after it is in the manual */
  return ini_fail(f, s, NULL, err, "key '%s' is missing: %.*s%s%s", key, short_what < 300 ? short_what : 300, what,
                  options_misspelt_key(s, known, key, misspelt), new_section_text(f, s, added));
}

mbd_status options_unknown_key(const ini_file *f, const ini_section *s, const char *const *known, mbd_error *err) {
  for (int i = 0; i < s->n; i++) {
    const ini_entry *e = &s->entry[i];
    char hint[MBD_HINT];
    if (e->used) { continue; }
    mbd_nearest near = {.requested = e->key};
    for (int k = 0; known[k]; k++) { mbd_nearest_offer(&near, known[k]); }
    mbd_nearest_text(&near, hint, sizeof hint);
    return ini_fail(f, s, e, err, "key '%s' is not known here%s", e->key, hint);
  }
  return MBD_OK;
}

/* ---- writing ---- */

enum { COMMENT_WIDTH = 110, TEXT_WIDTH = 120, PER_LINE = 5 };

/* Returns 1 if a line may be broken before the character at c, except at blanks, at the beginning of a comment, and within a letter, which would not
 * be read back. */
static int may_break(const char *c) {
  const int in_letter = ((unsigned char)c[0] & 0xC0) == 0x80; /* a continuation byte of UTF-8 */
  return !isspace((unsigned char)c[-1]) && !isspace((unsigned char)c[0]) && c[0] != ';' && c[0] != '#' && !in_letter;
}

/* Writes a text in lines of the permitted length; a line that ends in a backslash continues in the next. */
static void write_lines(FILE *out, const char *text) {
  for (size_t left = strlen(text); left > TEXT_WIDTH;) {
    size_t n = TEXT_WIDTH;
    while (n > 1 && !may_break(text + n)) { n--; }
    fprintf(out, "%.*s\\\n    ", (int)n, text);
    text += n, left -= n;
  }
  fputs(text, out);
}

/* write_text and its callers return 0 if memory ran out. */
static int write_text(FILE *out, const char *text) {
  char *escaped = ini_escape(text);
  if (!escaped) { return 0; }
  write_lines(out, escaped);
  free(escaped);
  return 1;
}

/* Writes the value of an option as run files have it, so that it is read as the same number. Returns 0 where there is no memory. */
static int write_value(FILE *out, const option_row *r, const void *base) {
  const void *at = (const char *)base + r->offset;
  int whole = 1;
  switch (r->type) {
    case OPTION_NUMBER: fprintf(out, "%.17g", *(const double *)at); break;
    case OPTION_INTEGER: fprintf(out, "%d", *(const int *)at); break;
    case OPTION_BOOLEAN: fputs(word_at(&r->words, !*(const int *)at), out); break;
    case OPTION_ENUM: fputs(word_at(&r->words, *(const int *)at), out); break;
    case OPTION_CHOICE: fputs(*(const char *const *)at, out); break;
    case OPTION_TEXT: whole = write_text(out, *(char *const *)at); break;
    case OPTION_NUMBERS:
      for (int i = 0; i < ((const mbo_numbers *)at)->n; i++) {
        fprintf(out, "%s%.17g", !i ? "" : i % PER_LINE ? ", " : ",\\\n    ", ((const mbo_numbers *)at)->v[i]);
      }
      break;
    case OPTION_NAMES:
      for (int i = 0; i < ((const mbo_names *)at)->n; i++) {
        fputs(i ? ",\\\n    " : "", out);
        whole &= write_text(out, ((const mbo_names *)at)->v[i]);
      }
      break;
    case OPTION_PAIRS:
    case OPTION_NUMBER_PAIRS:
    case OPTION_MORE: break; /* write_pairs, option_row_at */
  }
  return whole;
}

static int is_empty(const option_row *r, const void *base) {
  const void *at = (const char *)base + r->offset;
  switch (r->type) {
    case OPTION_NUMBER: return isnan(*(const double *)at);
    case OPTION_TEXT: return !*(char *const *)at || !**(char *const *)at;
    case OPTION_NUMBERS: return ((const mbo_numbers *)at)->n == 0;
    case OPTION_CHOICE: return !**(const char *const *)at;
    case OPTION_NAMES: return ((const mbo_names *)at)->n == 0;
    case OPTION_PAIRS:
    case OPTION_NUMBER_PAIRS: return ((const mbo_pairs *)at)->name.n == 0;
    default: return 0;
  }
}

/* Writes a comment in lines of the permitted length. */
static void write_comment(FILE *out, const char *text) {
  size_t left = strlen(text);
  while (left > COMMENT_WIDTH) {
    size_t n = COMMENT_WIDTH;
    while (n > 0 && text[n] != ' ') { n--; }
    if (n == 0) { n = COMMENT_WIDTH; }
    fprintf(out, "; %.*s\n", (int)n, text);
    text += n, left -= n;
    while (*text == ' ') { text++, left--; }
  }
  fprintf(out, "; %s\n", text);
}

static int write_pairs(FILE *out, const option_row *r, const mbo_pairs *pairs) {
  int whole = 1;
  for (int i = 0; i < pairs->name.n; i++) {
    fprintf(out, "%.*s%s%s", (int)prefix_length(r), r->key, pairs->name.v[i],
            strlen(pairs->name.v[i]) < TEXT_WIDTH / 2 ? " = " : "=\\\n    "); /* so that the line is short enough */
    whole &= write_text(out, pairs->text.v[i]);
    fputc('\n', out);
  }
  return whole;
}

/* Returns the text of the chosen word; "": the text of the row describes it. */
static const char *chosen_doc(const option_row *r, const char *value) {
  for (int i = 0; r->words.doc_at && word_at(&r->words, i); i++) {
    if (strcmp(word_at(&r->words, i), value) == 0) { return r->words.doc_at(i); }
  }
  return "";
}

/* Writes a row with its text as a comment; the key of a row without value is part of the comment. */
static int write_row(FILE *out, const option_row *r, const char *expression, const void *base) {
  char text[1200];
  if (is_empty(r, base)) {
    snprintf(text, sizeof text, "%s: %s", r->key, r->doc);
    write_comment(out, text);
    return 1;
  }
  const char *chosen =
      r->type == OPTION_CHOICE ? chosen_doc(r, *(const char *const *)((const char *)base + r->offset)) : "";
  snprintf(text, sizeof text, "%s%s%s%s%s%s", r->doc, *r->unit ? " [" : "", r->unit, *r->unit ? "]" : "",
           *chosen ? ". " : "", chosen);
  write_comment(out, text);
  if (is_pairs(r)) { return write_pairs(out, r, (const mbo_pairs *)((const char *)base + r->offset)); }
  fprintf(out, "%s = ", r->key);
  const int whole = expression ? write_text(out, expression) : write_value(out, r, base);
  fputc('\n', out);
  return whole;
}

int options_write(FILE *out, const char *kind, const char *name, const option_row *rows, const void *base,
                  mbo_expressions *left) {
  option_row r;
  int whole = 1;
  fprintf(out, "\n[%s%s%s]\n", kind, *name ? " " : "", name);
  for (int i = 0; option_row_at(rows, i, &r); i++) {
    /* Pairs are written with the texts that they had. */
    while (is_pairs(&r) && left->n > 0 && strcmp(left->v->kind, kind) == 0 && strcmp(left->v->name, name) == 0 &&
           strncmp(left->v->key, r.key, prefix_length(&r)) == 0) {
      left->v++, left->n--;
    }
    /* The next expression, if it is of this row, and if the field still has its value. */
    const mbo_expression *x = left->n > 0 ? left->v : NULL;
    if (x && (strcmp(x->key, r.key) != 0 || strcmp(x->kind, kind) != 0 || strcmp(x->name, name) != 0)) { x = NULL; }
    int same = 1;
    for (int k = 0; x && k < x->value.n; k++) { same &= option_number(&r, base, k) == x->value.v[k]; }
    whole &= write_row(out, &r, x && same ? x->text : NULL, base);
    if (x) { left->v++, left->n--; }
  }
  return whole;
}
