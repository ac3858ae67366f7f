#include "report/figure.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "files/atomic_file.h"
#include "files/json.h"
#include "files/memory.h"
#include "files/text_stream.h"
#include "report/gnuplot.h"

static const char *const formats[] = {"svg", "png", "pdf"};

mbd_status figure_format_find(const char *name, figure_format *f, mbd_error *err) {
  mbd_nearest near = {.requested = name, .listed = 1};
  char hint[MBD_HINT];
  for (int i = FIGURE_SVG; i <= FIGURE_PDF; i++) {
    if (strcmp(name, formats[i]) == 0) {
      *f = (figure_format)i;
      return MBD_OK;
    }
  }
  for (int i = FIGURE_SVG; i <= FIGURE_PDF; i++) { mbd_nearest_offer(&near, formats[i]); }
  MBD_FAIL(err, MBD_BAD_INPUT, "format '%s' of figures is not known: expected svg, png or pdf%s", name,
           mbd_nearest_text(&near, hint, sizeof hint));
}

const char *figure_format_name(figure_format f) {
  return formats[f];
}

char *figure_file_name(char *name, int number) {
  enum { MAX = 180 }; /* bytes of a name: 255 in file systems, minus numbers and endings */
  if (!name) { return NULL; }
  if (strlen(name) > MAX) { name[MAX] = '\0'; }
  for (char *s = name; *s; s++) {
    if (!isalnum((unsigned char)*s) && !strchr("._-", *s)) { *s = '_'; }
  }
  if (number < 2) { return name; }
  char *numbered = mbd_sprintf_dup("%s_%d", name, number);
  free(name);
  return numbered;
}

/* ---- the script ---- */

/* Colours with a meaning; those of curves are the line types. */
#define BEFORE "#8c8c8c"
#define AFTER  "#0072b2"
#define BOUND  "#d55e00"
#define TARGET "#009e73"

static double number(const json_t *list, size_t i) {
  return json_number_of(json_array_get(list, i));
}

/* Sets the terminal: SVG in units of its own, PNG in enough pixels for print, PDF in inches: the same picture in each [pt]. */
static void terminal(FILE *out, figure_format format, double width, double height) {
  enum { PIXELS = 3 };
  fprintf(out, "set encoding utf8\n");
  switch (format) {
    case FIGURE_SVG:
      fprintf(out, "set terminal svg size %g,%g dynamic font 'sans,12' noenhanced background 'white'\n", width, height);
      break;
    case FIGURE_PNG:
      fprintf(out,
              "set terminal pngcairo size %g,%g font 'sans,9' fontscale %d linewidth %d pointscale %d noenhanced\n",
              PIXELS * width, PIXELS * height, PIXELS, PIXELS, PIXELS);
      break;
    case FIGURE_PDF:
      fprintf(out, "set terminal pdfcairo size %gin,%gin font 'sans,9' noenhanced\n", width / 72, height / 72);
  }
}

/* Sets the colours of Okabe and Ito without yellow, which no white page shows; the darkest first. */
static void look(FILE *out) {
  static const char *const colour[] = {AFTER, BOUND, TARGET, "#cc79a7", "#e69f00", "#56b4e9", "#000000", BEFORE};
  enum { N = sizeof colour / sizeof colour[0] };
  for (int i = 0; i < N; i++) { fprintf(out, "set linetype %d lc rgb '%s' lw 1.8 pt 7 ps 0.5\n", i + 1, colour[i]); }
  fprintf(out,
          "set linetype cycle %d\n"
          "set border 3 lc rgb '#606060' lw 0.8\n"
          "set format '%%g'\n" /* gnuplot's own shortens what differs late */
          "set tics nomirror out scale 0.6 textcolor rgb '#303030'\n"
          "set grid back lt 1 lc rgb '#e0e0e0' lw 0.7 dt 1\n"
          "set key outside top center horizontal\n"
          "set style fill solid 1 noborder\n"
          "set datafile missing 'NaN'\n",
          N);
}

/* Writes 'text', in which no character means anything to gnuplot. */
static void quote(FILE *out, const char *text) {
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'') { fputc('\'', out); }
    fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
  }
  fputc('\'', out);
}

static int is_shown(double v, int log) {
  return isfinite(v) && !(log && v <= 0);
}

/* A number of a block of data. */
static void put(FILE *out, double v) {
  if (isfinite(v)) {
    fprintf(out, "%.9g ", v);
  } else {
    fputs("NaN ", out);
  }
}

/* Writes names as tics from `first` on. */
static void name_tics(FILE *out, const char *axis, const json_t *names, int first) {
  size_t i;
  const json_t *one;
  fprintf(out, "set %stics (", axis);
  json_array_foreach(names, i, one) {
    if (i) { fputs(", ", out); }
    quote(out, json_string_value(one));
    fprintf(out, " %d", (int)i + first);
  }
  fputs(")", out);
}

/* ---- axes ---- */

/* What an axis reaches over: the numbers that it can show. */
typedef struct extent {
  double low, high;
  int n, log;
} extent;

static void reach(extent *e, const json_t *list) {
  for (size_t i = 0; i < json_array_size(list); i++) {
    const double v = number(list, i);
    if (!is_shown(v, e->log)) { continue; }
    e->low = fmin(e->low, v), e->high = fmax(e->high, v), e->n++;
  }
}

static extent extent_new(const json_t *axis) {
  return (extent){INFINITY, -INFINITY, 0, json_is_true(json_object_get(axis, "log"))};
}

/* Writes as many digits at the tics of a linear axis as tell them apart: more than usual where its numbers differ late. */
static void set_digits(FILE *out, const char *name, const extent *e) {
  enum { USUAL = 6, MAX = 15, TICS = 8 };
  const double size = fmax(fabs(e->low), fabs(e->high));
  if (!(e->high > e->low) || !isfinite(size)) { return; }
  const int digits = (int)ceil(log10(size * TICS / (e->high - e->low))) + 1;
  if (digits > USUAL) { fprintf(out, "set format %s '%%.%dg'\n", name, digits < MAX ? digits : MAX); }
}

/* Writes tics at the listed digits of each decade, where a logarithmic axis reaches over less than two decades: it might have one or none.
 * Over less than a factor of two they are at equal distances. */
static void log_tics(FILE *out, const char *name, const extent *e) {
  static const double few[] = {1, 2, 5}, many[] = {1, 1.5, 2, 3, 4, 5, 6, 8};
  if (!(e->low > 0) || e->high >= 100 * e->low) { return; }
  const int dense = e->high < 10 * e->low, count = dense ? 8 : 3, short_axis = e->high < 2 * e->low;
  const double step = pow(10, floor(log10(e->high > e->low ? e->high - e->low : e->low))) / 2;
  int written = 0;
  fprintf(out, "set %stics (", name);
  for (double v = ceil(e->low / step) * step; short_axis && v <= e->high; v += step) {
    fprintf(out, "%s'%g' %.9g", written++ ? ", " : "", v, v);
  }
  for (double decade = pow(10, floor(log10(e->low))); !short_axis && decade <= e->high; decade *= 10) {
    for (int k = 0; k < count; k++) {
      const double v = (dense ? many : few)[k] * decade;
      if (v >= e->low * (1 - 1e-9) && v <= e->high * (1 + 1e-9)) {
        fprintf(out, "%s'%g' %.9g", written++ ? ", " : "", v, v);
      }
    }
  }
  fputs(written ? ")\n" : "'' 1)\n", out);
}

int figure_has_unit(const char *unit) {
  return *unit && strcmp(unit, "-") != 0 && strcmp(unit, "1") != 0;
}

/* Writes "set WHAT 'LABEL [UNIT]'"; a label that is too long for a vertical axis stands above the figure. `more` follows it. */
static void set_label(FILE *out, const char *name, const json_t *axis, const char *more) {
  enum { FITS = 44 }; /* characters that fit beside a vertical axis */
  const char *label = json_text_in(axis, "label"), *unit = json_text_in(axis, "unit");
  char *text =
      figure_has_unit(unit) ? mbd_sprintf_dup("%s [%s]%s", label, unit, more) : mbd_sprintf_dup("%s%s", label, more);
  if (text && *text) {
    const int above = strlen(text) > FITS && *name != 'x';
    fprintf(out, "set %s%s ", above ? "" : name, above ? "title" : "label");
    quote(out, text);
    fputc('\n', out);
  }
  free(text);
}

/* Writes label, scale, range and tics of an axis over the numbers of the extent. */
static void set_axis(FILE *out, const char *name, const json_t *axis, const extent *e) {
  const json_t *names = json_object_get(axis, "names"), *ticks = json_object_get(axis, "ticks"),
               *range = json_object_get(axis, "range"), *one;
  size_t i;
  set_label(out, name, axis, "");
  if (e->log) { fprintf(out, "set logscale %s\nset format %s '%%g'\n", name, name); }
  if (range) { fprintf(out, "set %srange [%.9g:%.9g]\n", name, number(range, 0), number(range, 1)); }
  if (names) { /* the first is on top */
    name_tics(out, name, names, 0);
    fprintf(out, "\nset %srange [%g:-0.6]\n", name, (double)json_array_size(names) - 0.4);
  } else if (ticks) {
    fprintf(out, "set %stics (", name);
    json_array_foreach(ticks, i, one) {
      if (i) { fputs(", ", out); }
      quote(out, json_text_in(one, "label"));
      fprintf(out, " %.9g", json_number_in(one, "v"));
    }
    fputs(")\n", out);
  } else {
    (e->log ? log_tics : set_digits)(out, name, e);
  }
}

static mbd_status nothing(mbd_error *err) {
  MBD_FAIL(err, MBD_NOT_FINITE, "there is no number to be drawn");
}

/* ---- series over two axes ---- */

/* Writes how a series is drawn: its colour is a line type or has a meaning. rows: over a few names, with room for larger points. */
static void put_style(FILE *out, const json_t *series, int i, int rows) {
  const char *kind = json_text_in(series, "kind"), *named = json_text_in(series, "colour");
  const json_t *colour = json_object_get(series, "colour");
  const int points = strcmp(kind, "points") == 0, band = strcmp(kind, "band") == 0,
            mute = json_is_true(json_object_get(series, "mute"));
  /* How the kind is drawn; as lines if it is none of these. */
  fprintf(out, "with %s ",
          band                         ? "filledcurves"
          : points                     ? "points"
          : strcmp(kind, "steps") == 0 ? "steps"
          : strcmp(kind, "both") == 0  ? "linespoints"
                                       : "lines");
  /* A named colour has a meaning; else the line type is the given number or that of the place in the list. */
  if (*named) {
    fprintf(out, "lc rgb '%s' ",
            strcmp(named, "after") == 0    ? AFTER
            : strcmp(named, "bound") == 0  ? BOUND
            : strcmp(named, "target") == 0 ? TARGET
                                           : BEFORE);
  } else {
    fprintf(out, "lt %d ", (json_is_integer(colour) ? (int)json_integer_value(colour) : i) + 1);
  }
  /* Points: open circles for the mark of a bound, filled ones otherwise. */
  if (points && strcmp(named, "bound") == 0) {
    fputs("pt 6 ps 1.4 lw 2 ", out);
  } else if (points) {
    fprintf(out, "pt 7 ps %g ", rows ? 0.9 : 0.5);
  }
  /* Bands are transparent. Lines of mute series are thin and dashed, in figures with rows solid. */
  if (band) { fputs("fs transparent solid 0.2 ", out); }
  if (!points && !band) {
    fputs(mute                           ? (rows                           ? "lw 1.6 "
                                            : strcmp(named, "target") == 0 ? "lw 1.4 dt 2 "
                                                                           : "lw 0.8 dt 2 ")
          : strcmp(named, "before") == 0 ? "lw 1.6 "
                                         : "lw 1.8 ",
          out);
  }
}

/* Writes the data of all series as blocks, whose numbers are theirs from 1 on. */
static void put_series(FILE *out, const json_t *all, int xlog, int ylog) {
  size_t i;
  const json_t *one;
  json_array_foreach(all, i, one) {
    const json_t *x = json_object_get(one, "x"), *y = json_object_get(one, "y"), *upper = json_object_get(one, "upper");
    int gap = 1;
    fprintf(out, "$d%d << EOD\n", (int)i + 1);
    for (size_t k = 0; k < json_array_size(x); k++) {
      const int shown = is_shown(number(x, k), xlog) && is_shown(number(y, k), ylog);
      if (shown) { put(out, number(x, k)), put(out, number(y, k)); }
      if (shown && upper) { put(out, number(upper, k)); }
      if (shown || !gap) { fputc('\n', out); } /* an empty line interrupts the curve, two would end the data */
      gap = !shown;
    }
    fputs("EOD\n", out);
  }
}

/* Extends the axes to the levels, unless one is so far away that curves would be flat. */
static void reach_levels(const json_t *spec, extent *x, extent *y) {
  const extent data[] = {*x, *y};
  size_t i;
  const json_t *one;
  json_array_foreach(json_object_get(spec, "levels"), i, one) {
    const int upright = json_object_get(one, "x") != NULL;
    const double v = json_number_in(one, upright ? "x" : "y");
    extent *e = upright ? x : y;
    const extent *of_data = &data[!upright];
    const double size = of_data->high > of_data->low ? of_data->high - of_data->low : fabs(of_data->high);
    const int near = of_data->log ? v > 0 : v >= of_data->low - 4 * size && v <= of_data->high + 4 * size;
    if (near) { e->low = fmin(e->low, v), e->high = fmax(e->high, v); }
  }
}

/* Straight lines at the levels, as far as the axes reach: first (draw = 0) the ends of each as a block of data,
 * then how it is drawn. */
static void put_levels(FILE *out, const json_t *spec, const extent *x, const extent *y, int draw) {
  size_t i;
  const json_t *one;
  const char *last = "";
  json_array_foreach(json_object_get(spec, "levels"), i, one) {
    /* A level is a value of one axis, and its line follows the other one. Levels outside of the axis have no line. */
    const int upright = json_object_get(one, "x") != NULL;
    const double v = json_number_in(one, upright ? "x" : "y");
    const extent *axis = upright ? x : y, *along = upright ? y : x;
    const char *text = json_text_in(one, "text");
    if (!(v >= axis->low && v <= axis->high)) { continue; }
    if (draw) {
      fprintf(out, ", $level%d using 1:2 with lines dt 2 lw 1.2 lc rgb '%s' ", (int)i,
              strcmp(json_text_in(one, "kind"), "target") == 0 ? TARGET : BOUND);
      /* Successive levels with the same text have one entry in the key. */
      fputs(strcmp(text, last) == 0 ? "notitle" : "title ", out);
      if (strcmp(text, last) != 0) { quote(out, text); }
      last = text;
    } else if (upright) {
      fprintf(out, "$level%d << EOD\n%.9g %.9g\n%.9g %.9g\nEOD\n", (int)i, v, along->low, v, along->high);
    } else {
      fprintf(out, "$level%d << EOD\n%.9g %.9g\n%.9g %.9g\nEOD\n", (int)i, along->low, v, along->high, v);
    }
  }
}

/* ---- shapes ---- */

static double corner(const json_t *shape, size_t point, size_t axis) {
  return number(json_array_get(json_object_get(shape, "points"), point), axis);
}

/* Extends the axes to shapes, unless these are so far away that curves would be flat, and fixes the ranges: what lies beyond is cut off. */
static void set_ranges(FILE *out, const json_t *spec, extent *x, extent *y) {
  const json_t *shapes = json_object_get(spec, "shapes"), *one;
  const double size = y->high > y->low ? y->high - y->low : fabs(y->high), low = y->low - 4 * size,
               high = y->high + 4 * size;
  size_t i;
  if (json_array_size(shapes) == 0 && !json_is_true(json_object_get(spec, "equal"))) { return; }
  json_array_foreach(shapes, i, one) {
    for (size_t k = 0; k < json_array_size(json_object_get(one, "points")); k++) {
      const double at = corner(one, k, 0), v = corner(one, k, 1);
      if (strcmp(json_text_in(one, "kind"), "window") == 0 || !(v >= low && v <= high)) { continue; }
      x->low = fmin(x->low, at), x->high = fmax(x->high, at), y->low = fmin(y->low, v), y->high = fmax(y->high, v);
    }
  }
  const double margin = y->high > y->low ? 0.06 * (y->high - y->low) : fmax(0.05 * fabs(y->high), 0.05);
  const double aside = json_is_true(json_object_get(spec, "equal")) ? 0.06 * (x->high - x->low) : 0;
  fprintf(out, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", x->low - aside,
          x->high > x->low ? x->high + aside : x->low + 1, y->low - margin, y->high + margin);
}

/* First (draw = 0) windows, and the points of the other shapes as blocks of data; then how these are drawn, below the curves. */
static void put_shapes(FILE *out, const json_t *spec, int draw) {
  const json_t *one, *before = NULL;
  size_t i;
  json_array_foreach(json_object_get(spec, "shapes"), i, one) {
    const char *kind = json_text_in(one, "kind"), *text = json_text_in(one, "text");
    const int window = strcmp(kind, "window") == 0, band = strcmp(kind, "band") == 0;
    const size_t n = json_array_size(json_object_get(one, "points"));
    const char *colour = window ? AFTER : strcmp(kind, "target") == 0 ? TARGET : BOUND;
    if (!draw && window) {
      fprintf(out,
              "set object rect from first %.9g, graph 0 to first %.9g, graph 1 fc rgb '%s' fs transparent solid 0.08 "
              "noborder behind\n",
              corner(one, 0, 0), corner(one, 1, 0), colour);
    } else if (!draw) {
      fprintf(out, "$shape%d << EOD\n", (int)i);
      for (size_t k = 0; k < n; k++) { fprintf(out, "%.9g %.9g\n", corner(one, k, 0), corner(one, k, 1)); }
      fputs("EOD\n", out);
    } else {
      if (window) {
        fprintf(out, "NaN with boxes fs transparent solid 0.2 noborder lc rgb '%s' ", colour); /* for the key */
      } else if (band) {
        fprintf(out, "$shape%d using 1:2 with filledcurves closed fs transparent solid 0.12 lc rgb '%s' ", (int)i,
                colour);
      } else if (n == 1) {
        fprintf(out, "$shape%d using 1:2 with points pt 2 ps 1.2 lw 1.8 lc rgb '%s' ", (int)i, colour);
      } else {
        fprintf(out, "$shape%d using 1:2 with lines dt 2 lw 1.2 lc rgb '%s' ", (int)i, colour);
      }
      /* Successive shapes with the same text have one entry in the key. */
      const int same = before && strcmp(text, json_text_in(before, "text")) == 0;
      fputs(same ? "notitle" : "title ", out);
      if (!same) { quote(out, text); }
      fputs(", ", out);
      before = one;
    }
  }
}

static mbd_status draw_series(FILE *out, const json_t *spec, mbd_error *err) {
  const json_t *all = json_object_get(spec, "series"), *xaxis = json_object_get(spec, "x"),
               *yaxis = json_object_get(spec, "y"), *one;
  extent x = extent_new(xaxis), y = extent_new(yaxis);
  size_t i;
  /* Ranges of the numbers of all series, with the upper edges of bands. */
  json_array_foreach(all, i, one) {
    reach(&x, json_object_get(one, "x")), reach(&y, json_object_get(one, "y"));
    reach(&y, json_object_get(one, "upper"));
  }
  if (x.n == 0 || y.n == 0) { return nothing(err); }
  /* The axes, which reach up to levels near the data. A vertical axis with names has no grid lines. */
  reach_levels(spec, &x, &y);
  set_axis(out, "x", xaxis, &x), set_axis(out, "y", yaxis, &y);
  if (json_object_get(yaxis, "names")) { fputs("set grid noytics\n", out); }
  if (!x.log && !y.log) { set_ranges(out, spec, &x, &y); }
  if (json_is_true(json_object_get(spec, "equal"))) { fputs("set size ratio -1\n", out); }
  /* Blocks of data: the series, the shapes, and the ends of the levels. */
  put_series(out, all, x.log, y.log);
  put_shapes(out, spec, 0);
  put_levels(out, spec, &x, &y, 0);
  /* One command draws all of them. A single series has no entry in the key, nor has an unlisted one. */
  fputs("plot ", out);
  put_shapes(out, spec, 1);
  json_array_foreach(all, i, one) {
    const int band = json_object_get(one, "upper") != NULL;
    fprintf(out, "%s$d%d using %s ", i ? ", " : "", (int)i + 1, band ? "1:2:3" : "1:2");
    put_style(out, one, (int)i, json_object_get(yaxis, "names") != NULL);
    if (json_array_size(all) == 1 || json_is_true(json_object_get(one, "unlisted"))) {
      fputs("notitle", out);
    } else {
      fputs("title ", out), quote(out, json_text_in(one, "name"));
    }
  }
  put_levels(out, spec, &x, &y, 1);
  fputc('\n', out);
  return MBD_OK;
}

/* ---- values as colours ---- */

/* Sets the ends of the colour scale: a few values far from all others would leave the others in one colour. Far is more than three times the
 * middle half's width from it [Tukey 1977, outer fences], if without them less than half of the range is left. Values that
 * agree to their sixth digit, as of many runs that found one optimum, are not told apart. */
static void fences(const double *order, int n, int log, double end[2]) {
  const double scale[] = {order[0], order[n / 4], order[n - 1 - n / 4], order[n - 1]};
  double v[4];
  for (int i = 0; i < 4; i++) { v[i] = log ? log10(scale[i]) : scale[i]; }
  const double low = fmax(v[0], v[1] - 3 * (v[2] - v[1])), high = fmin(v[3], v[2] + 3 * (v[2] - v[1]));
  const int cut = high > low && high - low < 0.5 * (v[3] - v[0]);
  end[0] = cut && low > v[0] ? (log ? pow(10, low) : low) : order[0];
  end[1] = cut && high < v[3] ? (log ? pow(10, high) : high) : order[n - 1];
  if (!(end[1] - end[0] > 1e-6 * fmax(fabs(end[0]), fabs(end[1])))) { end[0] = order[0], end[1] = order[n - 1]; }
}

/* Returns the *n numbers of a list in ascending order, in new memory; NULL: no memory. */
static double *in_order(const json_t *list, int *n) {
  double *order = malloc((json_array_size(list) + 1) * sizeof *order);
  *n = 0;
  for (size_t i = 0; order && i < json_array_size(list); i++) {
    const double v = number(list, i);
    if (isfinite(v)) { order[(*n)++] = v; }
  }
  if (order) { mbd_sort_values(*n, order); }
  return order;
}

/* Writes the colours of the values z: the palette, readable without colours too; its label, "LABEL (from LEAST up to LARGEST)" if values lie
 * beyond the fences; contour lines between equally many points each, which resolve flat regions as well as peaks. */
static mbd_status colours(FILE *out, const json_t *axis, const json_t *z, mbd_error *err) {
  enum { LINES = 11 };
  int n;
  double end[2], *order = in_order(z, &n);
  char from[32] = "", to[32] = "", beyond[72] = "";
  MEMORY_TRY(order, err, "a figure");
  if (n == 0) {
    free(order);
    return nothing(err);
  }
  /* gnuplot gives an empty range some width only where it is linear */
  const extent e = {
      order[0], order[n - 1], n,
      json_is_true(json_object_get(axis, "log")) && order[0] > 0 && order[n - 1] >= (1 + 1e-6) * order[0]};
  fputs(
      "set palette defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', 3 '#2c718e', 4 '#21908d', 5 '#27ad81', "
      "6 '#5cc863', 7 '#aadc32', 8 '#fde725')\n",
      out);
  fences(order, n, e.log, end);
  if (end[0] > order[0]) { snprintf(from, sizeof from, " from %.4g", order[0]); }
  if (end[1] < order[n - 1]) { snprintf(to, sizeof to, " up to %.4g", order[n - 1]); }
  if (*from || *to) {
    snprintf(beyond, sizeof beyond, " (%s%s)", *from ? from + 1 : to + 1, *from ? to : "");
    fprintf(out, "set cbrange [%.9g:%.9g]\n", end[0], end[1]);
  }
  set_label(out, "cb", axis, beyond);
  if (e.log) { fputs("set logscale cb\nset format cb '%g'\nset logscale z\n", out); }
  if (!e.log) { set_digits(out, "cb", &e); }
  for (int i = 1; i <= LINES; i++) {
    fprintf(out, "%s%.9g", i > 1 ? "," : "set cntrparam levels discrete ", order[(long)i * n / (LINES + 1)]);
  }
  fputc('\n', out);
  free(order);
  return MBD_OK;
}

/* Draws points in colours; of a grid colours between its points and contour lines; and a mark at the best point. */
static mbd_status draw_map(FILE *out, const json_t *spec, mbd_error *err) {
  /* fields along an axis, at least, by interpolation; points that would hide each other */
  enum { FINE = 40, MANY = 2000 };
  const json_t *points = json_object_get(spec, "points"), *grid = json_object_get(spec, "grid");
  const json_t *v[] = {json_object_get(points, "x"), json_object_get(points, "y"), json_object_get(points, "z")};
  const char *const axis[] = {"x", "y"};
  char range[2][80] = {"", ""};
  const int n = (int)json_array_size(v[2]), nx = grid ? (int)number(grid, 0) : 0, ny = grid ? (int)number(grid, 1) : 0;
  for (int k = 0; k < 2; k++) {
    extent e = extent_new(json_object_get(spec, axis[k]));
    reach(&e, v[k]);
    if (e.n == 0) { return nothing(err); }
    set_axis(out, axis[k], json_object_get(spec, axis[k]), &e);
    if (grid && e.high > e.low) { /* gnuplot looks only at points with values */
      snprintf(range[k], sizeof range[k], "set %srange [%.9g:%.9g]\n", axis[k], e.low, e.high);
    }
  }
  MBD_TRY(colours(out, json_object_get(spec, "z"), v[2], err));
  /* the points, and the marked one */
  const json_t *best = json_object_get(spec, "best");
  for (int block = 1; block <= (best ? 2 : 1); block++) {
    fprintf(out, "$d%d << EOD\n", block);
    for (int i = block == 1 ? 0 : (int)json_integer_value(best); i < n; i++) {
      if (nx && i && i % nx == 0 && block == 1) { fputc('\n', out); }
      for (int k = 0; k < 3; k++) { put(out, number(v[k], (size_t)i)); }
      fputc('\n', out);
      if (block == 2) { break; }
    }
    fputs(nx && block == 1 ? "\nEOD\n" : "EOD\n", out);
  }
  if (grid) {
    fprintf(out,
            "set view map\nset pm3d corners2color mean interpolate %d,%d\nset contour base\n"
            "unset clabel\nset border 15\nset autoscale fix\n%s%sunset grid\nset key inside top right opaque\n"
            "splot $d1 using 1:2:3 with pm3d nocontour notitle, '' using 1:2:3 with lines lc rgb '#303030' lw 0.6 "
            "nosurface notitle, '' using 1:2:3 with points pt 7 ps 0.15 lc rgb '#ffffff' nocontour notitle",
            (FINE + nx - 1) / nx, (FINE + ny - 1) / ny, range[0], range[1]);
    if (best) {
      fprintf(out, ", $d2 using 1:2:3 with points pt 6 ps 1.4 lw 2.5 lc rgb '%s' nocontour title 'best'", BOUND);
    }
  } else {
    fprintf(out, "plot $d1 using 1:2:3 with points pt 7 ps %g lc palette notitle", n > MANY ? 0.3 : 0.7);
    if (best) { fprintf(out, ", $d2 using 1:2 with points pt 6 ps 1.4 lw 2 lc rgb '%s' title 'best'", BOUND); }
  }
  fputc('\n', out);
  return MBD_OK;
}

/* ---- parallel coordinates ---- */

typedef struct run {
  double z;
  const json_t *value;
} run;

static int larger_first(const void *a, const void *b) {
  const double x = ((const run *)a)->z, y = ((const run *)b)->z;
  return (x < y) - (x > y);
}

/* Writes the rows of z and values; those with the least z last, since they are drawn over the others. */
static mbd_status put_runs(FILE *out, const json_t *values, const json_t *z, mbd_error *err) {
  run *order = calloc(json_array_size(z) + 1, sizeof *order);
  size_t n = 0;
  MEMORY_TRY(order, err, "a figure of %zu runs", json_array_size(z));
  for (size_t i = 0; i < json_array_size(z); i++) {
    if (isfinite(number(z, i))) { order[n++] = (run){number(z, i), json_array_get(values, i)}; }
  }
  qsort(order, n, sizeof *order, larger_first);
  fputs("$d1 << EOD\n", out);
  for (size_t i = 0; i < n; i++) {
    put(out, order[i].z);
    for (size_t j = 0; j < json_array_size(order[i].value); j++) { put(out, number(order[i].value, j)); }
    fputc('\n', out);
  }
  fputs("EOD\n", out);
  free(order);
  return MBD_OK;
}

/* Draws a vertical axis for each variable, and a curve through all of them for each run, coloured by z. */
static mbd_status draw_parallel(FILE *out, const json_t *spec, mbd_error *err) {
  const json_t *axes = json_object_get(spec, "axes"), *values = json_object_get(spec, "values"),
               *z = json_object_get(spec, "z"), *of_z = json_object_get(spec, "values_z"), *axis;
  const int n = (int)json_array_size(axes);
  size_t i;
  /* The colour scale, and the data: for each run a row of its z and its values. */
  MBD_TRY(colours(out, z, of_z, err));
  MBD_TRY(put_runs(out, values, of_z, err));
  json_t *names = json_array();
  /* An axis has tics at the ends of its range. It is widened about a single value, and 0 to 1 without any value. */
  json_array_foreach(axes, i, axis) {
    const json_t *range = json_object_get(axis, "range");
    double low = number(range, 0), high = number(range, 1);
    if (!isfinite(low)) { low = 0, high = 1; }
    const double margin = high > low ? 0 : low != 0 ? 0.5 * fabs(low) : 1;
    fprintf(out, "set paxis %d range [%.17g:%.17g]\n", (int)i + 1, low - margin, high + margin);
    fprintf(out, "set paxis %d tics ('%.4g' %.17g, '%.4g' %.17g)\n", (int)i + 1, low, low, high, high);
    json_array_append(names, json_object_get(axis, "label"));
  }
  /* Names of the variables stand below their axes, which replace border, vertical tics and grid. */
  name_tics(out, "x", names, 1);
  json_decref(names);
  fprintf(out, " scale 0 offset 0,-0.4\nset xrange [0.7:%g]\nset border 0\nunset ytics\nunset grid\nset key off\nplot ",
          n + 0.3);
  /* Column j + 2 of the data belongs to axis j; column 1, z, is the colour of the lines. */
  for (int j = 0; j < n; j++) {
    fprintf(out, "%s using %d%s with parallelaxes%s", j ? ", ''" : "$d1", j + 2, j ? "" : ":1",
            j ? "" : " lw 0.8 lc palette");
  }
  fputc('\n', out);
  return MBD_OK;
}

/* ---- parts of directions ---- */

/* Draws a field for each part of each row, blue above zero and orange below, with its number. */
static mbd_status draw_parts(FILE *out, const json_t *spec, mbd_error *err) {
  const json_t *rows = json_object_get(spec, "rows"), *columns = json_object_get(spec, "columns"),
               *parts = json_object_get(spec, "parts");
  const int n = (int)json_array_size(columns), m = (int)json_array_size(rows);
  if (n == 0 || m == 0) { return nothing(err); }
  /* The data: column, row and part of each field. */
  fputs("$d1 << EOD\n", out);
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      fprintf(out, "%d %d ", j + 1, i + 1);
      put(out, number(json_array_get(parts, (size_t)i), (size_t)j)), fputc('\n', out);
    }
  }
  /* Ranges with the first row on top, and a colour scale that is white at zero. */
  fprintf(out,
          "EOD\nset xrange [0.5:%g]\nset yrange [%g:0.5]\nset border 0\nunset grid\nunset key\n"
          "set palette defined (-1 '#d55e00', 0 '#ffffff', 1 '#0072b2')\nset cbrange [-1:1]\n"
          "set cblabel 'part in the direction'\n",
          n + 0.5, m + 0.5);
  set_label(out, "y", json_object_get(spec, "y"), "");
  /* Rows have their numbers as tics, columns their names. */
  fputs("set ytics (", out);
  for (int i = 0; i < m; i++) { fprintf(out, "%s'%.3g' %d", i ? ", " : "", number(rows, (size_t)i), i + 1); }
  fputs(")\n", out);
  name_tics(out, "x", columns, 1);
  fputs(
      "\nset tics scale 0\nplot $d1 using 1:2:3 with image pixels"
      ", '' using 1:2:(sprintf('%+.3f', $3)) with labels textcolor rgb '#303030'\n",
      out);
  return MBD_OK;
}

/* ---- the picture ---- */

static double height_of(const json_t *spec, const char *kind) {
  const size_t rows = json_array_size(json_object_get(json_object_get(spec, "y"), "names"));
  if (json_object_get(spec, "height")) { return json_number_in(spec, "height"); }
  if (strcmp(kind, "parts") == 0) { return 110 + 30 * (double)json_array_size(json_object_get(spec, "rows")); }
  if (json_is_true(json_object_get(spec, "equal"))) { return 480; }
  return strcmp(kind, "map") == 0 ? 420 : rows ? 80 + 26 * (double)rows : 320;
}

static mbd_status script_of(FILE *out, const json_t *spec, figure_format format, mbd_error *err) {
  static const struct {
    const char *kind;
    mbd_status (*draw)(FILE *out, const json_t *spec, mbd_error *err);
  } kinds[] = {{"map", draw_map}, {"parallel", draw_parallel}, {"parts", draw_parts}};
  const char *kind = json_text_in(spec, "kind");
  terminal(out, format, 640, height_of(spec, kind));
  look(out);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kind, kinds[i].kind) == 0) { return kinds[i].draw(out, spec, err); }
  }
  return draw_series(out, spec, err);
}

static mbd_status into_file(const char *path, const char *picture, size_t n, mbd_error *err) {
  atomic_file a;
  MBD_TRY(atomic_open(path, &a, err));
  fwrite(picture, 1, n, a.out);
  return atomic_commit(&a, err);
}

mbd_status figure_draw(const json_t *spec, figure_format format, const char *path, char **text, mbd_error *err) {
  const long lost = mbd_memory_lost();
  char *picture = NULL;
  size_t n = 0;
  text_stream stream;
  if (!path && format != FIGURE_SVG) {
    MBD_FAIL(err, MBD_BAD_INPUT, "a figure without a file is of format svg, not %s", formats[format]);
  }
  /* The script, as text. Memory for it, or for labels in it, may run out. */
  FILE *out = text_begin(&stream);
  mbd_status status = out ? script_of(out, spec, format, err) : MBD_OK;
  char *script = text_end(&stream);
  if (status == MBD_OK && (!script || mbd_memory_lost() != lost)) { status = MEMORY_NONE(err, "a figure"); }
  /* The picture that gnuplot makes of it, which goes into the file or to the caller. */
  if (status == MBD_OK) { status = gnuplot_run(script, &picture, &n, err); }
  if (status == MBD_OK && path) { status = into_file(path, picture, n, err); }
  if (status == MBD_OK && !path) {
    *text = picture;
    picture = NULL;
  }
  free(picture), free(script);
  return status;
}
