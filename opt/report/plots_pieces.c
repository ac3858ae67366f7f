#include "report/plots_pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int plot_pairs(figure *f, int n, const double *x, const double *y) {
  const int block = figure_data(f);
  for (int i = 0; i < n; i++) {
    figure_number(f, x[i]);
    figure_number(f, y[i]);
    figure_row(f);
  }
  figure_data_end(f);
  return block;
}

/* Sets the label of an axis; a label that is too long for a vertical axis is written above the figure. */
void plot_set_axis(figure *f, const char *name, plot_axis a) {
  enum { FITS = 44 }; /* characters that fit beside a vertical axis */
  char what[16];
  snprintf(what, sizeof what, "%slabel", name);
  figure_label(f, a.label && strlen(a.label) > FITS && strcmp(name, "x") != 0 ? "title" : what, a.label);
  if (a.log) { fprintf(f->script, "set logscale %s\nset format %s '%%g'\n", name, name); }
}

void plot_set_digits(figure *f, const char *name, int n, const double *v) {
  enum { USUAL = 6, MOST = 15, TICS = 8 };
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < n; i++) {
    if (isfinite(v[i])) { low = fmin(low, v[i]), high = fmax(high, v[i]); }
  }
  const double size = fmax(fabs(low), fabs(high));
  if (!(high > low) || !isfinite(size)) { return; }
  const int digits = (int)ceil(log10(size * TICS / (high - low))) + 1;
  if (digits > USUAL) { fprintf(f->script, "set format %s '%%.%dg'\n", name, digits < MOST ? digits : MOST); }
}

int plot_spans(int n, const double *v, double ratio) {
  double least = INFINITY, largest = 0;
  for (int i = 0; i < n; i++) {
    if (!isfinite(v[i])) { continue; }
    if (v[i] <= 0) { return 0; }
    least = fmin(least, v[i]), largest = fmax(largest, v[i]);
  }
  return largest > 0 && largest >= ratio * least;
}

/* Writes labels at the listed digits of each decade that lie in the range of the numbers. */
void plot_log_tics(figure *f, const char *name, int n, const double *v) {
  static const double few[] = {1, 2, 5}, many[] = {1, 1.5, 2, 3, 4, 5, 6, 8};
  double low = INFINITY, high = 0;
  for (int i = 0; i < n; i++) {
    if (isfinite(v[i])) { low = fmin(low, v[i]), high = fmax(high, v[i]); }
  }
  if (!(low > 0) || high >= 100 * low) { return; }
  const int dense = high < 10 * low, count = dense ? 8 : 3;
  const double *digit = dense ? many : few;
  fprintf(f->script, "set %stics (", name);
  int written = 0;
  for (double decade = pow(10, floor(log10(low))); decade <= high; decade *= 10) {
    for (int k = 0; k < count; k++) {
      const double x = digit[k] * decade;
      if (x >= low * (1 - 1e-9) && x <= high * (1 + 1e-9)) {
        fprintf(f->script, "%s'%g' %.9g", written++ ? ", " : "", x, x);
      }
    }
  }
  fputs(written ? ")\n" : "'' 1)\n", f->script);
}

static int points_in(int n, const double *x, const double *y, const double *z) {
  int count = 0;
  for (int i = 0; i < n; i++) { count += isfinite(x[i]) && isfinite(y[i]) && (!z || isfinite(z[i])); }
  return count;
}

static mbd_status nothing(mbd_error *err) {
  MBD_FAIL(err, MBD_NOT_FINITE, "there is no number to be drawn");
}

mbd_status plot_has_points(int n, const double *x, const double *y, const double *z, mbd_error *err) {
  return points_in(n, x, y, z) ? MBD_OK : nothing(err);
}

mbd_status plot_has_curves(int n, const plot_curve *c, mbd_error *err) {
  int count = 0;
  for (int i = 0; i < n; i++) { count += points_in(c[i].n, c[i].x, c[i].y, NULL); }
  return count ? MBD_OK : nothing(err);
}

/* Writes style and title; curves without a colour of their own get line type i + 1. */
void plot_one(figure *f, const plot_curve *c, int block, int i) {
  static const char *const with[] = {"lines", "linespoints", "steps", "lines", "lines", "points", "lines"};
  fprintf(f->script, "%s $d%d using 1:2 with %s ", i ? "," : "plot", block, with[c->style]);
  if (c->style == PLOT_BEFORE) {
    fprintf(f->script, "lc rgb '%s' lw 1.6 dt 1 ", FIGURE_BEFORE);
  } else if (c->style == PLOT_AFTER) {
    fprintf(f->script, "lc rgb '%s' lw 1.8 dt 1 ", FIGURE_AFTER);
  } else if (c->style == PLOT_DOTS) {
    fprintf(f->script, "pt 7 ps 0.4 lc rgb '%s' ", FIGURE_BEFORE);
  } else if (c->style == PLOT_EDGE) {
    fprintf(f->script, "lc rgb '%s' lw 0.8 dt 2 ", FIGURE_AFTER);
  } else {
    fprintf(f->script, "lt %d ", i + 1);
  }
  if (c->title) {
    fputs("title ", f->script);
    figure_quote(f, c->title);
  } else {
    fputs("notitle", f->script);
  }
}

void plot_all(figure *f, int n, const plot_curve *c) {
  const int first = f->nblock + 1;
  for (int i = 0; i < n; i++) { plot_pairs(f, c[i].n, c[i].x, c[i].y); }
  for (int i = 0; i < n; i++) { plot_one(f, &c[i], first + i, i); }
  fputc('\n', f->script);
}

void plot_palette(figure *f) {
  fputs(
      "set palette defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', 3 '#2c718e', 4 '#21908d', 5 '#27ad81', "
      "6 '#5cc863', 7 '#aadc32', 8 '#fde725')\n",
      f->script);
}
