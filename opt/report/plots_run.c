/* Figures of one run: curves, convergence, bounds, directions. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "mechanism/design.h"
#include "report/plots_pieces.h"

static int spans_all(int n, const plot_curve *c, int of_x, double ratio) {
  double least = INFINITY, largest = 0;
  for (int i = 0; i < n; i++) {
    const double *v = of_x ? c[i].x : c[i].y;
    if (!plot_spans(c[i].n, v, 1)) { return 0; }
    for (int k = 0; k < c[i].n; k++) {
      if (isfinite(v[k])) { least = fmin(least, v[k]), largest = fmax(largest, v[k]); }
    }
  }
  return largest >= ratio * least;
}

/* Sets the digits of an axis from the range of all curves. */
static void plot_set_digits_of(figure *f, const char *axis, int n, const plot_curve *c) {
  double ends[2] = {INFINITY, -INFINITY};
  for (int i = 0; i < n; i++) {
    const double *v = *axis == 'x' ? c[i].x : c[i].y;
    for (int k = 0; k < c[i].n; k++) {
      if (isfinite(v[k])) { ends[0] = fmin(ends[0], v[k]), ends[1] = fmax(ends[1], v[k]); }
    }
  }
  plot_set_digits(f, axis, 2, ends);
}

mbd_status plot_curves(figure_target *t, plot_axis x, plot_axis y, int n, const plot_curve *curve, mbd_error *err) {
  figure f;
  MBD_TRY(plot_has_curves(n, curve, err));
  MBD_TRY(figure_open(&f, t, err));
  x.log = x.log && spans_all(n, curve, 1, 1);
  y.log = y.log && spans_all(n, curve, 0, 1);
  plot_set_axis(&f, "x", x);
  plot_set_axis(&f, "y", y);
  if (!x.log) { plot_set_digits_of(&f, "x", n, curve); }
  if (!y.log) { plot_set_digits_of(&f, "y", n, curve); }
  plot_all(&f, n, curve);
  return figure_close(&f, err);
}

/* ---- convergence ---- */

static int any_above_zero(int n, const plot_curve *c) {
  for (int i = 0; c && i < n; i++) {
    for (int k = 0; k < c[i].n; k++) {
      if (c[i].y[k] > 0) { return 1; }
    }
  }
  return 0;
}

mbd_status plot_convergence(figure_target *t, const char *over, const char *name, int n, const plot_curve *objective,
                            const plot_curve *violation, mbd_error *err) {
  figure f;
  const int two = any_above_zero(n, violation);
  MBD_TRY(plot_has_curves(n, objective, err));
  if (two && t->height <= 0) { t->height = 480; }
  MBD_TRY(figure_open(&f, t, err));
  if (two) { fputs("set multiplot layout 2,1\n", f.script); }
  fputs("set lmargin 12\n", f.script); /* so that the axes of both figures are aligned */
  plot_set_axis(&f, "y", (plot_axis){name, spans_all(n, objective, 0, 10)});
  if (!two) { plot_set_axis(&f, "x", (plot_axis){over, 0}); }
  plot_all(&f, n, objective);
  if (two) {
    fputs("unset logscale y\nunset key\n", f.script);
    plot_set_axis(&f, "x", (plot_axis){over, 0});
    plot_set_axis(&f, "y", (plot_axis){"violation", 1}); /* zeros, which a logarithmic axis cannot show, become gaps */
    plot_all(&f, n, violation);
    fputs("unset multiplot\n", f.script);
  }
  return figure_close(&f, err);
}

/* ---- bounds ---- */

static int has_place(double lower, double upper) {
  return isfinite(lower) && isfinite(upper) && upper > lower;
}

/* Returns 1 if the bounds are decades apart: then the place of a variable follows from its logarithm. */
static int spans_decades(double lower, double upper) {
  return lower > 0 && upper >= 100 * lower;
}

static double place_between(double lower, double upper, double x) {
  return spans_decades(lower, upper) && x > 0 ? log(x / lower) / log(upper / lower) : (x - lower) / (upper - lower);
}

/* Writes rows: number, place of the start, of the result, of the result if it is at a bound. Returns how many. */
static int places(figure *f, int n, const double *lower, const double *upper, const double *start,
                  const double *result) {
  int k = 0;
  figure_data(f);
  for (int i = 0; i < n; i++) {
    if (!has_place(lower[i], upper[i])) { continue; }
    const double from = place_between(lower[i], upper[i], start[i]), to = place_between(lower[i], upper[i], result[i]);
    const double width = upper[i] - lower[i], near = DESIGN_AT_BOUND * width; /* as in design_at_bound */
    const int at_bound = result[i] <= lower[i] + near || result[i] >= upper[i] - near;
    figure_number(f, ++k);
    figure_number(f, from);
    figure_number(f, to);
    figure_number(f, at_bound ? to : NAN);
    figure_row(f);
  }
  figure_data_end(f);
  return k;
}

static void name_rows(figure *f, const char *axis, int n, const char *const *name, const double *lower,
                      const double *upper) {
  int k = 0;
  fprintf(f->script, "set %stics (", axis);
  for (int i = 0; i < n; i++) {
    if (lower && !has_place(lower[i], upper[i])) { continue; }
    if (k++) { fputs(", ", f->script); }
    char *log_name = lower && spans_decades(lower[i], upper[i]) ? mbd_sprintf_dup("%s (log)", name[i]) : NULL;
    figure_quote(f, log_name ? log_name : name[i]);
    free(log_name);
    fprintf(f->script, " %d", k);
  }
  fputs(")\n", f->script);
}

/* Draws each variable as a row, from its lower bound (0) to its upper one (1). */
static void bars(figure *f) {
  fputs(
      "set xrange [-0.04:1.04]\nset xtics ('lower bound' 0, '' 0.25, 'middle' 0.5, '' 0.75, 'upper bound' 1)\n"
      "set border 1\nset grid noytics\n",
      f->script);
  fprintf(
      f->script,
      "plot $d1 using (0):1:(0):3:($1-0.28):($1+0.28) with boxxyerror lc rgb '%s' title 'result'"
      ", '' using 2:1:(0):(0.42) with vectors nohead lc rgb 'white' lw 3.5 notitle, '' using 2:1 with points pt 9 ps 1 "
      "lc rgb '#404040' title 'start', '' using 4:1 with points pt 6 ps 1.4 lw 2 lc rgb '%s' title 'at a bound'\n",
      FIGURE_AFTER, FIGURE_BOUND);
}

/* For too many variables for rows: draws each variable as a point over its number. */
static void dots(figure *f) {
  fputs(
      "set yrange [-0.04:1.04]\nset ytics ('lower bound' 0, 'middle' 0.5, 'upper bound' 1)\n"
      "set xlabel 'number of the variable'\n",
      f->script);
  fprintf(f->script,
          "plot $d1 using 1:2 with lines lc rgb '%s' lw 1.6 title 'start', '' using 1:3 with lines lc rgb '%s' lw 1.6 "
          "title 'result', '' using 1:4 with points pt 6 ps 0.7 lc rgb '%s' title 'at a bound'\n",
          FIGURE_BEFORE, FIGURE_AFTER, FIGURE_BOUND);
}

mbd_status plot_bounds(figure_target *t, int n, const char *const *name, const double *lower, const double *upper,
                       const double *start, const double *result, mbd_error *err) {
  figure f;
  int rows = 0;
  for (int i = 0; i < n; i++) { rows += has_place(lower[i], upper[i]); }
  if (rows == 0) { MBD_FAIL(err, MBD_BAD_INPUT, "no design variable has two bounds to lie between"); }
  if (t->height <= 0 && rows <= PLOT_MOST_BARS) { t->height = 80 + 26 * rows; }
  MBD_TRY(figure_open(&f, t, err));
  places(&f, n, lower, upper, start, result);
  if (rows <= PLOT_MOST_BARS) {
    name_rows(&f, "y", n, name, lower, upper);
    fprintf(f.script, "set yrange [%g:0.4]\n", rows + 0.6);
    bars(&f);
  } else {
    dots(&f);
  }
  return figure_close(&f, err);
}

/* ---- directions ---- */

static void components(figure *f, int n, int nname, const double *direction) {
  figure_data(f);
  for (int i = 0; i < n * nname; i++) {
    figure_number(f, i % nname + 1), figure_number(f, i / nname + 1), figure_number(f, direction[i]);
    figure_row(f);
  }
  figure_data_end(f);
}

/* Draws a field for each part of each direction, blue above zero and orange below, with its number where there is room. */
mbd_status plot_directions(figure_target *t, int n, const double *eigenvalue, int nname, const char *const *name,
                           const double *direction, mbd_error *err) {
  enum { MOST_NAMED = 12 }; /* with more variables, there is room for neither names nor numbers */
  figure f;
  if (t->height <= 0) { t->height = 110 + 30 * n; }
  MBD_TRY(figure_open(&f, t, err));
  components(&f, n, nname, direction);
  fprintf(f.script, "set xrange [0.5:%g]\nset yrange [%g:0.5]\nset border 0\nunset grid\nunset key\n", nname + 0.5,
          n + 0.5);
  fputs(
      "set palette defined (-1 '#d55e00', 0 '#ffffff', 1 '#0072b2')\nset cbrange [-1:1]\n"
      "set cblabel 'part in the direction'\nset ylabel 'eigenvalue'\nset ytics (",
      f.script);
  for (int i = 0; i < n; i++) { fprintf(f.script, "%s'%.3g' %d", i ? ", " : "", eigenvalue[i], i + 1); }
  fputs(")\nset tics scale 0\n", f.script);
  if (nname <= MOST_NAMED) {
    name_rows(&f, "x", nname, name, NULL, NULL);
  } else {
    fputs("set xlabel 'number of the variable'\n", f.script);
  }
  fputs("plot $d1 using 1:2:3 with image pixels", f.script);
  if (nname <= MOST_NAMED) {
    fputs(", '' using 1:2:(sprintf('%+.3f', $3)) with labels textcolor rgb '#303030'", f.script);
  }
  fputc('\n', f.script);
  return figure_close(&f, err);
}
