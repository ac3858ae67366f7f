/* For authors of forces: a C file that `mbopt plugin` compiles includes this header. docs/my_own_force.md writes such a file step by step.
 *
 * `mbopt plugin` compiles the file several times, each time with another type `scalar`: double; double complex; and, if the file is valid
 * C++ as well, numbers that carry derivatives. The force is therefore computed with `scalar` and with the functions of this header (s_sqrt,
 * s_sin, ...). A branch depends on s_re(x), the real part of a number. Coefficients have the type `coefficient`, which mixes with scalars.
 *
 *   static void force(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], scalar f[][3], scalar output[])
 *
 * x, xd    [arguments][3] arguments and their rates, in the global frame, in SI units. A rotation has its angular velocity xd alone [rad/s]; a
 *          coordinate is the first of its three numbers, and so is the value of an expression, which has no rate
 * t        time [s]
 * c        coefficients in the order of their table; a coefficient of size 3 takes three places
 * f        out: [arguments][3] the force on each argument, zero on entry. Its power is the sum of f . xd; so f is a moment on a rotation.
 *          Nothing acts on the value of an expression
 * output   out: outputs in the order of their table, zero on entry; NULL if they are not wanted
 *
 * Several threads may call the function at once, so it must not keep variables between calls. The file ends with
 *   MBD_USER_FORCE(name, doc, references, arguments, coefficients, outputs, force)
 * Each table ends with an empty row, {0}, except the arguments, which are counted. An author who has derivatives writes instead
 *   MBD_USER_FORCE_OWN(name, doc, references, arguments, coefficients, outputs, force, slopes, along)
 *   static void slopes(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], const mbd_slopes *J)
 *       sets *by_x(J, r, b, j) to the derivative of result r by x[b][j], and *by_xd(J, r, b, j) to that by xd[b][j]. Results are f[0][0],
 *       f[0][1], ..., then the outputs (if J->outputs is not 0). All derivatives are zero on entry
 *   static void along(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], scalar dt,
 *                     const coefficient dc[], scalar df[][3], scalar doutput[])
 *       sets df and doutput (NULL if outputs are not wanted) to the change of the results if the time changes by dt and the coefficients by
 *       dc; both are zero on entry */
#ifndef MBD_PLUGIN_H
#define MBD_PLUGIN_H

#include "mbd/user_force.h"

#define MBD_HIDDEN __attribute__((visibility("hidden")))
#define MBD_UNUSED __attribute__((unused))

/* Products and quotients of complex numbers are computed by their formulas, as in the program itself. The treatment of infinite numbers that
 * the C standard demands costs more than the formulas. */
#if defined(MBD_PLUGIN_COMPLEX) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("cx-limited-range")
#endif

/* ---- numbers without derivatives: mbd_base, whose real part is mbd_base_re ---- */

#if defined(__cplusplus)
#include <cmath>
#include <complex>
#else
#include <math.h>
#endif

#if defined(__cplusplus) && defined(MBD_PLUGIN_COMPLEX)
typedef std::complex<double> mbd_base;
static inline double mbd_base_re(mbd_base x) {
  return x.real();
}
/* f(x) from the real value and slope of f: exact to first order in the imaginary part, which is so small that higher orders vanish */
static inline mbd_base mbd_base_of(double value, double slope, mbd_base x) {
  return mbd_base(value, slope * x.imag());
}
#elif defined(MBD_PLUGIN_COMPLEX)
typedef double _Complex mbd_base;
static inline double mbd_base_re(mbd_base x) {
  return __real__ x;
}
static inline mbd_base mbd_base_of(double value, double slope, mbd_base x) {
  return __builtin_complex(value, slope * __imag__ x);
}
#else
typedef double mbd_base;
static inline double mbd_base_re(mbd_base x) {
  return x;
}
static inline mbd_base mbd_base_of(double value, double slope, mbd_base x) {
  (void)slope, (void)x;
  return value;
}
#endif

/* Functions of one number: name, value and slope at the double r, and the slope as a formula of the mbd_base b. */
#define MBD_FUNCTIONS(X)                                                             \
  X(sqrt, sqrt(r), 0.5 / sqrt(r), 0.5 / mbd_base_sqrt(b))                            \
  X(sin, sin(r), cos(r), mbd_base_cos(b))                                            \
  X(cos, cos(r), -sin(r), -mbd_base_sin(b))                                          \
  X(tan, tan(r), 1 + tan(r) * tan(r), 1.0 + mbd_base_tan(b) * mbd_base_tan(b))       \
  X(asin, asin(r), 1 / sqrt(1 - r * r), 1.0 / mbd_base_sqrt(1.0 - b * b))            \
  X(acos, acos(r), -1 / sqrt(1 - r * r), -1.0 / mbd_base_sqrt(1.0 - b * b))          \
  X(atan, atan(r), 1 / (1 + r * r), 1.0 / (1.0 + b * b))                             \
  X(exp, exp(r), exp(r), mbd_base_exp(b))                                            \
  X(log, log(r), 1 / r, 1.0 / b)                                                     \
  X(sinh, sinh(r), cosh(r), mbd_base_cosh(b))                                        \
  X(cosh, cosh(r), sinh(r), mbd_base_sinh(b))                                        \
  X(tanh, tanh(r), 1 - tanh(r) * tanh(r), 1.0 - mbd_base_tanh(b) * mbd_base_tanh(b)) \
  X(abs, fabs(r), (r > 0) - (r < 0), mbd_base_of((mbd_base_re(b) > 0) - (mbd_base_re(b) < 0), 0, b))

/* In C++ the functions of real numbers in these formulas may be those of std. */
#define X(name, value, slope, formula)                            \
  static inline MBD_UNUSED mbd_base mbd_base_##name(mbd_base x) { \
    const double r = mbd_base_re(x);                              \
    return mbd_base_of(value, slope, x);                          \
  }
MBD_FUNCTIONS(X)
#undef X

/* x^y. A base that is not positive requires a whole exponent; the derivative by the exponent is then taken as zero. */
static inline MBD_UNUSED mbd_base mbd_base_pow(mbd_base x, mbd_base y) {
  const double r = mbd_base_re(x), e = mbd_base_re(y), value = pow(r, e);
  const mbd_base by_x = mbd_base_of(value, e == 0 ? 0 : e * pow(r, e - 1), x);
  return by_x + (mbd_base_of(0, r > 0 ? value * log(r) : 0, y));
}
static inline MBD_UNUSED mbd_base mbd_base_atan2(mbd_base y, mbd_base x) {
  const double u = mbd_base_re(y), v = mbd_base_re(x), square = u * u + v * v;
  return mbd_base_of(atan2(u, v), v / square, y) + mbd_base_of(0, -u / square, x);
}

/* ---- scalars ---- */

#if defined(MBD_PLUGIN_DUAL) && defined(__cplusplus)

/* A number and its derivatives along MBD_PLUGIN_DUAL directions. */
enum { MBD_DIRECTIONS = MBD_PLUGIN_DUAL };

class scalar {
 public:
  mbd_base v, d[MBD_DIRECTIONS];
  scalar() : v(0), d() {}
  scalar(double value) : v(value), d() {}
#ifdef MBD_PLUGIN_COMPLEX
  scalar(mbd_base value) : v(value), d() {}
#endif
  scalar &operator+=(const scalar &b);
  scalar &operator-=(const scalar &b);
  scalar &operator*=(const scalar &b);
  scalar &operator/=(const scalar &b);
};

static inline scalar mbd_chain(mbd_base v, mbd_base v_a, const scalar &a) {
  scalar r;
  r.v = v;
  for (int k = 0; k < MBD_DIRECTIONS; k++) { r.d[k] = v_a * a.d[k]; }
  return r;
}
static inline scalar mbd_chain2(mbd_base v, mbd_base v_a, const scalar &a, mbd_base v_b, const scalar &b) {
  scalar r;
  r.v = v;
  for (int k = 0; k < MBD_DIRECTIONS; k++) { r.d[k] = v_a * a.d[k] + v_b * b.d[k]; }
  return r;
}

static inline scalar operator+(const scalar &a) {
  return a;
}
static inline scalar operator-(const scalar &a) {
  return mbd_chain(-a.v, -1.0, a);
}
static inline scalar operator+(const scalar &a, const scalar &b) {
  scalar r = a;
  return r += b;
}
static inline scalar operator-(const scalar &a, const scalar &b) {
  scalar r = a;
  return r -= b;
}
static inline scalar operator*(const scalar &a, const scalar &b) {
  return mbd_chain2(a.v * b.v, b.v, a, a.v, b);
}
static inline scalar operator/(const scalar &a, const scalar &b) {
  const mbd_base i = 1.0 / b.v, q = a.v * i;
  return mbd_chain2(q, i, a, -q * i, b);
}
/* Operations with a number that has no derivatives. */
#define X(T)                                             \
  static inline scalar operator+(const scalar &a, T b) { \
    scalar r = a;                                        \
    r.v += b;                                            \
    return r;                                            \
  }                                                      \
  static inline scalar operator+(T a, const scalar &b) { \
    scalar r = b;                                        \
    r.v += a;                                            \
    return r;                                            \
  }                                                      \
  static inline scalar operator-(const scalar &a, T b) { \
    scalar r = a;                                        \
    r.v -= b;                                            \
    return r;                                            \
  }                                                      \
  static inline scalar operator-(T a, const scalar &b) { \
    return mbd_chain(a - b.v, -1.0, b);                  \
  }                                                      \
  static inline scalar operator*(const scalar &a, T b) { \
    return mbd_chain(a.v * b, b, a);                     \
  }                                                      \
  static inline scalar operator*(T a, const scalar &b) { \
    return mbd_chain(a * b.v, a, b);                     \
  }                                                      \
  static inline scalar operator/(const scalar &a, T b) { \
    return mbd_chain(a.v / b, 1.0 / b, a);               \
  }                                                      \
  static inline scalar operator/(T a, const scalar &b) { \
    return mbd_chain(a / b.v, -a / (b.v * b.v), b);      \
  }
X(double)
#ifdef MBD_PLUGIN_COMPLEX
X(mbd_base)
#undef X
/* Operations of whole numbers with complex ones. */
#define X(op)                                             \
  static inline mbd_base operator op(int a, mbd_base b) { \
    return (double)a op b;                                \
  }                                                       \
  static inline mbd_base operator op(mbd_base a, int b) { \
    return a op(double) b;                                \
  }
X(+)
X(-)
X(*)
X(/)
#endif
#undef X
inline scalar &scalar::operator+=(const scalar &b) {
  v += b.v;
  for (int k = 0; k < MBD_DIRECTIONS; k++) { d[k] += b.d[k]; }
  return *this;
}
inline scalar &scalar::operator-=(const scalar &b) {
  v -= b.v;
  for (int k = 0; k < MBD_DIRECTIONS; k++) { d[k] -= b.d[k]; }
  return *this;
}
inline scalar &scalar::operator*=(const scalar &b) {
  return *this = *this * b;
}
inline scalar &scalar::operator/=(const scalar &b) {
  return *this = *this / b;
}

#define MBD_S static inline MBD_UNUSED
MBD_S double s_re(const scalar &x) {
  return mbd_base_re(x.v);
}
MBD_S double s_re(mbd_base x) {
  return mbd_base_re(x);
}
#define X(name, value, slope, formula)                \
  MBD_S scalar s_##name(const scalar &x) {            \
    const mbd_base b = x.v;                           \
    return mbd_chain(mbd_base_##name(b), formula, x); \
  }                                                   \
  MBD_S mbd_base s_##name(mbd_base x) {               \
    return mbd_base_##name(x);                        \
  }
MBD_FUNCTIONS(X)
#undef X
MBD_S scalar s_pow(const scalar &x, const scalar &y) {
  const mbd_base v = mbd_base_pow(x.v, y.v);
  const mbd_base by_x = mbd_base_re(y.v) == 0 ? mbd_base(0.0) : y.v * mbd_base_pow(x.v, y.v - 1.0);
  return mbd_chain2(v, by_x, x, mbd_base_re(x.v) > 0 ? v * mbd_base_log(x.v) : mbd_base(0.0), y);
}
MBD_S scalar s_atan2(const scalar &y, const scalar &x) {
  const mbd_base square = x.v * x.v + y.v * y.v;
  return mbd_chain2(mbd_base_atan2(y.v, x.v), x.v / square, y, -y.v / square, x);
}
#undef MBD_S

/* Coefficients: in the compilation for `along` they have derivatives, in that for `slopes` they have none. */
#ifdef MBD_PLUGIN_ALONG
typedef scalar coefficient;
#else
typedef mbd_base coefficient;
#endif

#else

typedef mbd_base scalar;
typedef mbd_base coefficient;
static inline MBD_UNUSED double s_re(scalar x) {
  return mbd_base_re(x);
}
#define X(name, value, slope, formula)                 \
  static inline MBD_UNUSED scalar s_##name(scalar x) { \
    return mbd_base_##name(x);                         \
  }
MBD_FUNCTIONS(X)
#undef X
static inline MBD_UNUSED scalar s_pow(scalar x, scalar y) {
  return mbd_base_pow(x, y);
}
static inline MBD_UNUSED scalar s_atan2(scalar y, scalar x) {
  return mbd_base_atan2(y, x);
}

#endif

/* The larger and the smaller number by their real parts. Their derivatives jump where the two are equal. */
static inline MBD_UNUSED scalar s_max(scalar a, scalar b) {
  return s_re(a) >= s_re(b) ? a : b;
}
static inline MBD_UNUSED scalar s_min(scalar a, scalar b) {
  return s_re(a) <= s_re(b) ? a : b;
}
static inline MBD_UNUSED scalar s_hypot(scalar a, scalar b) {
  return s_sqrt(a * a + b * b);
}

/* ---- derivatives of one's own ---- */

/* The matrix of derivatives that an author's `slopes` fills, and its entries: derivatives of `result` by component 0, 1, 2 of an argument
 * (by_x) and of its rate (by_xd). */
typedef struct mbd_slopes {
  scalar *J;
  int narg, outputs; /* outputs: 1 if they are wanted */
} mbd_slopes;

static inline MBD_UNUSED scalar *by_x(const mbd_slopes *s, int result, int argument, int component) {
  return s->J + 6 * s->narg * result + 3 * argument + component;
}
static inline MBD_UNUSED scalar *by_xd(const mbd_slopes *s, int result, int argument, int component) {
  return s->J + 6 * s->narg * result + 3 * (s->narg + argument) + component;
}

/* ---- contents of a library: one compilation makes the description, each other one a function for it ---- */

#ifdef __cplusplus
#define MBD_C extern "C"
#else
#define MBD_C extern
#endif

#ifdef MBD_PLUGIN_COMPLEX
#define MBD_OF(name) mbd_plugin_##name##_complex
#else
#define MBD_OF(name) mbd_plugin_##name
#endif

/* Weak symbols: a function that no compilation has made is NULL. */
MBD_C MBD_HIDDEN __attribute__((weak)) mbd_user_value mbd_plugin_value_complex;
MBD_C MBD_HIDDEN __attribute__((weak)) mbd_user_slopes mbd_plugin_slopes, mbd_plugin_slopes_complex;
MBD_C MBD_HIDDEN __attribute__((weak)) mbd_user_along mbd_plugin_along, mbd_plugin_along_complex;

typedef void mbd_author_force(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], scalar f[][3],
                              scalar output[]);
typedef void mbd_author_slopes(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[],
                               const mbd_slopes *J);
typedef void mbd_author_along(const scalar x[][3], const scalar xd[][3], scalar t, const coefficient c[], scalar dt,
                              const coefficient dc[], scalar df[][3], scalar doutput[]);

#define MBD_NARG(arguments_) ((int)(sizeof(arguments_) / sizeof(arguments_)[0]))
#define MBD_GIVEN(p)         ((const scalar(*)[3])(p))

static inline void mbd_call(mbd_author_force *function, int narg, const scalar *state, const coefficient *c,
                            int outputs, scalar *y) {
  function(MBD_GIVEN(state), MBD_GIVEN(state + 3 * narg), state[6 * narg], c, (scalar(*)[3])y,
           outputs ? y + 3 * narg : (scalar *)0);
}

#if defined(MBD_PLUGIN_DUAL) && defined(__cplusplus)

static inline int mbd_results(int narg, const mbd_user_output *output, int outputs) {
  int n = 3 * narg;
  for (int i = 0; outputs && output[i].name; i++) { n++; }
  return n;
}

#ifndef MBD_PLUGIN_ALONG
/* 1 if place i of x and xd holds a number of its argument. */
static inline int mbd_is_number(const mbd_arg_info *arg, int narg, int i) {
  const mbd_arg_kind kind = arg[i / 3 % narg].kind;
  const int first = i % 3 == 0, rate = i >= 3 * narg;
  return kind == MBD_ARG_ROTATION     ? rate
         : kind == MBD_ARG_COORDINATE ? first
         : kind == MBD_ARG_VALUE      ? first && !rate
                                      : 1;
}

/* Fills J, MBD_DIRECTIONS columns at a time. */
static inline void mbd_dual_slopes(mbd_author_force *function, const mbd_arg_info *arg, int narg,
                                   const mbd_user_output *output, const mbd_base *state, const mbd_base *c, int outputs,
                                   mbd_base *J) {
  const int n = 6 * narg, nresult = mbd_results(narg, output, outputs);
  int input[MBD_USER_STATE], ninput = 0;
  for (int i = 0; i < n; i++) {
    if (mbd_is_number(arg, narg, i)) { input[ninput++] = i; }
  }
  for (int first = 0; first < ninput; first += MBD_DIRECTIONS) {
    const int some = ninput - first < MBD_DIRECTIONS ? ninput - first : MBD_DIRECTIONS;
    scalar at[MBD_USER_STATE], y[MBD_USER_RESULTS];
    for (int i = 0; i <= n; i++) { at[i].v = state[i]; }
    for (int k = 0; k < some; k++) { at[input[first + k]].d[k] = 1.0; }
    mbd_call(function, narg, at, c, outputs, y);
    for (int r = 0; r < nresult; r++) {
      for (int k = 0; k < some; k++) { J[n * r + input[first + k]] = y[r].d[k]; }
    }
  }
}
#define MBD_DUAL(arguments_, outputs_, function)                                                          \
  MBD_C MBD_HIDDEN void MBD_OF(slopes)(const double *state, const double *coef, int request, double *J) { \
    mbd_dual_slopes(function, arguments_, MBD_NARG(arguments_), outputs_, (const mbd_base *)state,        \
                    (const mbd_base *)coef, request, (mbd_base *)J);                                      \
  }
#else
static inline void mbd_dual_along(mbd_author_force *function, int narg, const mbd_user_output *output,
                                  const mbd_base *state, const mbd_base *c, int ncoef, const mbd_base *direction,
                                  int outputs, mbd_base *dy) {
  const int n = 6 * narg, nresult = mbd_results(narg, output, outputs);
  scalar at[MBD_USER_STATE], theta[MBD_USER_COEFS], y[MBD_USER_RESULTS];
  for (int i = 0; i <= n; i++) { at[i].v = state[i]; }
  at[n].d[0] = direction[ncoef];
  for (int k = 0; k < ncoef; k++) { theta[k].v = c[k], theta[k].d[0] = direction[k]; }
  mbd_call(function, narg, at, theta, outputs, y);
  for (int r = 0; r < nresult; r++) { dy[r] = y[r].d[0]; }
}
#define MBD_DUAL(arguments_, outputs_, function)                                                                     \
  MBD_C MBD_HIDDEN void MBD_OF(along)(const double *state, const double *coef, int count, const double *direction,   \
                                      int request, double *dy) {                                                     \
    mbd_dual_along(function, MBD_NARG(arguments_), outputs_, (const mbd_base *)state, (const mbd_base *)coef, count, \
                   (const mbd_base *)direction, request, (mbd_base *)dy);                                            \
  }
#endif

/* Only the description uses the tables; here they are named so that compilers do not warn. */
#define MBD_USER_FORCE(name_, doc_, references_, arguments_, coefficients_, outputs_, function) \
  MBD_DUAL(arguments_, outputs_, function)                                                      \
  static inline MBD_UNUSED const void *mbd_tables(int i) {                                      \
    return i ? (const void *)references_ : coefficients_;                                       \
  }
#define MBD_USER_FORCE_OWN(name_, doc_, references_, arguments_, coefficients_, outputs_, function, slopes_, along_) \
  MBD_USER_FORCE(name_, doc_, references_, arguments_, coefficients_, outputs_, function)                            \
  static inline MBD_UNUSED mbd_author_slopes *mbd_own_slopes() {                                                     \
    return slopes_;                                                                                                  \
  }                                                                                                                  \
  static inline MBD_UNUSED mbd_author_along *mbd_own_along() {                                                       \
    return along_;                                                                                                   \
  }

#else

#define MBD_VALUE(arguments_, function, name_)                                                                        \
  void name_(const double *state, const double *coef, int request, double *y) {                                       \
    mbd_call(function, MBD_NARG(arguments_), (const scalar *)state, (const coefficient *)coef, request, (scalar *)y); \
  }

static inline MBD_UNUSED void mbd_call_slopes(mbd_author_slopes *slopes, int narg, const scalar *state,
                                              const coefficient *c, int outputs, scalar *J) {
  const mbd_slopes to = {J, narg, outputs};
  slopes(MBD_GIVEN(state), MBD_GIVEN(state + 3 * narg), state[6 * narg], c, &to);
}
static inline MBD_UNUSED void mbd_call_along(mbd_author_along *along, int narg, const scalar *state,
                                             const coefficient *c, int ncoef, const coefficient *direction, int outputs,
                                             scalar *dy) {
  along(MBD_GIVEN(state), MBD_GIVEN(state + 3 * narg), state[6 * narg], c, direction[ncoef], direction,
        (scalar(*)[3])dy, outputs ? dy + 3 * narg : (scalar *)0);
}
#define MBD_OWN(arguments_, slopes_, along_)                                                                  \
  MBD_HIDDEN void MBD_OF(slopes)(const double *state, const double *coef, int request, double *J) {           \
    mbd_call_slopes(slopes_, MBD_NARG(arguments_), (const scalar *)state, (const coefficient *)coef, request, \
                    (scalar *)J);                                                                             \
  }                                                                                                           \
  MBD_HIDDEN void MBD_OF(along)(const double *state, const double *coef, int count, const double *direction,  \
                                int request, double *dy) {                                                    \
    mbd_call_along(along_, MBD_NARG(arguments_), (const scalar *)state, (const coefficient *)coef, count,     \
                   (const coefficient *)direction, request, (scalar *)dy);                                    \
  }

#ifdef MBD_PLUGIN_COMPLEX

#define MBD_DESCRIPTION(name_, doc_, references_, arguments_, coefficients_, outputs_, function, own_)         \
  MBD_HIDDEN MBD_VALUE(arguments_, function, mbd_plugin_value_complex) static inline MBD_UNUSED const void *   \
  mbd_tables(int i) {                                                                                          \
    return i == 0 ? (const void *)references_ : i == 1 ? (const void *)coefficients_ : (const void *)outputs_; \
  }

#else

#define MBD_DESCRIPTION(name_, doc_, references_, arguments_, coefficients_, outputs_, function, own_)  \
  static MBD_VALUE(arguments_, function, mbd_plugin_value) MBD_C __attribute__((visibility("default"))) \
  const mbd_user_force mbd_plugin;                                                                      \
  const mbd_user_force mbd_plugin = {MBD_USER_ABI,                                                      \
                                     (int)sizeof(mbd_user_force),                                       \
                                     name_,                                                             \
                                     doc_,                                                              \
                                     references_,                                                       \
                                     coefficients_,                                                     \
                                     arguments_,                                                        \
                                     MBD_NARG(arguments_),                                              \
                                     outputs_,                                                          \
                                     own_,                                                              \
                                     mbd_plugin_value,                                                  \
                                     mbd_plugin_value_complex,                                          \
                                     mbd_plugin_slopes,                                                 \
                                     mbd_plugin_slopes_complex,                                         \
                                     mbd_plugin_along,                                                  \
                                     mbd_plugin_along_complex};

#endif

#define MBD_USER_FORCE(name_, doc_, references_, arguments_, coefficients_, outputs_, function) \
  MBD_DESCRIPTION(name_, doc_, references_, arguments_, coefficients_, outputs_, function, 0)

/* MBD_PLUGIN_NOT_OWN: derivatives are made by dual numbers or the complex step, although the author has some. */
#ifdef MBD_PLUGIN_NOT_OWN
#define MBD_USER_FORCE_OWN(name_, doc_, references_, arguments_, coefficients_, outputs_, function, slopes_, along_) \
  MBD_DESCRIPTION(name_, doc_, references_, arguments_, coefficients_, outputs_, function, 0)                        \
  static inline MBD_UNUSED mbd_author_slopes *mbd_own_slopes(void) {                                                 \
    return slopes_;                                                                                                  \
  }                                                                                                                  \
  static inline MBD_UNUSED mbd_author_along *mbd_own_along(void) {                                                   \
    return along_;                                                                                                   \
  }
#else
#define MBD_USER_FORCE_OWN(name_, doc_, references_, arguments_, coefficients_, outputs_, function, slopes_, along_) \
  MBD_OWN(arguments_, slopes_, along_)                                                                               \
  MBD_DESCRIPTION(name_, doc_, references_, arguments_, coefficients_, outputs_, function, 1)
#endif

#endif

#endif
