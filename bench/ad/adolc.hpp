// A scalar that ADOL-C records: a number, and where it depends on the independents an adouble. Memory of zeros is the number zero. An
// adouble holds the place of its value on the tape, so bytes of it must not be copied or cleared: here memcpy and memset assign.
#ifndef BENCH_ADOLC_HPP
#define BENCH_ADOLC_HPP

// All headers whose functions copy bytes stand before memcpy and memset get their other meaning.
#include <adolc/adolc.h>
#include <adolc/interfaces.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>
#include <vector>

#include "common.hpp"

class bench_taped {
  double v;
  bool active;
  union {
    adouble a;
  };

 public:
  bench_taped() : v(0), active(false) {}
  bench_taped(double x) : v(x), active(false) {}
  bench_taped(const bench_taped &b) : v(b.v), active(b.active) {
    if (active) { new (&a) adouble(b.a); }
  }
  explicit bench_taped(const adub &b) : active(true) {
    new (&a) adouble(b);
    v = a.value();
  }
  ~bench_taped() { drop(); }

  bench_taped &operator=(const bench_taped &b) {
    if (this == &b) { return *this; }
    if (!b.active) {
      drop();
    } else if (active) {
      a = b.a;
    } else {
      new (&a) adouble(b.a);
    }
    v = b.v, active = b.active;
    return *this;
  }

  double value() const { return v; }
  bool is_active() const { return active; }
  const adouble &tape() const { return a; }

  void drop() {
    if (active) { a.~adouble(); }
    active = false;
  }
  void independent(double x) {
    drop();
    new (&a) adouble();
    a <<= x;
    v = x, active = true;
  }
  void dependent() {
    double x;
    if (!active) { new (&a) adouble(v), active = true; }
    a >>= x;
  }

#define BENCH_TAPED_ASSIGN(op) \
  bench_taped &operator op##=(const bench_taped &b) { return *this = *this op b; }
  friend bench_taped operator+(const bench_taped &x, const bench_taped &y);
  friend bench_taped operator-(const bench_taped &x, const bench_taped &y);
  friend bench_taped operator*(const bench_taped &x, const bench_taped &y);
  friend bench_taped operator/(const bench_taped &x, const bench_taped &y);
  BENCH_TAPED_ASSIGN(+)
  BENCH_TAPED_ASSIGN(-)
  BENCH_TAPED_ASSIGN(*)
  BENCH_TAPED_ASSIGN(/)
};

// An operation of two numbers records nothing.
#define BENCH_TAPED_BINARY(op)                                                             \
  inline bench_taped operator op(const bench_taped &x, const bench_taped &y) {             \
    if (x.active) { return bench_taped(y.active ? x.a op y.a : x.a op y.v); }              \
    return y.active ? bench_taped(x.v op y.a) : bench_taped(x.v op y.v);                   \
  }
BENCH_TAPED_BINARY(+)
BENCH_TAPED_BINARY(-)
BENCH_TAPED_BINARY(*)
BENCH_TAPED_BINARY(/)
inline bench_taped operator-(const bench_taped &x) {
  return x.is_active() ? bench_taped(-x.tape()) : bench_taped(-x.value());
}
inline bench_taped operator+(const bench_taped &x) {
  return x;
}
// What may be left out because it is zero is a number.
inline bool operator==(const bench_taped &x, double y) {
  return !x.is_active() && x.value() == y;
}
inline bool operator!=(const bench_taped &x, double y) {
  return !(x == y);
}

typedef bench_taped mbd_real;

static inline double mbd_re(double x) {
  return x;
}
static inline double mbd_re(const mbd_real &x) {
  return x.value();
}
#define BENCH_TAPED_FUNCTION(f)                                                             \
  static inline mbd_real mbd_##f(const mbd_real &x) {                                       \
    return x.is_active() ? bench_taped(f(x.tape())) : bench_taped((double)f(x.value()));    \
  }
BENCH_TAPED_FUNCTION(sin)
BENCH_TAPED_FUNCTION(cos)
BENCH_TAPED_FUNCTION(tan)
BENCH_TAPED_FUNCTION(exp)
BENCH_TAPED_FUNCTION(log)
BENCH_TAPED_FUNCTION(sqrt)
BENCH_TAPED_FUNCTION(asin)
BENCH_TAPED_FUNCTION(acos)
BENCH_TAPED_FUNCTION(atan)
static inline mbd_real mbd_hypot(const mbd_real &x, const mbd_real &y) {
  return mbd_sqrt(x * x + y * y);
}
static inline mbd_real mbd_atan2(const mbd_real &y, const mbd_real &x) {
  const double pi = 3.14159265358979323846;
  if (!x.is_active() && !y.is_active()) { return atan2(y.value(), x.value()); }
  if (fabs(x.value()) < fabs(y.value())) { return (y.value() > 0 ? pi / 2 : -pi / 2) - mbd_atan(x / y); }
  return mbd_atan(y / x) + (x.value() > 0 ? 0 : y.value() >= 0 ? pi : -pi);
}
static inline mbd_real mbd_pow(const mbd_real &x, const mbd_real &y) {
  if (!y.is_active()) {
    return x.is_active() ? bench_taped(pow(x.tape(), y.value())) : bench_taped(pow(x.value(), y.value()));
  }
  return mbd_exp(y * mbd_log(x));
}

template <class T> static inline T *ad_copy(T *to, const void *from, size_t bytes) {
  typedef std::remove_all_extents_t<T> item;
  if constexpr (std::is_trivially_copyable_v<item>) {
    std::memcpy((void *)to, from, bytes);
  } else {
    for (size_t i = 0; i < bytes / sizeof(item); i++) { ((item *)to)[i] = ((const item *)from)[i]; }
  }
  return to;
}
static inline void *ad_copy(void *to, const void *from, size_t bytes) {
  return std::memcpy(to, from, bytes);
}
template <class T> static inline void ad_clear(T *to, int, size_t bytes) {
  typedef std::remove_all_extents_t<T> item;
  if constexpr (std::is_trivially_copyable_v<item>) {
    std::memset((void *)to, 0, bytes);
  } else {
    for (size_t i = 0; i < bytes / sizeof(item); i++) { ((item *)to)[i] = item(); }
  }
}
static inline void ad_clear(void *to, int, size_t bytes) {
  std::memset(to, 0, bytes);
}
#define memcpy ad_copy
#define memset ad_clear

#endif
