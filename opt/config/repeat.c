#include "config/repeat.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/expr.h"
#include "base/nearest.h"
#include "files/memory.h"

enum { INDICES_MAX = 8, REPETITIONS_MAX = 1000000, INDEX_NAME = 32 };
/* Characters that each value of an index counts in addition to its texts; MiB of all texts. */
enum { LINE = 64, MADE_MAX = 16 };

/* A scalar that counts or numbers something, with its value once it is computed. */
typedef struct count_value {
  enum { UNKNOWN, IN_WORK, KNOWN } state;
  double value;
} count_value;

typedef struct index_value {
  char name[INDEX_NAME];
  int value;        /* its number; of an index over words the place in their list, from 0 */
  const char *word; /* its word [nword], in the text of the range; NULL: a number */
  int nword;
} index_value;

typedef struct repeated expansion;
struct repeated {
  expansion *outer;     /* of the file that uses this one as a part; NULL: none */
  const char *prefix;   /* prefix of the names of this file there: "front_left." */
  size_t *made;         /* characters that repetitions and parts have made so far, in all files of a model */
  size_t alone;         /* this count for a file that is not a part */
  ini_file *f, out;     /* the file that is read, and the file that is made */
  ini_section *scalars; /* of f; NULL: none */
  count_value *count;   /* [scalars->n] */
  int *waiting;         /* [scalars->n] scratch of compute_scalar */
  int in_scalars;       /* 1: the value of a scalar is being computed */
  int requested;        /* in this case: the scalar whose value is needed first; -1: none */
  mbo_names *counts;
  ini_section *s; /* the present position: section and entry of f */
  ini_entry *e;   /* NULL: the section's name */
  int n;          /* indices that have a value at this position */
  index_value index[INDICES_MAX];
  mbd_error *err;
};

static mbd_status no_memory(const expansion *x) {
  return MEMORY_NONE(x->err, "the repetitions of %s", x->f->path);
}

/* Fails with the position, the text, and the values of the indices. */
static mbd_status fail(const expansion *x, const char *format, ...) {
  char text[500];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  for (int i = 0; i < x->n; i++) {
    const index_value *v = &x->index[i];
    char number[24];
    const int digits = snprintf(number, sizeof number, "%d", v->value);
    const size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "%s%s = %.*s%s", i ? ", " : " (at ", v->name, v->word ? v->nword : digits,
             v->word ? v->word : number, i == x->n - 1 ? ")" : "");
  }
  return ini_fail(x->f, x->s, x->e, x->err, "%s", text);
}

/* ---- a text that grows ---- */

typedef struct text {
  char *s;
  size_t n, capacity;
} text;

static int text_add(text *t, const char *s, size_t n) {
  if (t->n + n + 1 > t->capacity) {
    const size_t capacity = 2 * (t->n + n + 1);
    char *grown = realloc(t->s, capacity);
    if (!grown) { return 0; }
    t->s = grown, t->capacity = capacity;
  }
  memcpy(t->s + t->n, s, n);
  t->n += n;
  t->s[t->n] = '\0';
  return 1;
}

/* ---- numbers of scalars and indices ---- */

static mbd_status substitute(expansion *x, const char *pattern, text *out);

static mbd_status remember_count(expansion *x, const char *name) {
  char **grown = mbd_list_grow(x->counts->v, x->counts->n, sizeof *grown),
       *copy = mbd_sprintf_dup("%s%s", x->prefix, name);
  if (grown) { x->counts->v = grown; }
  if (!grown || !copy) {
    free(copy);
    return no_memory(x);
  }
  grown[x->counts->n++] = copy;
  return MBD_OK;
}

static mbd_status unknown_name(const expansion *x, const char *name) {
  char hint[MBD_HINT];
  mbd_nearest near = {.requested = name};
  for (int i = 0; i < x->n; i++) { mbd_nearest_offer(&near, x->index[i].name); }
  for (int i = 0; x->scalars && i < x->scalars->n; i++) { mbd_nearest_offer(&near, x->scalars->entry[i].key); }
  return fail(x, "'%s' is neither an index here nor a scalar%s", name, mbd_nearest_text(&near, hint, sizeof hint));
}

static mbd_status evaluate(expansion *x, const char *expression, double *value);

/* A value that the run or the using file gives to a scalar of this one; its names belong to that file, which is read before. */
static mbd_status evaluate_outside(expansion *x, ini_entry *e, double *value) {
  expansion *o = x->outer;
  while (e->line == INI_RUN && o->outer) { o = o->outer; }
  o->s = NULL, o->e = e->line == INI_RUN ? e : e->set, o->n = 0;
  const char *expression = o->e->value;
  const mbd_status status = evaluate(o, expression, value);
  o->e = NULL;
  return status;
}

/* The value of an entry of [scalars], which is outside of any repetition. */
static mbd_status evaluate_entry(expansion *x, ini_entry *e, double *value) {
  if (x->outer && (e->set || e->line == INI_RUN)) { return evaluate_outside(x, e, value); }
  ini_section *s = x->s;
  ini_entry *from = x->e;
  const int n = x->n;
  text t = {0};
  x->s = x->scalars, x->e = e, x->n = 0;
  mbd_status status = substitute(x, e->value, &t);
  if (status == MBD_OK) { status = evaluate(x, t.s, value); }
  free(t.s);
  x->s = s, x->e = from, x->n = n;
  return status;
}

/* Computes the value of a scalar after those of the scalars that it uses, for chains of any length: if one of them is unknown,
 * evaluate_entry leaves it in x->wanted, and the present scalar waits for it. */
static mbd_status compute_scalar(expansion *x, int first) {
  int n = 1;
  x->waiting[0] = first;
  x->count[first].state = IN_WORK;
  while (n > 0) {
    const int k = x->waiting[n - 1];
    x->requested = -1;
    const mbd_status status = evaluate_entry(x, &x->scalars->entry[k], &x->count[k].value);
    if (status == MBD_OK) {
      MBD_TRY(remember_count(x, x->scalars->entry[k].key));
      x->count[k].state = KNOWN;
      n--;
      continue;
    }
    if (x->requested < 0) { return status; }
    x->count[x->requested].state = IN_WORK;
    x->waiting[n++] = x->requested;
  }
  return MBD_OK;
}

static mbd_status scalar_value(expansion *x, const char *name, double *value);

/* The value of a scalar that the file does not have: it may belong to a file that uses this one as a part. */
static mbd_status outer_value(expansion *x, const char *name, double *value) {
  expansion *o = x->outer;
  while (o && !ini_find_entry(o->scalars, name)) { o = o->outer; }
  if (!o) { return unknown_name(x, name); }
  o->s = NULL, o->e = NULL, o->n = 0;
  return scalar_value(o, name, value);
}

static mbd_status scalar_value(expansion *x, const char *name, double *value) {
  const ini_entry *e = ini_get(x->scalars, name);
  if (!e) { return outer_value(x, name, value); }
  const int k = (int)(e - x->scalars->entry);
  if (x->count[k].state == IN_WORK) { return fail(x, "scalar '%s' depends on itself", name); }
  if (x->count[k].state == UNKNOWN && x->in_scalars) {
    x->requested = k;
    return MBD_BAD_INPUT;
  }
  if (x->count[k].state == UNKNOWN) {
    x->in_scalars = 1;
    const mbd_status status = compute_scalar(x, k);
    x->in_scalars = 0;
    MBD_TRY(status);
  }
  *value = x->count[k].value;
  return MBD_OK;
}

static mbd_status name_value(expansion *x, const char *name, double *value) {
  for (int i = 0; i < x->n; i++) {
    if (strcmp(x->index[i].name, name) == 0) {
      if (x->index[i].word) { return fail(x, "index '%s' is a word, expected it alone in braces: {%s}", name, name); }
      *value = x->index[i].value;
      return MBD_OK;
    }
  }
  return scalar_value(x, name, value);
}

static mbd_status evaluate(expansion *x, const char *expression, double *value) {
  mbo_expr q;
  double of_name[MBO_EXPR_NODES];
  mbd_status status = mbo_expr_parse(expression, &q, x->err);
  if (status != MBD_OK) { return ini_locate(x->f, x->s, x->e, status, x->err); }
  for (int i = 0; i < q.nname && status == MBD_OK; i++) {
    q.index[i] = i;
    status = name_value(x, q.name[i], &of_name[i]);
  }
  if (status == MBD_OK && mbo_expr_eval(&q, of_name, value, NULL, x->err) != MBD_OK) {
    status = ini_locate(x->f, x->s, x->e, MBD_BAD_INPUT, x->err);
  }
  mbo_expr_free(&q);
  return status;
}

/* The value of the n characters at `at` (of an object described by `what`), which must be an integer. */
static mbd_status whole_number(expansion *x, const char *at, size_t n, int *value) {
  double v;
  char *expression = mbd_sprintf_dup("%.*s", (int)n, at);
  if (!expression) { return no_memory(x); }
  mbd_status status = evaluate(x, expression, &v);
  if (status == MBD_OK && (v != floor(v) || fabs(v) > 1e9)) {
    status = fail(x, "'%s' is %g, expected a whole number", expression, v);
  }
  free(expression);
  if (status == MBD_OK) { *value = (int)v; }
  return status;
}

/* ---- {expression} ---- */

static int in_identifier(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* Adds a number. Names and keys must not contain negative numbers. In expressions these get parentheses, except where the number stands
 * alone and an expression may not be permitted. */
static mbd_status add_number(const expansion *x, const char *pattern, const char *open, const char *close, int value,
                             text *out) {
  char number[24];
  const int length = (int)(close - open) + 1, is_name = !x->e || pattern == x->e->key;
  /* A number beside letters, digits or other braces is a part of a name, such as {1} of link{1}. */
  const int before = open > pattern && (in_identifier(open[-1]) || open[-1] == '}'),
            after = in_identifier(close[1]) || close[1] == '{';
  if (value < 0 && (is_name || before || after)) {
    return fail(x, "%.*s is %d in a name, expected >= 0", length, open, value);
  }
  const int alone = open == pattern + strspn(pattern, " ") && close[1 + strspn(close + 1, " ")] == '\0';
  const int n = snprintf(number, sizeof number, value < 0 && !alone ? "(%d)" : "%d", value);
  return text_add(out, number, (size_t)n) ? MBD_OK : no_memory(x);
}

/* Adds what the n characters between `open` and `close` stand for: a word if they are the name of an index over words, else a number. */
static mbd_status add_braces(expansion *x, const char *pattern, const char *open, const char *close, text *out) {
  const size_t n = (size_t)(close - open) - 1;
  int value;
  for (int i = 0; i < x->n; i++) {
    const index_value *v = &x->index[i];
    if (v->word && strlen(v->name) == n && strncmp(v->name, open + 1, n) == 0) {
      return text_add(out, v->word, (size_t)v->nword) ? MBD_OK : no_memory(x);
    }
  }
  MBD_TRY(whole_number(x, open + 1, n, &value));
  return add_number(x, pattern, open, close, value, out);
}

/* Adds the pattern to `out`, with its expressions in braces replaced by numbers and words. */
static mbd_status substitute(expansion *x, const char *pattern, text *out) {
  if (!text_add(out, "", 0)) { return no_memory(x); }
  for (const char *c = pattern; *c;) {
    const size_t plain = strcspn(c, "{}");
    if (!text_add(out, c, plain)) { return no_memory(x); }
    c += plain;
    if (!*c) { break; }
    const char *close = c + 1 + strcspn(c + 1, "{}");
    if (*c == '}' || *close != '}') { return fail(x, "'%.40s', expected braces in pairs: {expression}", c); }
    MBD_TRY(add_braces(x, pattern, c, close, out));
    c = close + 1;
  }
  return MBD_OK;
}

/* ---- ranges ---- */

typedef struct range {
  char name[INDEX_NAME];
  int first, last;
  const char *words, *end; /* "i in WORD WORD ...": the words; NULL: numbers */
} range;

/* "i from A to B": the two expressions; "i in WORD WORD ...": r->words; 0: it is something else. */
static int split_range(const char *s, size_t n, range *r, const char **first, size_t *nfirst, const char **last,
                       size_t *nlast) {
  const char *end = s + n, *c = s + strspn(s, " \t"), *to = NULL;
  size_t length = 0;
  while (c + length < end && in_identifier(c[length])) { length++; }
  const char *from = c + length + strspn(c + length, " \t");
  if (length == 0 || length >= INDEX_NAME || from + 3 > end) { return 0; }
  snprintf(r->name, sizeof r->name, "%.*s", (int)length, c);
  r->words = strncmp(from, "in ", 3) == 0 ? from + 3 : NULL, r->end = end;
  *first = *last = end, *nfirst = *nlast = 0;
  if (r->words) { return 1; }
  if (from + 5 > end || strncmp(from, "from ", 5) != 0) { return 0; }
  for (const char *at = from + 4; at + 4 <= end; at++) {
    if (strncmp(at, " to ", 4) == 0) { to = at; }
  }
  if (!to) { return 0; }
  *first = from + 5, *nfirst = (size_t)(to > *first ? to - *first : 0);
  *last = to + 4, *nlast = (size_t)(end - *last);
  return 1;
}

static mbd_status check_index(const expansion *x, const char *name) {
  if (isdigit((unsigned char)name[0]) || strcmp(name, "pi") == 0) {
    return fail(x, "'%s' is no name for an index, expected letters, digits and '_', a letter first", name);
  }
  if (ini_get(x->scalars, name)) { return fail(x, "index '%s' is also a scalar, expected another name", name); }
  for (int i = 0; i < x->n; i++) {
    if (strcmp(x->index[i].name, name) == 0) {
      return fail(x, "index '%s' is used twice, expected another name", name);
    }
  }
  if (x->n == INDICES_MAX) { return fail(x, "index '%s' is one too many, expected at most %d", name, INDICES_MAX); }
  return MBD_OK;
}

/* The next of the words from *at on, and its length; *at is moved behind it. 0: there are no more. */
static int next_word(const char **at, const char *end, const char **word) {
  *word = *at + strspn(*at, " \t");
  const int n = *word < end ? (int)strcspn(*word, " \t}") : 0;
  *at = *word + n;
  return n;
}

static mbd_status read_words(const expansion *x, range *r) {
  const char *at = r->words, *word;
  r->first = 0, r->last = -1;
  for (int n = next_word(&at, r->end, &word); n > 0; n = next_word(&at, r->end, &word), r->last++) {
    for (int i = 0; i < n; i++) {
      if (!in_identifier(word[i])) {
        return fail(x, "'%.*s' of index '%s', expected words of letters, digits and '_', with blanks between them", n,
                    word, r->name);
      }
    }
  }
  return r->last >= 0 ? MBD_OK : fail(x, "index '%s' has no words, expected one at least", r->name);
}

static mbd_status read_range(expansion *x, const char *s, size_t n, range *r) {
  const char *first, *last;
  size_t nfirst, nlast;
  if (!split_range(s, n, r, &first, &nfirst, &last, &nlast)) {
    return fail(x, "'%.*s', expected INDEX from FIRST to LAST or INDEX in WORD WORD ...", (int)n, s);
  }
  MBD_TRY(check_index(x, r->name));
  if (r->words) { return read_words(x, r); }
  MBD_TRY(whole_number(x, first, nfirst, &r->first));
  MBD_TRY(whole_number(x, last, nlast, &r->last));
  if (r->last < r->first - 1) {
    return fail(x, "%s runs from %d to %d, expected an end of at least %d (which leaves nothing)", r->name, r->first,
                r->last, r->first - 1);
  }
  if (r->last - r->first >= REPETITIONS_MAX) {
    return fail(x, "%s runs from %d to %d, expected at most %d repetitions", r->name, r->first, r->last,
                REPETITIONS_MAX);
  }
  return MBD_OK;
}

/* Counts one more value of an index, or a text that repetition makes; the sum is limited like the size of a file. */
static mbd_status spend(expansion *x, size_t characters) {
  if (x->n == 0) { return MBD_OK; }
  *x->made += characters;
  if (*x->made <= (size_t)MADE_MAX << 20) { return MBD_OK; }
  return fail(x, "the repetitions make more than %d MiB of text, expected fewer", MADE_MAX);
}

static void push_index(expansion *x, const range *r) {
  snprintf(x->index[x->n++].name, INDEX_NAME, "%s", r->name);
  x->index[x->n - 1].word = NULL;
}

/* Gives the innermost index its value number i. */
static void set_index(expansion *x, const range *r, int i) {
  index_value *v = &x->index[x->n - 1];
  const char *at = r->words;
  v->value = i;
  for (int k = 0; r->words && k <= i; k++) { v->nword = next_word(&at, r->end, &v->word); }
}

/* The first {i from A to B} or {i in WORDS} of a pattern; NULL: none. */
static const char *find_range(const char *pattern, const char **close) {
  for (const char *c = strchr(pattern, '{'); c; c = strchr(c + 1, '{')) {
    const char *from = strstr(c, " from "), *in = strstr(c, " in ");
    *close = strchr(c, '}');
    if (*close && ((from && from < *close) || (in && in < *close))) { return c; }
  }
  return NULL;
}

/* Called for every text that a pattern with ranges represents, while its indices have their values. */
typedef mbd_status (*text_visitor)(expansion *x, const char *made, void *user);

/* Replaces the first range by each of its values and calls itself for the ranges that follow; a text without range is passed to the
 * visitor. */
static mbd_status each_text(expansion *x, const char *pattern, text_visitor visit, void *user) {
  const char *close, *open = find_range(pattern, &close);
  range r;
  /* Without a range only expressions in braces are left, which are replaced by their numbers. */
  if (!open) {
    text t = {0};
    mbd_status status = substitute(x, pattern, &t);
    if (status == MBD_OK) { status = visit(x, t.s, user); }
    free(t.s);
    return status;
  }
  MBD_TRY(read_range(x, open + 1, (size_t)(close - open) - 1, &r));
  /* The range is replaced by {INDEX}, an expression of the index. */
  char *indexed = mbd_sprintf_dup("%.*s{%s}%s", (int)(open - pattern), pattern, r.name, close + 1);
  if (!indexed) { return no_memory(x); }
  mbd_status status = MBD_OK;
  /* What follows is expanded for each value of the index, which counts LINE characters of the limit. */
  push_index(x, &r);
  for (int i = r.first; i <= r.last && status == MBD_OK; i++) {
    set_index(x, &r, i);
    status = spend(x, LINE);
    if (status == MBD_OK) { status = each_text(x, indexed, visit, user); }
  }
  x->n--;
  free(indexed);
  return status;
}

/* ---- values, entries, sections ---- */

typedef struct list_text {
  text t;
  int n; /* items so far */
} list_text;

static mbd_status add_item(expansion *x, const char *item, void *user) {
  list_text *l = user;
  MBD_TRY(spend(x, strlen(item)));
  const int ok = (l->n++ == 0 || text_add(&l->t, ",", 1)) && text_add(&l->t, item, strlen(item));
  return ok ? MBD_OK : no_memory(x);
}

/* Characters up to the comma that ends an item, which is outside of parentheses and braces. */
static size_t item_length(const char *s) {
  size_t n = 0;
  for (int depth = 0; s[n] && (s[n] != ',' || depth > 0); n++) {
    depth += (s[n] == '(' || s[n] == '{') - (s[n] == ')' || s[n] == '}');
  }
  return n;
}

static mbd_status expand_value(expansion *x, const char *value, list_text *out) {
  for (const char *c = value;;) {
    const size_t n = item_length(c);
    char *item = mbd_sprintf_dup("%.*s", (int)n, c);
    if (!item) { return no_memory(x); }
    mbd_status status = each_text(x, item, add_item, out);
    free(item);
    if (status != MBD_OK || !c[n]) { return status; }
    c += n + 1;
  }
}

static mbd_status add_entry(expansion *x, const char *key, const char *value) {
  ini_section *made = &x->out.section[x->out.n - 1];
  ini_entry *twice = ini_find_entry(made, key);
  if (twice && x->e->set) { /* the using file sets one of the scalars that the part repeats */
    twice->set = x->e->set;
    return MBD_OK;
  }
  if (twice) { return fail(x, "key '%s' comes out twice, expected each once", key); }
  MBD_TRY(spend(x, strlen(key) + strlen(value)));
  ini_entry *e = ini_add_entry(made, key, value, x->e->line);
  if (!e) { return no_memory(x); }
  e->set = x->e->set, e->table = x->e->table, e->row = x->e->row;
  return MBD_OK;
}

static mbd_status make_entry(expansion *x, const char *key, void *user) {
  list_text out = {{0}, 0};
  (void)user;
  if (!strpbrk(x->e->value, "{}")) { return add_entry(x, key, x->e->value); }
  mbd_status status = expand_value(x, x->e->value, &out);
  if (status == MBD_OK) { status = add_entry(x, key, out.t.s ? out.t.s + strspn(out.t.s, " ") : ""); }
  free(out.t.s);
  return status;
}

static mbd_status make_entries(expansion *x) {
  mbd_status status = MBD_OK;
  for (int i = 0; i < x->s->n && status == MBD_OK; i++) {
    x->e = &x->s->entry[i];
    if (strcmp(x->e->key, "repeat") != 0) { status = each_text(x, x->e->key, make_entry, NULL); }
  }
  x->e = NULL;
  return status;
}

static mbd_status make_section(expansion *x) {
  text name = {0};
  x->e = NULL;
  mbd_status status = substitute(x, x->s->name, &name);
  const ini_section *twice = status == MBD_OK ? ini_find(&x->out, x->s->kind, name.s) : NULL;
  if (twice) {
    status =
        fail(x, "section '[%s %s]' comes out twice, first from line %d; expected names that differ in their indices",
             x->s->kind, name.s, twice->line);
  }
  if (status == MBD_OK && !ini_add_section(&x->out, x->s->kind, name.s, x->s->line)) { status = no_memory(x); }
  free(name.s);
  return status == MBD_OK ? make_entries(x) : status;
}

/* Makes a section for all values of the indices from number k on. */
static mbd_status each_section(expansion *x, ini_entry *repeat, char *const *part, int n, int k) {
  range r;
  if (k == n) { return make_section(x); }
  x->e = repeat;
  MBD_TRY(read_range(x, part[k], strlen(part[k]), &r));
  push_index(x, &r);
  for (int i = r.first; i <= r.last; i++) {
    set_index(x, &r, i);
    x->e = repeat;
    MBD_TRY(spend(x, LINE));
    MBD_TRY(each_section(x, repeat, part, n, k + 1));
  }
  x->n--;
  return MBD_OK;
}

static mbd_status expand_section(expansion *x, ini_section *s) {
  const char *close;
  ini_entry *repeat = ini_get(s, "repeat");
  char **part = NULL;
  x->s = s, x->e = repeat, x->n = 0;
  if (repeat && !*s->name) {
    return fail(
        x, "[%s] is there once; expected INDEX from FIRST to LAST in braces in a key instead, once for every value",
        s->kind);
  }
  x->e = NULL;
  if (find_range(s->name, &close)) {
    return fail(x, "expected 'repeat = INDEX from FIRST to LAST' in the section instead");
  }
  const int n = repeat ? ini_list(repeat->value, &part) : 0;
  mbd_status status = n < 0 ? no_memory(x) : each_section(x, repeat, part, n, 0);
  text_list_free(part, n);
  return status;
}

static int has_braces(const ini_file *f) {
  for (int i = 0; i < f->n; i++) {
    const ini_section *s = &f->section[i];
    if (strchr(s->name, '{')) { return 1; }
    for (int k = 0; k < s->n; k++) {
      const ini_entry *e = &s->entry[k];
      if (strcmp(e->key, "repeat") == 0 || strpbrk(e->key, "{}") || strpbrk(e->value, "{}")) { return 1; }
    }
  }
  return 0;
}

mbd_status repeat_find_scalars(repeated *x) {
  free(x->count), free(x->waiting);
  x->scalars = ini_find(x->f, "scalars", "");
  const size_t nscalar = x->scalars ? (size_t)x->scalars->n : 0;
  x->count = calloc(nscalar + 1, sizeof *x->count);
  x->waiting = calloc(nscalar + 1, sizeof *x->waiting);
  return x->count && x->waiting ? MBD_OK : no_memory(x);
}

mbd_status repeat_create(ini_file *f, repeated *outer, const char *prefix, mbo_names *counts, repeated **out,
                         mbd_error *err) {
  expansion *x = calloc(1, sizeof *x);
  *out = x;
  if (!x) { return ini_no_memory(f, err); }
  *x = (expansion){.f = f, .outer = outer, .prefix = prefix, .counts = counts, .err = err};
  x->made = outer ? outer->made : &x->alone;
  return repeat_find_scalars(x);
}

void repeat_destroy(repeated *repeats) {
  if (!repeats) { return; }
  free(repeats->count), free(repeats->waiting);
  free(repeats);
}

mbd_status repeat_count_text(repeated *repeats) {
  for (int i = 0; i < repeats->f->n; i++) {
    const ini_section *s = &repeats->f->section[i];
    *repeats->made += LINE;
    for (int k = 0; k < s->n; k++) { *repeats->made += LINE + strlen(s->entry[k].key) + strlen(s->entry[k].value); }
  }
  if (*repeats->made <= (size_t)MADE_MAX << 20) { return MBD_OK; }
  return fail(repeats, "the parts and repetitions make more than %d MiB of text, expected fewer", MADE_MAX);
}

mbd_status repeat_sections(repeated *repeats) {
  ini_file *f = repeats->f;
  mbd_status status = MBD_OK;
  if (!has_braces(f)) { return MBD_OK; }
  for (int i = 0; i < f->n && status == MBD_OK; i++) { status = expand_section(repeats, &f->section[i]); }
  if (status == MBD_OK) { /* replace the old sections by the new ones */
    const ini_file old = *f;
    *f = repeats->out;
    f->path = old.path;
    f->through = old.through;
    repeats->out = old;
    repeats->out.path = NULL;
  }
  ini_free(&repeats->out);
  repeats->s = NULL, repeats->e = NULL, repeats->n = 0;
  return status == MBD_OK ? repeat_find_scalars(repeats) : status;
}

mbd_status repeat_expand(ini_file *f, mbo_names *counts, mbd_error *err) {
  repeated *repeats;
  mbd_status status = repeat_create(f, NULL, "", counts, &repeats, err);
  if (status == MBD_OK) { status = repeat_sections(repeats); }
  repeat_destroy(repeats);
  return status;
}
