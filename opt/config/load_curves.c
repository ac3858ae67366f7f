/* Curves: their numbers from a list, from a function of x, or from a file of two columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "config/load_model.h"
#include "files/text_file.h"

static const model_key curve_keys[] = {
    KEY("type", "see curves below", NULL, "", "kind of curve"),
    KEY("coefficients", "expressions", "", "", "its numbers"),
    KEY("knots", "numbers", "", "", "abscissae, for kinds that have them"),
    KEY("from", "expression", "", "", "first of equally spaced knots; no scalar that it uses can vary"),
    KEY("to", "expression", "", "", "last of them, likewise"),
    KEY("points", "expression", "", "",
        "so many equally spaced control points instead of `coefficients`; no scalar that it uses can vary"),
    KEY("value", "expression", "0", "",
        "with `points`: their values, an expression in which x is the abscissa; its characters times `points`: 16 Mi "
        "at most"),
    KEY("file", "path", "", "",
        "knots and values from a file beside this one instead: two columns of numbers with a comma, a semicolon, "
        "blanks or a tab between; comments after #"),
    KEY_END,
};

/* Points of a curve while they are read: the knots so far, and the first of the coefficients that are their values. */
typedef struct curve_points {
  double *knot;
  int n, first;
} curve_points;

/* ---- knots ---- */

/* A number that no design changes: an expression of scalars that then cannot vary. */
static mbd_status fixed_number(loader *l, const ini_section *s, const ini_entry *e, double *value) {
  mbo_expr x;
  MBD_TRY(load_parse(l, s, e, e->value, &x));
  mbd_status status = load_resolve(l, s, e, &x);
  if (status == MBD_OK && mbo_expr_eval(&x, l->m->value, value, NULL, l->err) != MBD_OK) {
    status = ini_locate(&l->f, s, e, MBD_BAD_INPUT, l->err);
  }
  char why[300];
  snprintf(why, sizeof why, "says where the points of curve '%.200s' are", s->name);
  for (int i = 0; i < x.nname && status == MBD_OK; i++) { status = load_fix_scalar(l, x.index[i], why); }
  mbo_expr_free(&x);
  return status;
}

/* Knots as a list of numbers, one for each coefficient. */
static mbd_status listed_knots(loader *l, const ini_section *s, const ini_entry *e, int nc, double *knot) {
  char **part;
  int n, bad = -1;
  MBD_TRY(load_list(l, e->value, &part, &n));
  for (int i = 0; i < n && i < nc && bad < 0; i++) {
    if (!mbo_number(part[i], &knot[i])) { bad = i; }
  }
  mbd_status status = MBD_OK;
  if (bad >= 0) {
    status = ini_fail(&l->f, s, e, l->err, "'%s', expected a number", part[bad]);
  } else if (n != nc) {
    status = ini_fail(&l->f, s, e, l->err, "%d knots for %d coefficients, expected one knot each", n, nc);
  }
  text_list_free(part, n);
  return status;
}

static mbd_status spaced_knots(loader *l, const ini_section *s, const ini_entry *from, const ini_entry *to, int nc,
                               double *knot) {
  double first = 0, last = 1;
  MBD_TRY(fixed_number(l, s, from, &first));
  MBD_TRY(fixed_number(l, s, to, &last));
  for (int i = 0; i < nc; i++) { knot[i] = first + (last - first) * i / (nc > 1 ? nc - 1 : 1); }
  return MBD_OK;
}

/* nc knots: `knots`, or `from` and `to`. */
static mbd_status read_knots(loader *l, const model_section *section, ini_section *s, int nc, curve_points *q) {
  const ini_entry *e = ini_get(s, "knots"), *from = ini_get(s, "from"), *to = ini_get(s, "to");
  q->knot = calloc((size_t)nc + 1, sizeof *q->knot);
  if (!q->knot) { return load_no_memory(l); }
  q->n = nc;
  if (e && (from || to)) {
    return ini_fail(&l->f, s, from ? from : to, l->err, "expected either 'knots' or 'from' and 'to', not both");
  }
  if (e) { return listed_knots(l, s, e, nc, q->knot); }
  if (from && to) { return spaced_knots(l, s, from, to, nc, q->knot); }
  if (from) { return load_missing(l, section, s, "to", "where the last knot is"); }
  if (to) { return load_missing(l, section, s, "from", "where the first knot is"); }
  return load_missing(l, section, s, "knots", "a knot for each coefficient (or 'from' and 'to')");
}

static mbd_status no_knots(loader *l, ini_section *s) {
  static const char *const keys[] = {"knots", "from", "to"};
  for (int i = 0; i < 3; i++) {
    const ini_entry *e = ini_get(s, keys[i]);
    if (e) { return ini_fail(&l->f, s, e, l->err, "this type of curve has no knots"); }
  }
  return MBD_OK;
}

/* ---- points from a file ---- */

/* "x, y" (or with a semicolon or white space between, and a comment behind): 1, *at: where y begins; a comment or an
 * empty line: 0; anything else: -1. */
static int two_numbers(const char *line, double *x, double *y, const char **at) {
  static const char blank[] = " \t\r\n";
  const char *c = line + strspn(line, blank), *end;
  if (*c == '\0' || *c == '#') { return 0; }
  *x = mbo_decimal(c, &end);
  const char *gap = end + strspn(end, blank);
  gap += *gap == ',' || *gap == ';';
  gap += strspn(gap, blank);
  if (end == c || gap == end) { return -1; }
  *at = gap;
  *y = mbo_decimal(gap, &end);
  const char *rest = end + strspn(end, blank);
  return end != gap && (*rest == '\0' || (*rest == '#' && rest > end)) ? 1 : -1;
}

/* The heads of columns, in the first line: it does not begin like a number. */
static int is_header(const char *line) {
  return !strchr("+-.0123456789", line[strspn(line, " \t\"")]);
}

/* One more point: y, a number at the start of text, becomes a coefficient. */
static mbd_status add_point(loader *l, const ini_section *s, const ini_entry *e, double x, const char *text,
                            curve_points *q) {
  char name[300], number[300];
  int index;
  double *grown = mbd_list_grow(q->knot, q->n, sizeof *grown);
  if (!grown) { MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for a curve of %s", l->f.path); }
  q->knot = grown;
  grown[q->n++] = x;
  snprintf(name, sizeof name, "curve.%s.%d", s->name, q->n);
  snprintf(number, sizeof number, "%.*s", (int)strcspn(text, " \t\r\n"), text);
  MBD_TRY(load_coefficient(l, s, e, name, number, LOAD_ANY, &index));
  if (q->n == 1) { q->first = index; }
  return MBD_OK;
}

/* Line `number` of the file at `path`. */
static mbd_status read_curve_line(loader *l, const ini_section *s, const ini_entry *e, const char *path, int number,
                                  const char *line, curve_points *q) {
  double x, y;
  const char *at;
  int row = two_numbers(line, &x, &y, &at);
  if (row == 0 || (row < 0 && number == 1 && is_header(line))) { return MBD_OK; }
  if (row < 0) {
    return ini_fail(&l->f, s, e, l->err, "%s:%d: '%.60s', expected two numbers: knot, value", path, number, line);
  }
  if (q->n && !(x > q->knot[q->n - 1])) {
    return ini_fail(&l->f, s, e, l->err, "%s:%d: knots must increase, but %g follows %g", path, number, x,
                    q->knot[q->n - 1]);
  }
  return add_point(l, s, e, x, at, q);
}

/* Two columns of numbers, knots and values, in a file beside the model file. Any number of rows. */
static mbd_status read_curve_file(loader *l, ini_section *s, const ini_entry *e, curve_points *q) {
  text_file in = {0};
  char *path = ini_beside(l->f.path, e->value);
  mbd_status status = path ? load_located(l, s, e, text_file_read(path, TEXT_FILE_TABLE, &in, l->err))
                           : mbd_fail(l->err, MBD_NO_MEMORY, __func__, __LINE__, "no memory for %s", l->f.path);
  for (const char *line; status == MBD_OK && (line = text_file_line(&in)) != NULL;) {
    status = read_curve_line(l, s, e, path, in.line, line, q);
  }
  if (status == MBD_OK && q->n == 0) { status = ini_fail(&l->f, s, e, l->err, "'%s' has no row of two numbers", path); }
  text_file_free(&in);
  free(path);
  return status;
}

/* ---- points as a function of x ---- */

enum { MOST_POINTS = 1000000, MOST_TEXT = 16 }; /* points; MiB of their expressions, as if each were written out */

/* How many: a whole number. */
static mbd_status read_count(loader *l, const ini_section *s, const ini_entry *e, int *n) {
  double count;
  MBD_TRY(fixed_number(l, s, e, &count));
  if (count != floor(count) || count < 2 || count > MOST_POINTS) {
    return ini_fail(&l->f, s, e, l->err, "the value is %g, expected a whole number from 2 to %d", count, MOST_POINTS);
  }
  *n = (int)count;
  return MBD_OK;
}

/* The value at one abscissa, where x stands for it, becomes a coefficient. */
static mbd_status add_value(loader *l, ini_section *s, const ini_entry *value, const mbo_expr *of_x, int number,
                            double x, int *index) {
  char name[300];
  mbo_expr y;
  snprintf(name, sizeof name, "curve.%s.%d", s->name, number);
  if (!mbo_expr_copy(of_x, &y)) { return load_no_memory(l); }
  if (mbo_expr_bind(&y, "x", x) && name_index_find(&l->scalar_at, "x", "") >= 0) {
    mbo_expr_free(&y);
    return ini_fail(&l->f, s, value, l->err,
                    "x is the abscissa here, but also a scalar; expected another name for that");
  }
  return load_expression(l, s, value, name, &y, LOAD_ANY, index);
}

/* Those at all knots; *first: the first of these coefficients. */
static mbd_status add_values(loader *l, ini_section *s, const ini_entry *value, const curve_points *q, int *first) {
  mbo_expr of_x;
  MBD_TRY(load_parse(l, s, value, value ? value->value : "0", &of_x));
  mbd_status status = MBD_OK;
  for (int i = 0; i < q->n && status == MBD_OK; i++) {
    int index = -1;
    status = add_value(l, s, value, &of_x, i + 1, q->knot[i], &index);
    if (i == 0) { *first = index; }
  }
  mbo_expr_free(&of_x);
  return status;
}

/* points = N, from, to: equally spaced, with the values of a function of x. */
static mbd_status read_curve_points(loader *l, const model_section *section, ini_section *s, const ini_entry *points,
                                    curve_points *q, int *nc) {
  const ini_entry *value = ini_get(s, "value");
  MBD_TRY(read_count(l, s, points, nc));
  if (value && strlen(value->value) > ((size_t)MOST_TEXT << 20) / (size_t)*nc) {
    return ini_fail(&l->f, s, value, l->err,
                    "%zu characters for %d points, expected at most %zu: give long parts of it to scalars",
                    strlen(value->value), *nc, ((size_t)MOST_TEXT << 20) / (size_t)*nc);
  }
  if (ini_get(s, "knots")) {
    return ini_fail(&l->f, s, ini_get(s, "knots"), l->err, "expected 'from' and 'to' with 'points', not 'knots'");
  }
  MBD_TRY(read_knots(l, section, s, *nc, q));
  return add_values(l, s, value, q, &q->first);
}

/* ---- a curve ---- */

/* Points from `file`, or from `coefficients` and `knots`. */
static mbd_status read_curve_numbers(loader *l, const model_section *section, ini_section *s,
                                     const mbd_curve_kind_info *info, const ini_entry *e, int from_file,
                                     curve_points *q, int *nc) {
  char name[300], **part;
  if (from_file) { MBD_TRY(read_curve_file(l, s, e, q)); }
  *nc = q->n;
  if (!from_file) {
    MBD_TRY(load_list(l, e->value, &part, nc));
    text_list_free(part, *nc);
  }
  if (*nc < info->nc_min || (info->nc_max >= 0 && *nc > info->nc_max)) {
    int few = *nc < info->nc_min;
    return ini_fail(&l->f, s, e, l->err, "%d coefficients, expected %s%d (%s)", *nc,
                    info->nc_max == info->nc_min ? ""
                    : few                        ? "at least "
                                                 : "at most ",
                    few ? info->nc_min : info->nc_max, info->coefs);
  }
  if (from_file) { return MBD_OK; }
  MBD_TRY(info->needs_knots ? read_knots(l, section, s, *nc, q) : no_knots(l, s));
  snprintf(name, sizeof name, "curve.%s", s->name);
  return load_coefficients(l, s, e, name, NULL, *nc, e->value, LOAD_ANY, &q->first);
}

/* The one key that says where the numbers of a curve come from: coefficients, file or points. */
static mbd_status curve_source(loader *l, const model_section *section, ini_section *s, const mbd_curve_kind_info *info,
                               const ini_entry **source) {
  static const char *const keys[] = {"coefficients", "file", "points"};
  int found = 0;
  for (int i = 0; i < 3; i++) {
    const ini_entry *e = ini_get(s, keys[i]);
    if (e) { *source = e, found++; }
    if (e && i > 0 && !info->needs_knots) {
      return ini_fail(&l->f, s, e, l->err, "this type of curve has no knots, expected 'coefficients' (%s)",
                      info->coefs);
    }
  }
  char what[200];
  snprintf(what, sizeof what, "%.120s%s", info->coefs, info->needs_knots ? " (or 'file' or 'points')" : "");
  if (found == 0) { return load_missing(l, section, s, "coefficients", what); }
  if (found > 1) { return ini_fail(&l->f, s, NULL, l->err, "expected one of 'coefficients', 'file' and 'points'"); }
  const ini_entry *value = ini_get(s, "value");
  if (value && strcmp((*source)->key, "points") != 0) {
    return ini_fail(&l->f, s, value, l->err, "a value over x belongs to 'points', not to '%s'", (*source)->key);
  }
  return MBD_OK;
}

/* Remember the curve for whoever varies its control points. */
static mbd_status add_curve(loader *l, const ini_section *s, int has_points, int first, int n) {
  mbo_model_file *m = l->m;
  model_curve *grown = mbd_list_grow(m->curve, m->ncurve, sizeof *grown);
  if (!grown) { MBD_FAIL(l->err, MBD_NO_MEMORY, "no memory for a curve of %s", l->f.path); }
  m->curve = grown;
  grown[m->ncurve++] = (model_curve){.name = mbd_strdup(s->name), .points = has_points, .first = first, .n = n};
  return grown[m->ncurve - 1].name ? MBD_OK : load_no_memory(l);
}

static const char *type_at(int i) {
  mbd_curve_kind_info info;
  return mbd_curve_info_at(i, &info) ? info.name : NULL;
}

static mbd_status read_curve(loader *l, const model_section *section, ini_section *s) {
  mbd_curve_kind_info info = {0};
  const ini_entry *source = NULL;
  ini_entry *type;
  curve_points q = {0};
  int nc = 0, i;
  MBD_TRY(load_required(l, section, s, "type", &type));
  MBD_TRY(load_type(l, s, type, "kind of curve", type_at, &i));
  mbd_curve_info_at(i, &info);
  MBD_TRY(curve_source(l, section, s, &info, &source));
  mbd_status status = strcmp(source->key, "points") == 0
                          ? read_curve_points(l, section, s, source, &q, &nc)
                          : read_curve_numbers(l, section, s, &info, source, strcmp(source->key, "file") == 0, &q, &nc);
  if (status == MBD_OK) { status = add_curve(l, s, info.needs_knots, q.first, nc); }
  if (status == MBD_OK) {
    status = load_located(l, s, NULL, mbd_spec_curve(l->m->spec, s->name, info.name, nc, q.first, q.n, q.knot, l->err));
  }
  free(q.knot);
  return status;
}

const model_section model_section_curve = {"curve", "A function of one variable.", 1, curve_keys, .read = read_curve};

/* ---- curves of a load case ---- */

const char *load_curve_instead(const loader *l, const char *name) {
  const mbo_pairs *q = l->own ? &l->own->curves : NULL;
  for (int i = 0; name && q && i < q->name.n; i++) {
    if (strcmp(q->name.v[i], name) == 0) { return q->text.v[i]; }
  }
  return name;
}

mbd_status load_check_curves(loader *l) {
  const mbo_pairs *q = l->own ? &l->own->curves : NULL;
  for (int i = 0; q && i < 2 * q->name.n; i++) {
    const char *name = i % 2 ? q->text.v[i / 2] : q->name.v[i / 2];
    char hint[96];
    mbd_nearest near = {.wanted = name};
    if (ini_find(&l->f, "curve", name)) { continue; }
    ini_offer_names(&l->f, "curve", &near);
    MBD_FAIL(l->err, MBD_BAD_INPUT, "%s[case %s] curve.%s = %s: the model %s has no curve '%s'%s", l->run, l->own->name,
             q->name.v[i / 2], q->text.v[i / 2], l->f.path, name, mbd_nearest_text(&near, hint, sizeof hint));
  }
  return MBD_OK;
}
