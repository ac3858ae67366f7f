/* The scalar of the residual path.
 *
 * The product build computes in `double`. The same sources built with MBD_COMPLEX compute in `double complex`: a
 * perturbation i*h of a coefficient then comes out as i*h*(derivative), with no subtraction and so no loss of
 * digits, for a whole simulation. Every hand-written derivative is compared with it (the referee).
 *
 * With MBD_DESIGNS = 2, 4 or 8 a scalar holds the numbers of that many designs, whose simulations run in lockstep (base/designs.h, mbd/lanes.h).
 *
 * With MBD_SCALAR_HEADER the sources compute with the type of that header: in bench/ a class of automatic differentiation, compiled as C++.
 *
 * Decisions depend on real parts. mbd_re(x) is an mbd_value, the real part of each design; a comparison of values is an mbd_truth, its
 * answer for each design. Neither is a number or a condition of C by itself. The sources make one of it by the word for what is decided:
 *   mbd_select(c, a, b)  Which formula holds? a where c is true, b where it is false, for each design by itself. Both are evaluated if
 *                        there are several designs: they have no side effects, and the one that does not hold may be NaN.
 *   mbd_if(c)            Which way does the algorithm go? All designs go together, so c has to be alike in all of them; several designs
 *                        that differ in it cannot go on in lockstep, and are computed one by one.
 *   mbd_any(c)           Is c true for at least one design? For failures (what one design cannot pass, all cannot), and for
 *                        work that one of them needs and that does no harm to the others.
 *   mbd_none(c)          Is c true for no design? For work that can be left out: a zero in all of them.
 *   mbd_largest(x)       The largest magnitude among the designs, NaN if there is one: for norms, tolerances and convergence.
 *   mbd_min(x)           The least magnitude, NaN if there is one: for pivots, which have to exceed a bound in all designs.
 *   mbd_same(x)          The real part, if it has to be alike in all designs: times, integers that are kept among scalars, roots that
 *                        are searched for. Several designs that differ in it are computed one by one.
 *   mbd_first(x)         The real part of the first design, whatever those of the others: for choices that are made once for all of
 *                        them and verified afterwards (independent rows and coordinates), and for what is shown (messages, observers).
 *                        Results that leave by the public interface are those of the first design, too; mbd/lanes.h has functions of its
 *                        own that hand them out, as the referee has.
 *   mbd_of(x, i)         The real part of design i: for what is looked at, and told, for each of them (loops from 0 to MBD_DESIGNS).
 *   mbd_apart()          Have several designs differed in an mbd_if or mbd_same?
 * mbd_abs(v) and mbd_round(v) are functions of values. With one design mbd_value is a double and mbd_truth an int, and each word is the plain expression of C. A test compiles the
 * sources with a vector of several designs, so that a decision without a word is an error (house_test_decisions). */
#ifndef MBD_REAL_H
#define MBD_REAL_H

#include <math.h>

#if defined(MBD_SCALAR_HEADER) /* this header defines mbd_real and its functions: a class, in C++ (bench/ad) */
#include MBD_SCALAR_HEADER
#elif defined(MBD_DESIGNS)
#include "base/designs.h"
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

#ifndef MBD_DESIGNS /* base/designs.h has the same words as functions */
#define MBD_DESIGNS 1
typedef double mbd_value;
typedef int mbd_truth;
#define mbd_select(c, a, b) ((c) ? (a) : (b))
#define mbd_if(c)           (c)
#define mbd_any(c)          (c)
#define mbd_none(c)         (!(c))
#define mbd_largest(x)      fabs(mbd_re(x))
#define mbd_min(x)          fabs(mbd_re(x))
#define mbd_same(x)         mbd_re(x)
#define mbd_first(x)        mbd_re(x)
#define mbd_of(x, i)        ((void)(i), mbd_re(x))
#define mbd_apart()         0
#define mbd_abs(v)          fabs(v)
#define mbd_round(v)        round(v)
#endif

#endif
