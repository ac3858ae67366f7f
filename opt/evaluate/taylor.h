/* The Taylor test of a gradient g along a direction d. The remainder
 *   r(h) = psi(x + h d) - psi(x) - h g.d = a h + b h^2 + c h^3 + ...
 * has no part of first order, a = 0, where g is right. */
#ifndef MBO_TAYLOR_H
#define MBO_TAYLOR_H

enum { TAYLOR_MOST = 16 };

typedef enum taylor_verdict {
  TAYLOR_RIGHT,     /* a is zero within what is known of it, which is much less than `size` */
  TAYLOR_WRONG,     /* a is not zero, or a remainder is no finite number */
  TAYLOR_UNDECIDED, /* a is not known well enough: rounding, or too few steps */
} taylor_verdict;

typedef struct taylor {
  /* by the caller */
  int n;                    /* steps, at most TAYLOR_MOST */
  double step[TAYLOR_MOST]; /* h > 0, falling */
  double rest[TAYLOR_MOST]; /* r(h), with its sign */
  double slope;             /* g.d */
  double noise;             /* of a remainder, by the rounding of psi */
  double slope_error;       /* of g.d where g is right */
  /* by taylor_judge */
  double first;  /* a; NaN with less than three steps, or one that is not finite */
  double error;  /* how well a is known, slope_error apart */
  double size;   /* what a is compared with: the derivative along d, or the change by the largest step per step */
  int by_change; /* the latter, where the derivative is no more than its error, as at a minimum */
  int clear;     /* the smallest step whose remainder is clear of noise, from 0; -1: none is */
  double order;  /* of the remainder between that step and the one before it; NaN if there are not two */
  taylor_verdict verdict;
} taylor;

/* Determines a by extrapolation of r(h)/h to h = 0 and judges it. The remainder as a whole does not tell: where b h^2 and c h^3 cancel, its
 * order may be anything although a = 0. */
void taylor_judge(taylor *t);

#endif
