/* Curves, whose numbers come from a list, from a function of x, or from a file of two columns; or which are a function of x. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/expression.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "config/load_model.h"
#include "files/plural.h"
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
        "at most. In that of a rough road, whose default is `noise`, noise is the height [m] at the way x [m]. Of type "
        "`expression`: the curve itself, a function of x"),
    KEY("road_class", "A/B/C/D/E/F/G/H", "", "",
        "with `points`: the curve is a rough road of this class of ISO 8608, with the mean Gd(n0) of the class: 16e-6 "
        "m^3 of A, four times as much of each that follows"),
    KEY("roughness", "expression", "", "m^3",
        "its Gd(n0) instead of a class: the spectral density of the height over spatial frequencies is "
        "Gd(n0)*(n/n0)^-waviness, n0 = 0.1 cycles/m; no scalar that it uses can vary, nor one of the next three keys"),
    KEY("waviness", "expression", "2", "", "of a rough road"),
    KEY("seed", "expression", "1", "",
        "of a rough road, whole number >= 0: with the same one, heights are the same; left and right tracks have two"),
    KEY("band", "two expressions", "0.011, 2.83", "cycles/m",
        "of a rough road: lowest and highest spatial frequency of its waves, equally spaced by 1/(to - from), so that "
        "the mean of noise is zero; the highest takes four points a wave"),
    KEY("stretch", "expression", "1", "",
        "factor > 0 of the abscissae, which may vary: the value at x is that of the numbers above at x/stretch; knots "
        "from 0 to 1 with stretch = T are parts of a free final time"),
    KEY("file", "path", "", "",
        "knots and values from a file beside this one instead: two columns of numbers with a comma, a semicolon, "
        "blanks or a tab between, with a semicolon also decimal commas; comments after #"),
    KEY_END,
};

/* A curve while it is read. */
typedef struct curve {
  loader *l;
  const model_section *section;
  ini_section *s;
  mbd_curve_kind_info info;
  const ini_entry *source; /* the key that gives the source of its numbers */
  int n, first;            /* number of its coefficients, and the first of them in the description */
  double *knot;            /* [n]; NULL: it has none */
  double x, y;             /* factors of the axes from units of the file to SI */
  double largest;          /* of the numbers on its y axis, in units of the file */
  double *noise;           /* [n] heights of a rough road at the knots; NULL: it is none */
  mbd_expression value;    /* of type expression */
} curve;

/* ---- coefficients ---- */

static mbd_status check_count(const curve *loaded) {
  const mbd_curve_kind_info *i = &loaded->info;
  const int few = loaded->n < i->nc_min, exactly = i->nc_max == i->nc_min;
  if (!few && (i->nc_max < 0 || loaded->n <= i->nc_max)) { return MBD_OK; }
  return load_fail(loaded->l, loaded->s, loaded->source, "%d coefficient%s, expected %s%d (%s)", loaded->n,
                   plural(loaded->n),
                   exactly ? ""
                   : few   ? "at least "
                           : "at most ",
                   few ? i->nc_min : i->nc_max, i->coefs);
}

/* Adds coefficient k, counted from 1. Takes ownership of x. */
static mbd_status add_coefficient(curve *loaded, const ini_entry *e, int k, mbo_expr *x) {
  char name[300];
  int index = -1;
  snprintf(name, sizeof name, "curve.%s.%d", loaded->l->name, k);
  const double factor = load_curve_factor(loaded->info.units, k - 1, loaded->x, loaded->y);
  const mbd_status scaled = load_scale(loaded->l, loaded->s, e, factor, x);
  if (scaled != MBD_OK) {
    mbo_expr_free(x);
    return scaled;
  }
  const mbd_status status = load_expression(loaded->l, loaded->s, e, name, x, NULL, LOAD_ANY, &index);
  if (k == 1) { loaded->first = index; }
  const int on_y = load_curve_factor(loaded->info.units, k - 1, 1, 2) != 1;
  if (status == MBD_OK && on_y) {
    loaded->largest = fmax(loaded->largest, fabs(mbd_spec_nominal(loaded->l->m->spec, index)) / factor);
  }
  return status;
}

/* ---- knots ---- */

static mbd_status listed_knots(curve *loaded, const ini_entry *e) {
  char **part;
  int n, k = 0;
  mbd_status status = MBD_OK;
  MBD_TRY(load_list(loaded->l, e->value, &part, &n));
  while (k < n && k < loaded->n && mbo_number(part[k], &loaded->knot[k])) { k++; }
  if (k < n && k < loaded->n) {
    status = load_fail(loaded->l, loaded->s, e, "'%s', expected a number", part[k]);
  } else if (n != loaded->n) {
    status = load_fail(loaded->l, loaded->s, e, "%d knots for %d coefficients, expected one knot each", n, loaded->n);
  }
  text_list_free(part, n);
  return status;
}

static mbd_status spaced_knots(curve *loaded, const ini_entry *from, const ini_entry *to) {
  double first = 0, last = 1;
  MBD_TRY(load_fixed_number(loaded->l, loaded->s, from, from->value, &first));
  MBD_TRY(load_fixed_number(loaded->l, loaded->s, to, to->value, &last));
  for (int i = 0; i < loaded->n; i++) {
    loaded->knot[i] = first + (last - first) * i / (loaded->n > 1 ? loaded->n - 1 : 1);
  }
  return MBD_OK;
}

/* Reads a knot for each coefficient, from `knots` or from `from` and `to`. */
static mbd_status read_knots(curve *loaded) {
  const ini_entry *e = ini_get(loaded->s, "knots"), *from = ini_get(loaded->s, "from"), *to = ini_get(loaded->s, "to");
  const ini_entry *end = from ? from : to;
  if (!loaded->info.needs_knots) {
    return e || end ? load_fail(loaded->l, loaded->s, e ? e : end, "this type of curve has no knots") : MBD_OK;
  }
  loaded->knot = calloc((size_t)loaded->n + 1, sizeof *loaded->knot);
  if (!loaded->knot) { return load_no_memory(loaded->l); }
  if (e && end) { return load_fail(loaded->l, loaded->s, end, "expected either 'knots' or 'from' and 'to', not both"); }
  if (e) { return listed_knots(loaded, e); }
  if (from && to) { return spaced_knots(loaded, from, to); }
  if (from) { return load_missing(loaded->l, loaded->section, loaded->s, "to", "where the last knot is"); }
  if (to) { return load_missing(loaded->l, loaded->section, loaded->s, "from", "where the first knot is"); }
  return load_missing(loaded->l, loaded->section, loaded->s, "knots",
                      "a knot for each coefficient (or 'from' and 'to')");
}

/* ---- coefficients = A, B, ... ---- */

static mbd_status from_list(curve *loaded) {
  char **item;
  MBD_TRY(load_list(loaded->l, loaded->source->value, &item, &loaded->n));
  const int n = loaded->n;
  mbd_status status = check_count(loaded);
  if (status == MBD_OK) { status = read_knots(loaded); }
  for (int k = 0; k < n && status == MBD_OK; k++) {
    mbo_expr x;
    status = load_parse(loaded->l, loaded->s, loaded->source, item[k], &x);
    if (status == MBD_OK) { status = add_coefficient(loaded, loaded->source, k + 1, &x); }
  }
  text_list_free(item, n);
  return status;
}

/* ---- file = PATH: two columns of numbers beside the model file, knots and values, any number of rows ---- */

/* Reads "x, y", with a comma, a semicolon or white space between, and perhaps a comment after them. Returns 1, and *at is where y begins;
 * 0 for a comment or an empty line; -1 for anything else. */
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
  const char *after = end + strspn(end, blank);
  return end != gap && (*after == '\0' || (*after == '#' && after > end)) ? 1 : -1;
}

/* Adds a point: y, the number at the start of text, becomes a coefficient. */
static mbd_status add_point(curve *loaded, double x, const char *text) {
  char number[300];
  mbo_expr y;
  double *grown = mbd_list_grow(loaded->knot, loaded->n, sizeof *grown);
  if (!grown) { return load_no_memory(loaded->l); }
  loaded->knot = grown;
  grown[loaded->n++] = x;
  snprintf(number, sizeof number, "%.*s", (int)strcspn(text, " \t\r\n"), text);
  MBD_TRY(load_parse(loaded->l, loaded->s, loaded->source, number, &y));
  return add_coefficient(loaded, loaded->source, loaded->n, &y);
}

static mbd_status read_line(curve *loaded, const char *path, int number, const char *line) {
  const ini_file *f = loaded->l->f;
  double x, y;
  const char *at;
  const int row = two_numbers(line, &x, &y, &at);
  /* A first line that does not begin like a number names the columns. */
  const int is_header = number == 1 && !strchr("+-.0123456789", line[strspn(line, " \t\"")]);
  if (row == 0 || (row < 0 && is_header)) { return MBD_OK; }
  if (row < 0) {
    return ini_fail(f, loaded->s, loaded->source, loaded->l->err, "%s:%d: '%.60s', expected two numbers: knot, value",
                    path, number, line);
  }
  if (loaded->n && !(x > loaded->knot[loaded->n - 1])) {
    return ini_fail(f, loaded->s, loaded->source, loaded->l->err, "%s:%d: knots must increase, but %g follows %g", path,
                    number, x, loaded->knot[loaded->n - 1]);
  }
  return add_point(loaded, x, at);
}

/* Of a line with a semicolon between its numbers, decimal commas become points. */
static void point_for_commas(char *line) {
  char *comment = line + strcspn(line, "#");
  if (!memchr(line, ';', (size_t)(comment - line))) { return; }
  for (char *c = line; c < comment; c++) {
    if (*c == ',') { *c = '.'; }
  }
}

static mbd_status from_file(curve *loaded) {
  loader *l = loaded->l;
  text_file in = {0};
  char *path = ini_beside(l->f->path, loaded->source->value);
  mbd_status status =
      path ? load_located(l, loaded->s, loaded->source, text_file_read(path, TEXT_FILE_TABLE, &in, l->err))
           : load_no_memory(l);
  for (char *line; status == MBD_OK && (line = text_file_line(&in)) != NULL;) {
    point_for_commas(line);
    status = read_line(loaded, path, in.line, line);
  }
  if (status == MBD_OK && loaded->n == 0) {
    status = load_fail(l, loaded->s, loaded->source, "'%s' has no row of two numbers", path);
  }
  text_file_free(&in);
  free(path);
  return status == MBD_OK ? check_count(loaded) : status;
}

/* ---- points = N, from, to: equally spaced, with the values of a function of x ---- */

/* Number of points; of characters, if every point's expression were written out. */
enum { POINTS_MAX = 1000000, TEXT_MAX = 16 << 20 };

static mbd_status read_count(curve *loaded) {
  double count;
  MBD_TRY(load_fixed_number(loaded->l, loaded->s, loaded->source, loaded->source->value, &count));
  if (count != floor(count) || count < 2 || count > POINTS_MAX) {
    return load_fail(loaded->l, loaded->s, loaded->source, "the value is %g, expected a whole number from 2 to %d",
                     count, POINTS_MAX);
  }
  loaded->n = (int)count;
  return MBD_OK;
}

/* Puts a number in the place of a name that a scalar must not have; *has: the expression has the name. */
static mbd_status bind_name(const curve *loaded, const ini_entry *value, mbo_expr *y, const char *name,
                            const char *what, double number, int *has) {
  *has = mbo_expr_bind(y, name, number);
  if (!*has || name_index_find(&loaded->l->scalar_at, name, "") < 0) { return MBD_OK; }
  return load_fail(loaded->l, loaded->s, value, "%s is the %s here, but also a scalar; expected another name for that",
                   name, what);
}

/* Adds the value at knot k: the expression with the knot in the place of x, and the height of a rough road in that of noise, becomes a
 * coefficient. */
static mbd_status add_value(curve *loaded, const ini_entry *value, const mbo_expr *of_x, int k) {
  mbo_expr y;
  int has = 1;
  if (!mbo_expr_copy(of_x, &y)) { return load_no_memory(loaded->l); }
  mbd_status status = bind_name(loaded, value, &y, "x", "abscissa", loaded->knot[k], &has);
  if (status == MBD_OK && loaded->noise) {
    status = bind_name(loaded, value, &y, "noise", "height of a rough road", loaded->noise[k], &has);
  }
  if (status == MBD_OK && !has && loaded->noise) {
    status = load_fail(loaded->l, loaded->s, value, "expected noise in it, the height of the rough road");
  }
  if (status == MBD_OK) { return add_coefficient(loaded, value, k + 1, &y); }
  mbo_expr_free(&y);
  return status;
}

static mbd_status from_function(curve *loaded) {
  const ini_entry *value = ini_get(loaded->s, "value"), *knots = ini_get(loaded->s, "knots");
  mbo_expr of_x;
  MBD_TRY(read_count(loaded));
  const size_t max = (size_t)(TEXT_MAX / loaded->n);
  if (value && strlen(value->value) > max) {
    return load_fail(loaded->l, loaded->s, value,
                     "%zu characters for %d points, expected at most %zu: give long parts of it to scalars",
                     strlen(value->value), loaded->n, max);
  }
  if (knots) { return load_fail(loaded->l, loaded->s, knots, "expected 'from' and 'to' with 'points', not 'knots'"); }
  MBD_TRY(read_knots(loaded));
  MBD_TRY(load_road(loaded->l, loaded->s, loaded->n, loaded->knot, &loaded->noise));
  const char *text = value ? value->value : loaded->noise ? "noise" : "0";
  MBD_TRY(load_parse(loaded->l, loaded->s, value, text, &of_x));
  mbd_status status = MBD_OK;
  for (int k = 0; k < loaded->n && status == MBD_OK; k++) { status = add_value(loaded, value, &of_x, k); }
  mbo_expr_free(&of_x);
  return status;
}

/* ---- type = expression, value = f(x): the scalars in it are its coefficients ---- */

/* Fails for keys of other types. */
static mbd_status check_only_value(const curve *loaded) {
  static const char *const others[] = {"coefficients", "file", "points", "knots", "from", "to"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    const ini_entry *e = ini_get(loaded->s, others[i]);
    if (e) { return load_fail(loaded->l, loaded->s, e, "belongs to other types of curve; expected `value` alone"); }
  }
  return MBD_OK;
}

/* Makes coefficients of the scalars in an expression. leaf [names]: the leaf of each name, 0 of x. */
static mbd_status take_scalars(curve *loaded, const mbo_expr *x, int *leaf) {
  loader *l = loaded->l;
  for (int i = 0; i < x->nname; i++) {
    char name[400];
    int index;
    if (strcmp(x->name[i], "x") == 0) { continue; }
    snprintf(name, sizeof name, "curve.%s.%s", l->name, x->name[i]);
    MBD_TRY(load_coefficient(l, loaded->s, loaded->source, name, x->name[i], NULL, LOAD_ANY, &index));
    if (loaded->n++ == 0) { loaded->first = index; }
    leaf[i] = loaded->n;
  }
  return MBD_OK;
}

static mbd_status append(const curve *loaded, mbd_expression *to, mbd_operation o, int *at) {
  *at = mbd_expression_append(to, o);
  return *at < 0 ? load_no_memory(loaded->l) : MBD_OK;
}

static mbd_status append_factor(const curve *loaded, mbd_expression *to, double factor, int *at) {
  int number;
  if (factor == 1) { return MBD_OK; }
  MBD_TRY(append(loaded, to, (mbd_operation){.op = MBD_OP_NUMBER, .number = factor}, &number));
  return append(loaded, to, (mbd_operation){.op = MBD_OP_MUL, .a = *at, .b = number}, at);
}

/* The operations of y f(x/X), in which x stands first; X and y are the factors of units of the file. */
static mbd_status join_operations(const curve *loaded, const mbo_expr *x, const int *leaf, mbd_expression *to) {
  int place[MBO_EXPR_NODES], argument;
  MBD_TRY(append(loaded, to, (mbd_operation){.op = MBD_OP_LEAF}, &argument));
  MBD_TRY(append_factor(loaded, to, 1 / loaded->x, &argument));
  for (int i = 0; i < x->value.n; i++) {
    mbd_operation o = x->value.op[i];
    const int is_leaf = o.op == MBD_OP_LEAF;
    place[i] = argument;
    if (is_leaf && leaf[o.a] == 0) { continue; }
    o.a = is_leaf ? leaf[o.a] : place[o.a], o.b = is_leaf ? 0 : place[o.b];
    MBD_TRY(append(loaded, to, o, &place[i]));
  }
  return append_factor(loaded, to, loaded->y, &place[x->value.n - 1]);
}

static mbd_status from_expression(curve *loaded) {
  loader *l = loaded->l;
  int leaf[MBO_EXPR_NODES] = {0};
  mbo_expr x;
  MBD_TRY(check_only_value(loaded));
  MBD_TRY(load_parse(l, loaded->s, loaded->source, loaded->source->value, &x));
  mbd_status status = MBD_OK;
  if (name_index_find(&l->scalar_at, "x", "") >= 0) {
    status = load_fail(l, loaded->s, loaded->source,
                       "x is the abscissa here, but also a scalar; expected another name for that");
  }
  if (status == MBD_OK) { status = take_scalars(loaded, &x, leaf); }
  if (status == MBD_OK) { status = join_operations(loaded, &x, leaf, &loaded->value); }
  mbo_expr_free(&x);
  return status;
}

/* ---- a curve ---- */

static const struct {
  const char *key;
  mbd_status (*read)(curve *loaded);
} sources[] = {{"coefficients", from_list}, {"file", from_file}, {"points", from_function}, {"value", from_expression}};
enum { N_SOURCES = sizeof sources / sizeof sources[0] - 1, FROM_EXPRESSION = N_SOURCES };

/* Finds the one key that gives the source of the numbers: of type expression its value. */
static mbd_status find_source(curve *loaded, int *which) {
  char what[200];
  int found = 0;
  if (strcmp(loaded->info.name, "expression") == 0) {
    *which = FROM_EXPRESSION;
    loaded->source = ini_get(loaded->s, "value");
    if (loaded->source) { return MBD_OK; }
    return load_missing(loaded->l, loaded->section, loaded->s, "value", "an expression of x and scalars");
  }
  /* The source is given by one of three keys; two of them are only for types of curves that have knots. */
  for (int i = 0; i < N_SOURCES; i++) {
    const ini_entry *e = ini_get(loaded->s, sources[i].key);
    if (!e) { continue; }
    loaded->source = e, *which = i, found++;
    if (i > 0 && !loaded->info.needs_knots) {
      return load_fail(loaded->l, loaded->s, e, "this type of curve has no knots, expected 'coefficients' (%s)",
                       loaded->info.coefs);
    }
  }
  /* Exactly one of the keys must be there. */
  snprintf(what, sizeof what, "%.120s%s", loaded->info.coefs,
           loaded->info.needs_knots ? " (or 'file' or 'points')" : "");
  if (found == 0) { return load_missing(loaded->l, loaded->section, loaded->s, "coefficients", what); }
  if (found > 1) {
    return load_fail(loaded->l, loaded->s, NULL, "expected one of 'coefficients', 'file' and 'points'");
  }
  /* A value over x and rough roads are only for equally spaced points. */
  static const char *const of_points[] = {"value", "road_class", "roughness", "waviness", "seed", "band"};
  for (int i = 0; i < 6 && sources[*which].read != from_function; i++) {
    const ini_entry *e = ini_get(loaded->s, of_points[i]);
    if (!e) { continue; }
    return load_fail(loaded->l, loaded->s, e, "%s belongs to 'points', not to '%s'",
                     i ? "a rough road" : "a value over x", loaded->source->key);
  }
  return MBD_OK;
}

/* Adds the curve to the description, and to the file's list of curves, by which control points become design variables. */
static mbd_status add_curve(const curve *loaded) {
  mbo_model_file *m = loaded->l->m;
  for (int k = 0; loaded->knot && k < loaded->n; k++) { loaded->knot[k] *= loaded->x; }
  model_curve *grown = mbd_list_grow(m->curve, m->ncurve, sizeof *grown);
  if (!grown) { return load_no_memory(loaded->l); }
  m->curve = grown;
  grown[m->ncurve++] = (model_curve){.name = mbd_strdup(loaded->l->name),
                                     .points = loaded->info.needs_knots,
                                     .from_file = strcmp(loaded->source->key, "file") == 0,
                                     .first = loaded->first,
                                     .n = loaded->n};
  if (!grown[m->ncurve - 1].name) { return load_no_memory(loaded->l); }
  return load_located(loaded->l, loaded->s, NULL,
                      mbd_spec_curve(m->spec, loaded->l->name, loaded->info.name, loaded->n, loaded->first,
                                     loaded->knot ? loaded->n : 0, loaded->knot, loaded->l->err));
}

static mbd_status set_value(const curve *loaded) {
  loader *l = loaded->l;
  if (!loaded->value.n) { return MBD_OK; }
  return load_located(l, loaded->s, loaded->source, mbd_spec_curve_value(l->m->spec, l->name, &loaded->value, l->err));
}

/* Adds the coefficient `stretch`, which only curves with this key have. */
static mbd_status add_stretch(const curve *loaded) {
  const ini_entry *e = ini_get(loaded->s, "stretch");
  char name[300];
  int index = -1;
  if (!e) { return MBD_OK; }
  snprintf(name, sizeof name, "curve.%s.stretch", loaded->l->name);
  MBD_TRY(load_coefficient(loaded->l, loaded->s, e, name, e->value, NULL, 1e-300, 1e300, &index));
  return load_located(loaded->l, loaded->s, e,
                      mbd_spec_curve_stretch(loaded->l->m->spec, loaded->l->name, index, loaded->l->err));
}

static const char *type_at(int i) {
  mbd_curve_kind_info info;
  return mbd_curve_info_at(i, &info) ? info.name : NULL;
}

static mbd_status read_curve(loader *l, const model_section *section, ini_section *s) {
  curve q = {.l = l, .section = section, .s = s};
  ini_entry *type;
  int i, which = 0;
  const char *driven;
  MBD_TRY(load_required(l, section, s, "type", &type));
  MBD_TRY(load_type(l, s, type, "kind of curve", type_at, &i));
  mbd_curve_info_at(i, &q.info);
  MBD_TRY(find_source(&q, &which));
  MBD_TRY(load_driven_unit(l, l->name, &driven));
  MBD_TRY(load_curve_axes(l, s, l->name, driven, &q.x, &q.y));
  mbd_status status = sources[which].read(&q);
  /* Numbers below 1 that drive a coordinate in millimetres must have been meant in metres. */
  if (status == MBD_OK && driven && *driven && q.y != 1 && q.largest > 0 && q.largest < 1) {
    status = load_fail(l, s, q.source,
                       "with units = mm these are mm, and the load case '%s' drives a coordinate by them, all of them "
                       "below 1 mm; expected mm, or the curve in a file with units = m",
                       l->of_case->name);
  }
  if (status == MBD_OK) { status = add_curve(&q); }
  if (status == MBD_OK) { status = set_value(&q); }
  if (status == MBD_OK) { status = add_stretch(&q); }
  free(q.knot), free(q.noise), free(q.value.op);
  return status;
}

const model_section model_section_curve = {"curve", "A function of one variable.", 1, curve_keys, .read = read_curve};

/* ---- curves of a load case ---- */

mbd_status load_check_curves(loader *l) {
  const mbo_pairs *pairs = l->of_case ? &l->of_case->curves : NULL;
  for (int i = 0; pairs && i < 2 * pairs->name.n; i++) {
    const char *name = i % 2 ? pairs->text.v[i / 2] : pairs->name.v[i / 2];
    char hint[MBD_HINT];
    mbd_nearest near = {.requested = name};
    if (load_find(l, "curve", name)) { continue; }
    for (int k = 0; k < l->npart; k++) { ini_offer_names(&l->part[k]->f, "curve", &near); }
    MBD_FAIL(l->err, MBD_BAD_INPUT, "%s[case %s] curve.%s = %s: the model %s has no curve '%s'%s", l->run,
             l->of_case->name, pairs->name.v[i / 2], pairs->text.v[i / 2], l->m->path, name,
             mbd_nearest_text(&near, hint, sizeof hint));
  }
  return MBD_OK;
}
