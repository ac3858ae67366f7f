// A scalar with its derivatives along AD_LANES directions, carried through every operation: forward mode of automatic differentiation
// by operators, as source transformation would write it out. It may be copied and cleared as bytes.
#ifndef BENCH_DUAL_HPP
#define BENCH_DUAL_HPP

#include <cmath>
#include <cstring>

#include "common.hpp"

enum { AD_LANES = 8 }; /* AD_DIRECTIONS of ad.h */

struct bench_dual {
  double v, d[AD_LANES];

  bench_dual() = default;
  bench_dual(double x) : v(x) {
    for (int i = 0; i < AD_LANES; i++) { d[i] = 0; }
  }

  bench_dual &operator+=(const bench_dual &b) {
    v += b.v;
    for (int i = 0; i < AD_LANES; i++) { d[i] += b.d[i]; }
    return *this;
  }
  bench_dual &operator-=(const bench_dual &b) {
    v -= b.v;
    for (int i = 0; i < AD_LANES; i++) { d[i] -= b.d[i]; }
    return *this;
  }
  bench_dual &operator*=(const bench_dual &b) {
    for (int i = 0; i < AD_LANES; i++) { d[i] = d[i] * b.v + v * b.d[i]; }
    v *= b.v;
    return *this;
  }
  bench_dual &operator/=(const bench_dual &b) {
    const double r = 1 / b.v;
    v /= b.v;
    for (int i = 0; i < AD_LANES; i++) { d[i] = (d[i] - v * b.d[i]) * r; }
    return *this;
  }
  // Passive operands cost no directions.
  bench_dual &operator+=(double b) { return v += b, *this; }
  bench_dual &operator-=(double b) { return v -= b, *this; }
  bench_dual &operator*=(double b) {
    v *= b;
    for (int i = 0; i < AD_LANES; i++) { d[i] *= b; }
    return *this;
  }
  bench_dual &operator/=(double b) {
    v /= b;
    for (int i = 0; i < AD_LANES; i++) { d[i] /= b; }
    return *this;
  }
};

// f(a) with value v and slope f_a; f(a, b) likewise.
static inline bench_dual dual_chain(double v, double f_a, const bench_dual &a) {
  bench_dual r;
  r.v = v;
  for (int i = 0; i < AD_LANES; i++) { r.d[i] = f_a * a.d[i]; }
  return r;
}
static inline bench_dual dual_chain2(double v, double f_a, const bench_dual &a, double f_b, const bench_dual &b) {
  bench_dual r;
  r.v = v;
  for (int i = 0; i < AD_LANES; i++) { r.d[i] = f_a * a.d[i] + f_b * b.d[i]; }
  return r;
}

static inline bench_dual operator-(const bench_dual &a) { return dual_chain(-a.v, -1, a); }
static inline bench_dual operator+(const bench_dual &a) { return a; }
static inline bench_dual operator+(bench_dual a, const bench_dual &b) { return a += b; }
static inline bench_dual operator-(bench_dual a, const bench_dual &b) { return a -= b; }
static inline bench_dual operator*(const bench_dual &a, const bench_dual &b) {
  return dual_chain2(a.v * b.v, b.v, a, a.v, b);
}
static inline bench_dual operator/(bench_dual a, const bench_dual &b) { return a /= b; }
static inline bench_dual operator+(bench_dual a, double b) { return a += b; }
static inline bench_dual operator+(double a, bench_dual b) { return b += a; }
static inline bench_dual operator-(bench_dual a, double b) { return a -= b; }
static inline bench_dual operator-(double a, const bench_dual &b) { return dual_chain(a - b.v, -1, b); }
static inline bench_dual operator*(bench_dual a, double b) { return a *= b; }
static inline bench_dual operator*(double a, bench_dual b) { return b *= a; }
static inline bench_dual operator/(bench_dual a, double b) { return a /= b; }
static inline bench_dual operator/(double a, const bench_dual &b) {
  const double q = a / b.v;
  return dual_chain(q, -q / b.v, b);
}

// What may be left out because it is zero has no derivatives either.
static inline bool dual_is(const bench_dual &a, double b) {
  for (int i = 0; i < AD_LANES; i++) {
    if (a.d[i] != 0) { return false; }
  }
  return a.v == b;
}
static inline bool operator==(const bench_dual &a, double b) { return dual_is(a, b); }
static inline bool operator!=(const bench_dual &a, double b) { return !dual_is(a, b); }

typedef bench_dual mbd_real;

static inline double mbd_re(double x) { return x; }
static inline double mbd_re(const mbd_real &x) { return x.v; }
static inline mbd_real mbd_sin(const mbd_real &x) { return dual_chain(sin(x.v), cos(x.v), x); }
static inline mbd_real mbd_cos(const mbd_real &x) { return dual_chain(cos(x.v), -sin(x.v), x); }
static inline mbd_real mbd_exp(const mbd_real &x) { return dual_chain(exp(x.v), exp(x.v), x); }
static inline mbd_real mbd_sqrt(const mbd_real &x) {
  const double s = sqrt(x.v);
  return dual_chain(s, 0.5 / s, x);
}
static inline mbd_real mbd_log(const mbd_real &x) { return dual_chain(log(x.v), 1 / x.v, x); }
static inline mbd_real mbd_atan(const mbd_real &x) { return dual_chain(atan(x.v), 1 / (1 + x.v * x.v), x); }
static inline mbd_real mbd_tan(const mbd_real &x) {
  const double t = tan(x.v);
  return dual_chain(t, 1 + t * t, x);
}
static inline mbd_real mbd_asin(const mbd_real &x) { return dual_chain(asin(x.v), 1 / sqrt(1 - x.v * x.v), x); }
static inline mbd_real mbd_acos(const mbd_real &x) { return dual_chain(acos(x.v), -1 / sqrt(1 - x.v * x.v), x); }
static inline mbd_real mbd_atan2(const mbd_real &y, const mbd_real &x) {
  const double r2 = x.v * x.v + y.v * y.v;
  return dual_chain2(atan2(y.v, x.v), x.v / r2, y, -y.v / r2, x);
}
static inline mbd_real mbd_hypot(const mbd_real &x, const mbd_real &y) {
  const double r = hypot(x.v, y.v), by = r > 0 ? 1 / r : 0;
  return dual_chain2(r, x.v * by, x, y.v * by, y);
}
// A base below zero has whole exponents only, at which the exponent has no derivative.
static inline mbd_real mbd_pow(const mbd_real &x, const mbd_real &y) {
  const double value = pow(x.v, y.v);
  return dual_chain2(value, y.v == 0 ? 0 : y.v * pow(x.v, y.v - 1), x, x.v > 0 ? value * log(x.v) : 0, y);
}

#endif
