/* The Taylor test of a gradient g along a direction d. The remainder
 *   r(h) = psi(x + h d) - psi(x) - h g.d = a h + b h^2 + c h^3 + ...
 * has no term of first order, a = 0, if g is right. */
#ifndef MBO_TAYLOR_H
#define MBO_TAYLOR_H

enum { TAYLOR_MAX = 16 };

typedef enum taylor_verdict {
  TAYLOR_RIGHT,     /* a is zero within its error, which is much smaller than `size` */
  TAYLOR_WRONG,     /* a is not zero, or a remainder is not finite */
  TAYLOR_UNDECIDED, /* the error of a is too large, because of rounding or too few steps */
} taylor_verdict;

typedef struct taylor {
  /* set by the caller */
  int n;                        /* number of steps, at most TAYLOR_MAX */
  double step[TAYLOR_MAX];      /* h > 0, decreasing */
  double remainder[TAYLOR_MAX]; /* r(h), with its sign */
  double slope;                 /* g.d */
  double noise;                 /* rounding error of a remainder, from the rounding of psi */
  double slope_error;           /* error of g.d if g is right */
  /* set by taylor_judge */
  double first; /* a; NaN with less than three steps, or one that is not finite */
  double error; /* error of a, without slope_error */
  double
      size; /* the reference for a: the derivative along d, or the change of psi over the largest step, divided by this step */
  int by_change; /* 1: the latter, if the derivative does not exceed its error, as at a minimum */
  int clear;     /* number, from 0, of the smallest step whose remainder is well above the noise; -1: none */
  double order;  /* order of the remainder between that step and the previous one; NaN if there are not two */
  taylor_verdict verdict;
} taylor;

/* Determines a by extrapolation of r(h)/h to h = 0, and sets the verdict. The order of the whole remainder is no
 * criterion: where b h^2 and c h^3 cancel, it may have any value although a = 0. */
void taylor_judge(taylor *t);

#endif
