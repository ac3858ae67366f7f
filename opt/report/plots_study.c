/* Figures of many runs: contours, points, parallel coordinates, profiles. */
#include <math.h>
#include <stdlib.h>

#include "report/plots_pieces.h"

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Returns the *k numbers of v in ascending order, in new memory; NULL: no memory. */
static double *in_order(int n, const double *v, int *k) {
  double *order = malloc(((size_t)n + 1) * sizeof *order);
  *k = 0;
  for (int i = 0; order && i < n; i++) {
    if (isfinite(v[i])) { order[(*k)++] = v[i]; }
  }
  if (order) { qsort(order, (size_t)*k, sizeof *order, ascending); }
  return order;
}

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

/* Writes the label of the colours, "LABEL (from LEAST up to LARGEST)" if values lie beyond the fences. */
static void colour_range(figure *f, plot_axis z, int n, const double *order) {
  double end[2];
  char label[256], from[32] = "", to[32] = "";
  fences(order, n, z.log, end);
  if (end[0] > order[0]) { snprintf(from, sizeof from, " from %.4g", order[0]); }
  if (end[1] < order[n - 1]) { snprintf(to, sizeof to, " up to %.4g", order[n - 1]); }
  if (!*from && !*to) {
    plot_set_axis(f, "cb", z);
    return;
  }
  snprintf(label, sizeof label, "%s (%s%s)", z.label ? z.label : "", *from ? from + 1 : to + 1, *from ? to : "");
  plot_set_axis(f, "cb", (plot_axis){label, z.log});
  fprintf(f->script, "set cbrange [%.9g:%.9g]\n", end[0], end[1]);
}

/* Writes the colours of values: the palette, its label, logarithmic where that is wanted and possible. Returns the values in their order,
 * *k of them, to be freed; NULL: no memory. */
static double *values(figure *f, plot_axis z, int n, const double *zs, int *k) {
  double *order = in_order(n, zs, k);
  plot_palette(f);
  z.log = z.log && plot_spans(n, zs, 1 + 1e-6); /* gnuplot gives an empty range some width only where it is linear */
  if (order && *k) { colour_range(f, z, *k, order); }
  if (!z.log) { plot_set_digits(f, "cb", n, zs); }
  if (z.log) { fputs("set logscale z\n", f->script); }
  return order;
}

static void triple(figure *f, double x, double y, double z) {
  figure_number(f, x), figure_number(f, y), figure_number(f, z);
  figure_row(f);
}

/* Writes the marked point as a block of data. Returns 0 if there is none. */
static int marked(figure *f, int best, double x, double y, double z) {
  if (best < 0) { return 0; }
  const int block = figure_data(f);
  triple(f, x, y, z);
  figure_data_end(f);
  return block;
}

/* Writes axes, which are logarithmic only if their numbers allow it. */
static void plane(figure *f, plot_axis x, int nx, const double *xs, plot_axis y, int ny, const double *ys) {
  x.log = x.log && plot_spans(nx, xs, 1);
  y.log = y.log && plot_spans(ny, ys, 1);
  plot_set_axis(f, "x", x);
  plot_set_axis(f, "y", y);
  (x.log ? plot_log_tics : plot_set_digits)(f, "x", nx, xs);
  (y.log ? plot_log_tics : plot_set_digits)(f, "y", ny, ys);
}

/* Writes colours, and contour lines between equally many points each, which resolve flat regions as well as peaks. */
static void contour_levels(figure *f, plot_axis z, int n, const double *zs) {
  enum { LINES = 11 };
  int k;
  double *order = values(f, z, n, zs, &k);
  for (int i = 1; order && k && i <= LINES; i++) {
    fprintf(f->script, "%s%.9g", i > 1 ? "," : "set cntrparam levels discrete ", order[(long)i * k / (LINES + 1)]);
  }
  fputc('\n', f->script);
  free(order);
}

/* Draws colours between the points of the grid, contour lines, the points themselves, and a mark at the best one. */
mbd_status plot_contours(figure_target *t, plot_axis x, plot_axis y, plot_axis z, int nx, const double *xs, int ny,
                         const double *ys, const double *zs, int best, mbd_error *err) {
  enum { FINE = 40 }; /* fields along an axis, at least: coarse grids are interpolated */
  figure f;
  MBD_TRY(plot_has_points(nx * ny, zs, zs, NULL, err));
  if (t->height <= 0) { t->height = 420; }
  MBD_TRY(figure_open(&f, t, err));
  plane(&f, x, nx, xs, y, ny, ys);
  contour_levels(&f, z, nx * ny, zs);
  figure_data(&f);
  for (int i = 0; i < ny; i++) {
    for (int j = 0; j < nx; j++) { triple(&f, xs[j], ys[i], zs[i * nx + j]); }
    figure_row(&f);
  }
  figure_data_end(&f);
  const int mark =
      marked(&f, best, best < 0 ? 0 : xs[best % nx], best < 0 ? 0 : ys[best / nx], best < 0 ? 0 : zs[best]);
  fprintf(f.script,
          "set view map\nset pm3d corners2color mean interpolate %d,%d\nset contour base\n"
          "unset clabel\nset border 15\nset autoscale fix\nunset grid\nset key inside top right opaque\n"
          "splot $d1 using 1:2:3 with pm3d nocontour notitle"
          ", '' using 1:2:3 with lines lc rgb '#303030' lw 0.6 nosurface notitle"
          ", '' using 1:2:3 with points pt 7 ps 0.15 lc rgb '#ffffff' nocontour notitle",
          (FINE + nx - 1) / nx, (FINE + ny - 1) / ny);
  if (mark) {
    fprintf(f.script, ", $d%d using 1:2:3 with points pt 6 ps 1.4 lw 2.5 lc rgb '%s' nocontour title 'best'", mark,
            FIGURE_BOUND);
  }
  fputc('\n', f.script);
  return figure_close(&f, err);
}

mbd_status plot_scatter(figure_target *t, plot_axis x, plot_axis y, plot_axis z, int n, const double *xs,
                        const double *ys, const double *zs, int best, mbd_error *err) {
  enum { MANY = 2000 }; /* points that would hide each other */
  figure f;
  MBD_TRY(plot_has_points(n, xs, ys, zs, err));
  if (t->height <= 0) { t->height = 420; }
  MBD_TRY(figure_open(&f, t, err));
  plane(&f, x, n, xs, y, n, ys);
  int k;
  free(values(&f, z, n, zs, &k));
  figure_data(&f);
  for (int i = 0; i < n; i++) { triple(&f, xs[i], ys[i], zs[i]); }
  figure_data_end(&f);
  const int mark = marked(&f, best, best < 0 ? 0 : xs[best], best < 0 ? 0 : ys[best], 0);
  fprintf(f.script, "plot $d1 using 1:2:3 with points pt 7 ps %g lc palette notitle", n > MANY ? 0.3 : 0.7);
  if (mark) {
    fprintf(f.script, ", $d%d using 1:2 with points pt 6 ps 1.4 lw 2 lc rgb '%s' title 'best'", mark, FIGURE_BOUND);
  }
  fputc('\n', f.script);
  return figure_close(&f, err);
}

/* ---- parallel coordinates ---- */

/* Sets every axis from the least to the largest of its values, if nothing else is wanted; one that has a single value gets some
 * width, because gnuplot refuses an empty range. */
static void ranges(figure *f, int nname, const double *range, int n, const double *value, const double *zs) {
  for (int j = 0; j < nname; j++) {
    double low = range ? range[2 * j] : INFINITY, high = range ? range[2 * j + 1] : -INFINITY;
    for (int i = 0; i < n && !range; i++) {
      if (!isfinite(zs[i]) || !isfinite(value[i * nname + j])) { continue; }
      low = fmin(low, value[i * nname + j]), high = fmax(high, value[i * nname + j]);
    }
    if (!isfinite(low)) { low = 0, high = 1; }
    const double room = high > low ? 0 : low != 0 ? 0.5 * fabs(low) : 1;
    fprintf(f->script, "set paxis %d range [%.17g:%.17g]\n", j + 1, low - room, high + room);
    fprintf(f->script, "set paxis %d tics ('%.4g' %.17g, '%.4g' %.17g)\n", j + 1, low, low, high, high);
  }
}

static void name_axes(figure *f, int nname, const char *const *name) {
  fputs("set xtics (", f->script);
  for (int j = 0; j < nname; j++) {
    if (j) { fputs(", ", f->script); }
    figure_quote(f, name[j]);
    fprintf(f->script, " %d", j + 1);
  }
  fputs(") scale 0 offset 0,-0.4\n", f->script);
}

typedef struct run {
  double z;
  const double *value;
} run;

static int larger_first(const void *a, const void *b) {
  const double x = ((const run *)a)->z, y = ((const run *)b)->z;
  return (x < y) - (x > y);
}

/* Writes the rows of z and values; those with the least z last, since they are drawn over the others. */
static mbd_status runs(figure *f, int nname, int n, const double *value, const double *zs, mbd_error *err) {
  run *order = calloc((size_t)n + 1, sizeof *order);
  int k = 0;
  if (!order) { MBD_FAIL(err, MBD_NO_MEMORY, "no memory for a figure of %d runs", n); }
  for (int i = 0; i < n; i++) {
    if (isfinite(zs[i])) { order[k++] = (run){zs[i], value + (size_t)i * (size_t)nname}; }
  }
  qsort(order, (size_t)k, sizeof *order, larger_first);
  figure_data(f);
  for (int i = 0; i < k; i++) {
    figure_number(f, order[i].z);
    for (int j = 0; j < nname; j++) { figure_number(f, order[i].value[j]); }
    figure_row(f);
  }
  figure_data_end(f);
  free(order);
  return MBD_OK;
}

/* Writes the runs as a block of data, and one parallel axis for each variable. */
mbd_status plot_parallel(figure_target *t, int nname, const char *const *name, const double *range, plot_axis z, int n,
                         const double *value, const double *zs, mbd_error *err) {
  figure f;
  MBD_TRY(plot_has_points(n, zs, zs, NULL, err));
  MBD_TRY(figure_open(&f, t, err));
  int k;
  free(values(&f, z, n, zs, &k));
  mbd_status status = runs(&f, nname, n, value, zs, err);
  if (status != MBD_OK) {
    figure_abort(&f);
    return status;
  }
  /* the axes, and a curve through all of them for each run, coloured by z */
  ranges(&f, nname, range, n, value, zs);
  name_axes(&f, nname, name);
  fprintf(f.script, "set xrange [0.7:%g]\nset border 0\nunset ytics\nunset grid\nset key off\nplot ", nname + 0.3);
  for (int j = 0; j < nname; j++) {
    fprintf(f.script, "%s using %d%s with parallelaxes%s", j ? ", ''" : "$d1", j + 2, j ? "" : ":1",
            j ? "" : " lw 0.8 lc palette");
  }
  fputc('\n', f.script);
  return figure_close(&f, err);
}

/* ---- profiles ---- */

/* Returns the largest x of all curves, to which each of them is extended. */
static double right_end(int n, const plot_curve *c) {
  double end = 0;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < c[i].n; k++) {
      if (isfinite(c[i].x[k])) { end = fmax(end, c[i].x[k]); }
    }
  }
  return end;
}

static void steps(figure *f, const plot_curve *c, double end) {
  figure_data(f);
  for (int k = 0; k < c->n; k++) {
    figure_number(f, c->x[k]), figure_number(f, c->y[k]);
    figure_row(f);
  }
  if (c->n) { figure_number(f, end), figure_number(f, c->y[c->n - 1]), figure_row(f); }
  figure_data_end(f);
}

mbd_status plot_profiles(figure_target *t, plot_axis x, int n, const plot_curve *curve, mbd_error *err) {
  figure f;
  MBD_TRY(figure_open(&f, t, err));
  const double end = 1.05 * right_end(n, curve); /* so that a last step is seen */
  plot_set_axis(&f, "x", (plot_axis){x.label, 0});
  figure_label(&f, "ylabel", "share of problems solved");
  if (x.log) { fputs("set logscale x 2\nset format x '%g'\n", f.script); }
  fputs("set yrange [0:1.03]\nset style data steps\n", f.script);
  for (int i = 0; i < n; i++) { steps(&f, &curve[i], end); }
  for (int i = 0; i < n; i++) {
    const plot_curve c = {.title = curve[i].title, .style = PLOT_STEPS};
    plot_one(&f, &c, i + 1, i);
  }
  fputc('\n', f.script);
  return figure_close(&f, err);
}
