/* What the kinds of figures share; see plots_pieces.c. */
#ifndef MBO_PLOTS_PIECES_H
#define MBO_PLOTS_PIECES_H

#include "report/plots.h"

/* A block of the pairs x [n], y [n]; returns its number. */
int plot_pairs(figure *f, int n, const double *x, const double *y);

/* Writes "set xlabel", and "set logscale" if the axis is logarithmic. */
void plot_set_axis(figure *f, const char *name, plot_axis a);

/* As many digits at the tics of a linear axis as tell them apart: more than usual where its numbers [n] differ late. */
void plot_set_digits(figure *f, const char *name, int n, const double *v);

/* "set xtics" at 1, 2, 5, ... where a logarithmic axis reaches over less than two decades, for it might have one number or none. */
void plot_log_tics(figure *f, const char *name, int n, const double *v);

/* Are there only numbers above 0 (of those that are numbers), at least two of them, the largest `ratio` times the least or
 * more? */
int plot_spans(int n, const double *v, double ratio);

/* MBD_NOT_FINITE: none of the n points has a number in every one of x, y, z (z: NULL for none). gnuplot draws no empty axes. */
mbd_status plot_has_points(int n, const double *x, const double *y, const double *z, mbd_error *err);

/* The same for curves: one point of one of them is enough. */
mbd_status plot_has_curves(int n, const plot_curve *c, mbd_error *err);

/* "plot" or a part of it: curve i of block `block` in its style and with its title. */
void plot_one(figure *f, const plot_curve *c, int block, int i);

/* "plot" with all curves; their data come first. */
void plot_all(figure *f, int n, const plot_curve *c);

/* The palette of values: from dark blue to yellow, readable without colours too. */
void plot_palette(figure *f);

#endif
