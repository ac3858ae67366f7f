/* History objectives: those that are computed after the run, from the histories of their outputs (mbd_term lists them).
 *
 * The history has a row for every point at which the objectives are evaluated: the nodes, or the Gauss points of
 * interpolated steps with both ends of the run. Between rows an output is a polynomial through its nearest rows. A history
 * objective is a function
 *   psi = F(y_0, ..., y_n)
 * of the rows of its slots. Slots are the outputs of its terms, the output that it is taken over, and those whose crossings end its window.
 * Gradients need dF/dy_k alone: direct differentiation adds dF/dy_k y_k', an adjoint passes dF/dy_k to the output at row k.
 *
 * Where the duration is free (mbd_case), the rows are at fixed values of the time tau = t/sigma, with sigma the stretch
 * of the time, whose value is 1. All times here are tau. The stretch changes quantities that are given in t: times of
 * windows, weights of integrals over time, settling times, and target curves.
 *
 *   history.c     rows, and the polynomials between them
 *   moment.c      times, and times of crossings, with their derivatives
 *   window.c      the points in a window, with their weights in integrals
 *   history_error.c  s = output - target at a point
 *   history_forms.c  the value of a form from s at the points, and its derivatives by s and by the weights
 *   measured.c    the form that compares an output with a measured series, at the times of its samples
 *   weighted_samples.c  the form that adds outputs at samples, each with a weight
 *   histories.c        memory; the chain rule from derivatives by points to those by rows and coefficients */
#ifndef MBD_HISTORY_H
#define MBD_HISTORY_H

#include "objective/objectives.h"

/* ---- history.c ---- */

enum { STENCIL = 6 };

/* A time tau of the run. Values of outputs there are weighted sums over the rows first .. first + n - 1. */
typedef struct history_point {
  mbd_real t;
  int first, n;
  mbd_real at[STENCIL], rate[STENCIL], bend[STENCIL]; /* weights of the value and of its two derivatives in time */
} history_point;

typedef struct history {
  int ncolumn, *column; /* [outputs] their places in a row; -1: none */
  int np, nbar;         /* largest number of directions; number of slots of all history objectives */
  int stencil;          /* rows that a polynomial goes through */
  int capacity, rows;
  int design;    /* of several, the one whose true values are read (true_values.c) */
  double *t, *q; /* [capacity] time; weight in integrals over the whole run */
  mbd_real *y;   /* [capacity][ncolumn] */
  mbd_real *yp;  /* [capacity][ncolumn][np] derivatives along directions */
  mbd_real *
      reverse; /* [capacity][nbar] after the run: derivative of the objective of each slot by the slot's value in the row */
  int back; /* in the adjoint pass through interpolated steps: the first row that has been visited */
} history;

/* Makes room for at least so many rows. MBD_NO_MEMORY. */
mbd_status history_reserve(history *h, int rows, mbd_error *err);
void history_release(history *h);

/* y of a column in a row. */
static inline mbd_real history_at_row(const history *h, int row, int column) {
  return h->y[(size_t)row * (size_t)h->ncolumn + (size_t)column];
}

/* history_cell: the cell that contains t, which lies between the rows cell and cell + 1. The others set a point of a cell, and that of a
 * row itself. */
int history_cell(const history *h, mbd_value t);
void history_point_at(const history *h, int cell, mbd_real t, history_point *p);
void history_point_of_row(const history *h, int row, history_point *p);
/* sum_j weight_j y_j of a column at a point; the same of its derivative along direction a. */
mbd_real history_sum(const history *h, const history_point *p, const mbd_real *weight, int column);
mbd_real history_sum_sens(const history *h, const history_point *p, const mbd_real *weight, int column, int a);

/* ---- a history objective ---- */

/* The beginning or the end of a window, or a time by itself, in the current run. */
typedef struct moment_time {
  const mbd_moment *is;
  const char *key;    /* its name in messages */
  int slot;           /* of the output that crosses; -1: a given time */
  mbd_real t;         /* [s] */
  history_point near; /* the point of a crossing */
  mbd_real rate;      /* the rate of the output at it */
  mbd_real reverse;   /* derivative of the objective by t */
} moment_time;

typedef struct history_objective {
  int psi, nterm, *term; /* [nterm] numbers of its terms */
  const mbd_term *k;     /* the first of them; they differ in output and target alone */
  const form_ops *form;
  int slot; /* of the first term; those of the others follow */
  int over; /* slot of the output that integrals run over; -1: they run over time */
  moment_time from, until, at;
  char label[32]; /* its name in messages, where the term has none */

  /* These belong to the current run. */
  int aligned, first,
      last;         /* 1: the window is a sum over the rows first .. last; 0: over parts of the cells first .. last */
  double direction; /* sign of dx in integrals over an output x */
  int zero, nzero;  /* zeros of s that split the window: zero .. zero + nzero - 1 of all */
  int looked_at;    /* the term of which a zero is looked for */
  const moment_time *searched; /* the moment of which a crossing is searched */
  mbd_real weight, sum, other; /* sums over the points, which history_forms.c defines */
  mbd_value top, other_top;
  mbd_real value;               /* of a quantile */
  mbd_real by_stretch;          /* after the run: derivative by ln sigma, */
  mbd_real by_delay, by_offset; /* and those by the delay and the offset of a measured series */
  moment_time settled;
} history_objective;

/* A time in the window at which s of a term changes its sign, where its integrand bends. */
typedef struct error_zero {
  int cell, term;
  moment_time at;
} error_zero;

struct sim_histories {
  history h;
  int n;
  history_objective *objective;
  int *slot_output;      /* [slots] */
  mbd_real *by_s;        /* [most terms] */
  mbd_real *s;           /* [most terms] */
  mbd_real *sp, *mean_p; /* [np] derivatives of s and of a mean, for Gauss-Newton matrices */
  mbd_real *sample;      /* [points][1 + terms] of quantiles; NULL: there is none */
  int nsample;           /* terms of the largest quantile */
  error_zero *zero;      /* [nzero] of all objectives, in the order of time within each */
  int nzero, zero_capacity;
  int *terms; /* terms of all objectives, one objective after the other */
  mbd_arena arena;
};

static inline const char *history_label(const history_objective *l) {
  return l->k->label ? l->k->label : l->label;
}

static inline int history_column(const sim_histories *histories, int slot) {
  return histories->h.column[histories->slot_output[slot]];
}

/* ---- history_error.c ---- */

/* history_target: the curve that term i subtracts; NULL: there is none. history_place: the abscissa at which it is read, the time t or the output
 * in its place, with the rate of this abscissa in tau. */
const mbd_curve *history_target(const mbd_sim *s, const history_objective *l, int i);
mbd_real history_place(const mbd_sim *s, const history_objective *l, const history_point *p, mbd_real *rate);

/* s of term i at a point. *rate: its derivative by tau; NULL: not wanted. */
mbd_real history_error(const mbd_sim *s, const history_objective *l, int i, const history_point *p, mbd_real *rate);

/* Sets the scratch sp [np] to the derivatives of s of term i at a point that is held. */
void history_error_sens(const mbd_sim *s, const history_objective *l, int i, const history_point *p);

/* matrix [np][np] += scale x x' */
static inline void history_add_product(int np, mbd_real scale, const mbd_real *x, mbd_real *matrix) {
  for (int a = 0; a < np; a++) {
    for (int b = 0; b < np; b++) { matrix[a * np + b] += scale * x[a] * x[b]; }
  }
}

/* ---- moment.c ---- */

/* Sets the time at which f is zero between lo and hi in a cell, where f has different signs at lo and hi. */
typedef mbd_real (*history_function)(const mbd_sim *s, const history_objective *l, const history_point *p,
                                     mbd_real *rate);
void history_root(const mbd_sim *s, const history_objective *l, history_function f, int cell, double lo, double hi,
                  moment_time *m);

/* Finds the times of all moments of an objective. MBD_OUT_OF_DOMAIN: one does not occur; the text has the range of the
 * search and the reason. */
mbd_status history_moments(const mbd_sim *s, history_objective *l, mbd_error *err);

/* ---- window.c ---- */

/* A point of the window. */
typedef struct window_point {
  history_point at;
  mbd_real w;               /* weight in integrals; over time it is the weight in tau times sigma */
  moment_time *begin, *end; /* the ends of its piece that are ends of the window or zeros, and move; NULL: rows */
  double t_begin, t_end;    /* derivatives of its time by these */
  mbd_real w_begin, w_end;  /* derivatives of w by these */
  mbd_real w_over[STENCIL]; /* derivatives of w by the rows of the output that the integral is over */
} window_point;

typedef struct window_walk {
  int i;          /* the next row, or the next point of the piece */
  int cell, zero; /* cells and zeros behind */
} window_walk;

/* Finds the rows or cells of the window. MBD_OUT_OF_DOMAIN: it is empty, or the output of `over` turns back within it. */
mbd_status history_window(const mbd_sim *s, history_objective *l, mbd_error *err);
/* Visits the points of the window, without zeros at most history_max_points: for (window_walk w = {0}; window_next(s, l, &w, &p);) */
int window_next(const mbd_sim *s, history_objective *l, window_walk *w, window_point *p);
static inline int history_max_points(int rows) {
  return 3 * rows;
}

/* ---- history_forms.c ---- */

/* psi without the weight of its objective; keeps in *l what history_slopes needs. */
mbd_status history_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err);

/* Gives the sink, for every point, the derivatives of psi by s of each term, by_s [nterm], and by the weight of the point, by_w. */
typedef void (*window_sink)(mbd_sim *s, history_objective *l, const window_point *p, const mbd_real *by_s,
                            mbd_real by_w, void *user);
void history_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user);

/* ---- measured.c ---- */

/* samples_check_times: MBD_BAD_INPUT if a time is no number or, without a delay, lies outside of the case. samples_inside, after the run:
 * MBD_OUT_OF_DOMAIN if the delay, or a duration that has become shorter, moves a sample out of it. */
mbd_status samples_check_times(const mbd_sim *s, const char *label, const mbd_samples *samples, mbd_error *err);
mbd_status samples_inside(const mbd_sim *s, const history_objective *l, mbd_error *err);
/* MBD_BAD_INPUT: there is no series, its times do not increase or lie outside of the case, or one of its numbers is out of range. */
mbd_status measured_check(const mbd_sim *s, const char *label, const mbd_samples *samples, mbd_error *err);
/* The form: its value (MBD_OUT_OF_DOMAIN: the delay takes a sample out of the run), its slopes, its matrix [np][np]. */
mbd_status measured_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err);
void measured_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user);
void measured_gauss_newton(const mbd_sim *s, const history_objective *l, mbd_real *matrix);
/* Add the contributions of the derivatives by delay and offset: to the gradient [np], or to `share` of an adjoint.
 * Nothing for other forms. */
void measured_gradient(const mbd_sim *s, const history_objective *l, mbd_real *grad);
void measured_back(const history_objective *l, double share, params_reverse *theta);
/* After a run: mbd_sim_measured. */
void measured_samples(const mbd_sim *s, const history_objective *l, double *y, double *yp);

/* ---- weighted_samples.c ---- */

/* MBD_BAD_INPUT: there are no samples or no weights, they have a delay or an offset, or their times lie outside of the case. */
mbd_status weighted_samples_check(const mbd_sim *s, const char *label, const mbd_samples *samples, mbd_error *err);
mbd_status weighted_samples_value(const mbd_sim *s, history_objective *l, mbd_real *psi, mbd_error *err);
void weighted_samples_slopes(mbd_sim *s, history_objective *l, window_sink sink, void *user);
/* Likewise: the samples y [n][terms] and, of a run with directions, their derivatives yp [n][terms][np]; each may be NULL. */
void weighted_samples_read(const mbd_sim *s, const history_objective *l, double *y, double *yp);

#endif
