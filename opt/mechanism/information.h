/* What samples tell of parameters: the information F = J'J of rows J that are divided by the deviations of their samples, the sum over all
 * samples, as a triangle R with R'R = F; and how precise estimates are that take them. Equations: theory.md §6 (6.40). */
#ifndef MBO_INFORMATION_H
#define MBO_INFORMATION_H

#include "mbd/status.h"

typedef struct information {
  int n, rows; /* parameters; rows in use of */
  double *A;   /* [2 n][n] */
} information;

mbd_status information_create(int n, information *out, mbd_error *err);
void information_free(information *i);

/* F := 0;  F += (weight row)' (weight row) for row [n];  F += that of `more`. Cost of a row: 4 n^2 operations. */
void information_clear(information *i);
void information_add_row(information *i, double weight, const double *row);
void information_add(information *i, const information *more);

/* What estimates from samples with this information are like, to first order. */
typedef struct information_precision {
  int n,
      determined; /* parameters; directions that are determined: the singular values above a billionth of the largest */
  double log_det; /* of F, over the directions that are determined */
  double trace;   /* of the covariance, over the same: the sum of their variances */
  double *s, *V;  /* [n] singular values of R, decreasing; [n][n]: row k is the direction of s[k] */
  double *deviation; /* [n] standard deviations of the parameters; INFINITY: not determined */
} information_precision;

mbd_status information_precision_create(int n, information_precision *out, mbd_error *err);
void information_precision_free(information_precision *p);

/* Sets all of p, of the same n. */
void information_judge(information *i, information_precision *p);

/* Inverts the symmetric positive definite S [n][n] in place; returns ln det S. */
double information_invert(int n, double *S);

#endif
