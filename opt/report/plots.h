/* The kinds of figures, from plain arrays; see figure.h for where they go and for their errors. NaN leaves a gap; where
 * nothing else is, MBD_NOT_FINITE. Names appear as they are. Nothing here depends on runs or studies. */
#ifndef MBO_PLOTS_H
#define MBO_PLOTS_H

#include "report/figure.h"

typedef enum plot_style {
  PLOT_LINE,
  PLOT_POINTS, /* a line with its points */
  PLOT_STEPS,  /* constant from each point to the next */
  PLOT_BEFORE, /* a line in the colour of what was before */
  PLOT_AFTER,
  PLOT_DOTS, /* points alone */
  PLOT_EDGE  /* a thin line at the edge of a band */
} plot_style;

typedef struct plot_curve {
  const char *title; /* NULL: none */
  plot_style style;
  int n;
  const double *x, *y; /* [n] */
} plot_curve;

typedef struct plot_axis {
  const char *label;
  int log; /* 1: logarithmic, where all numbers allow it */
} plot_axis;

/* Curves over one axis: sweeps of one variable, time histories before and after, a comparison's best objectives. */
mbd_status plot_curves(figure_target *t, plot_axis x, plot_axis y, int n, const plot_curve *curve, mbd_error *err);

/* Objectives, by their name with its unit, over designs or iterations, and below them violations, if any is above 0 (violation: [n], NULL: none). Axes are
 * logarithmic where that shows more: positive numbers over more than a decade. */
mbd_status plot_convergence(figure_target *t, const char *over, const char *name, int n, const plot_curve *objective,
                            const plot_curve *violation, mbd_error *err);

/* Where start and result [n] lie between the bounds [n], as bars; those at a bound are marked. Bounds above zero that are two decades apart
 * have a logarithmic row, named so. Variables without two finite
 * bounds have no place there and are left out; from PLOT_MOST_BARS on there is no room for names, and numbers stand for them.
 * MBD_BAD_INPUT: no variable has two bounds. */
enum { PLOT_MOST_BARS = 40 };
mbd_status plot_bounds(figure_target *t, int n, const char *const *name, const double *lower, const double *upper,
                       const double *start, const double *result, mbd_error *err);

/* Eigenvalues [n], increasing, and their directions [n][nname], unit vectors: the direction to which the objective is least sensitive comes first. */
mbd_status plot_directions(figure_target *t, int n, const double *eigenvalue, int nname, const char *const *name,
                           const double *direction, mbd_error *err);

/* Values on a grid of two variables: x [nx] and y [ny] increasing, z [ny][nx], as colours with contour lines, and the points
 * of the grid; best: number of one point that is marked (-1: none). */
mbd_status plot_contours(figure_target *t, plot_axis x, plot_axis y, plot_axis z, int nx, const double *xs, int ny,
                         const double *ys, const double *zs, int best, mbd_error *err);

/* The same for points anywhere, x, y, z [n], as coloured points. */
mbd_status plot_scatter(figure_target *t, plot_axis x, plot_axis y, plot_axis z, int n, const double *xs,
                        const double *ys, const double *zs, int best, mbd_error *err);

/* Many variables: a vertical axis for each, and a line through them for each of n runs, value [n][nname], in the colour of its
 * z [n]. Runs whose z is NaN are left out. range [nname][2]: the ends of every axis; NULL: the least and largest value. */
mbd_status plot_parallel(figure_target *t, int nname, const char *const *name, const double *range, plot_axis z, int n,
                         const double *value, const double *zs, mbd_error *err);

/* Performance and data profiles: share of problems solved [0, 1] over a ratio of costs (logarithmic to base 2) or over a
 * budget. Curves are steps from their first point on; each goes on to the right end. */
mbd_status plot_profiles(figure_target *t, plot_axis x, int n, const plot_curve *curve, mbd_error *err);

#endif
