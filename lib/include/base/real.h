/* The scalar of the residual path.
 *
 * The product build computes in `double`. The same sources built with MBD_COMPLEX compute in `double complex`: a
 * perturbation i*h of a coefficient then comes out as i*h*(derivative), with no subtraction and so no loss of
 * digits, for a whole simulation. Every hand-written derivative is compared with it (the referee). Branches depend on the real part.
 *
 * With MBD_SCALAR_HEADER, compiled as C++, the residual's sources compute with a class of that header: automatic differentiation, for
 * the comparison of tangents in bench/. */
#ifndef MBD_REAL_H
#define MBD_REAL_H

#include <math.h>

#if defined(MBD_SCALAR_HEADER) /* this header defines mbd_real and its functions: a class, in C++ (bench/ad) */
#include MBD_SCALAR_HEADER
#elif defined(MBD_COMPLEX)
#include <complex.h>
typedef double _Complex mbd_real;
#define mbd_re(x)   creal(x)
#define mbd_sin(x)  csin(x)
#define mbd_cos(x)  ccos(x)
#define mbd_exp(x)  cexp(x)
#define mbd_sqrt(x) csqrt(x)
#define mbd_log(x)  clog(x)
#define mbd_atan(x) catan(x)
#define mbd_tan(x)  ctan(x)
#define mbd_asin(x) casin(x)
#define mbd_acos(x) cacos(x)
/* Computes atan2 to first order in the imaginary parts, which a complex step needs. */
static inline mbd_real mbd_atan2(mbd_real y, mbd_real x) {
  double yr = creal(y), xr = creal(x);
  return atan2(yr, xr) + _Complex_I * ((xr * cimag(y) - yr * cimag(x)) / (xr * xr + yr * yr));
}
static inline mbd_real mbd_hypot(mbd_real x, mbd_real y) {
  const double r = hypot(creal(x), creal(y));
  return r > 0 ? r + _Complex_I * ((creal(x) * cimag(x) + creal(y) * cimag(y)) / r) : csqrt(x * x + y * y);
}
/* Computes x^y. A base below zero has whole exponents only; the derivative by the exponent is then taken as zero. */
static inline mbd_real mbd_pow(mbd_real x, mbd_real y) {
  const double a = creal(x), b = creal(y), value = pow(a, b);
  return value + _Complex_I * ((b == 0 ? 0 : b * pow(a, b - 1) * cimag(x)) + (a > 0 ? value * log(a) * cimag(y) : 0));
}
#undef I /* the sources use this letter for inertia */
#define MBD_IMAG_UNIT _Complex_I
#else
typedef double mbd_real;
#define mbd_re(x)       (x)
#define mbd_sin(x)      sin(x)
#define mbd_cos(x)      cos(x)
#define mbd_exp(x)      exp(x)
#define mbd_sqrt(x)     sqrt(x)
#define mbd_log(x)      log(x)
#define mbd_atan(x)     atan(x)
#define mbd_atan2(y, x) atan2(y, x)
#define mbd_tan(x)      tan(x)
#define mbd_asin(x)     asin(x)
#define mbd_acos(x)     acos(x)
#define mbd_hypot(x, y) hypot(x, y)
#define mbd_pow(x, y)   pow(x, y)
#endif

#define mbd_absre(x) fabs(mbd_re(x)) /* magnitude of the real part: for pivots, norms in tests, tolerances */

#endif
