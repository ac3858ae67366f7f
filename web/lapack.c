/* The few functions of LAPACK and of the BLAS whose sources are Fortran 90, which f2c does not translate: scripts/web puts them beside those that it does. The
 * names and arguments are those of the reference implementation (netlib.org/lapack); integer is int there. */
#include <float.h>
#include <math.h>
#include <stdio.h>

double dlamch_(const char *what, int length);
void dlartg_(const double *f, const double *g, double *c, double *s, double *r);
void dlassq_(const int *n, const double *x, const int *step, double *scale, double *square);
double dnrm2_(const int *n, const double *x, const int *step);
void xerbla_(const char *routine, const int *argument, int length);

/* Numbers of the arithmetic: E relative rounding, S least number with a finite inverse, B base, P = E B, O largest number; others are not asked for. */
double dlamch_(const char *what, int length) {
  (void)length;
  switch (*what | 32) {
  case 'e': return DBL_EPSILON / 2;
  case 's': return DBL_MIN;
  case 'b': return FLT_RADIX;
  case 'p': return DBL_EPSILON;
  case 'o': return DBL_MAX;
  default: return NAN;
  }
}

/* [c s; -s c] [f; g] = [r; 0], with r of the sign of f. */
void dlartg_(const double *f, const double *g, double *c, double *s, double *r) {
  const double length = hypot(*f, *g);
  if (*g == 0) {
    *c = 1, *s = 0, *r = *f;
  } else if (*f == 0) {
    *c = 0, *s = copysign(1, *g), *r = fabs(*g);
  } else {
    *r = copysign(length, *f);
    *c = fabs(*f) / length, *s = *g / *r;
  }
}

/* scale^2 square += sum of x_i^2, without overflow. */
void dlassq_(const int *n, const double *x, const int *step, double *scale, double *square) {
  const double *at = *step < 0 ? x - (*n - 1) * *step : x;
  for (int i = 0; i < *n; i++, at += *step) {
    const double size = fabs(*at);
    if (size > *scale) {
      *square = 1 + *square * (*scale / size) * (*scale / size);
      *scale = size;
    } else if (size > 0 || isnan(size)) {
      *square += (size / *scale) * (size / *scale);
    }
  }
}

double dnrm2_(const int *n, const double *x, const int *step) {
  double scale = 0, square = 1;
  dlassq_(n, x, step, &scale, &square);
  return scale * sqrt(square);
}

void xerbla_(const char *routine, const int *argument, int length) {
  fprintf(stderr, "mbopt: LAPACK: argument %d of %.*s is wrong\n", *argument, length, routine);
}
