/* Status codes and error texts: all functions of libmbd report failures in this way.
 *
 * A positive code means that this design or state cannot be evaluated, so that an optimizer may try another one; a negative code
 * means that the request itself is wrong. The text says where the failure is, what was found and what was expected. */
#ifndef MBD_STATUS_H
#define MBD_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define MBD_STATUS_LIST(X)                                                        \
  X(MBD_OK, 0, "success")                                                         \
  /* > 0  this design or state cannot be evaluated: the optimizer may back off */ \
  X(MBD_NO_CONVERGENCE, 1, "iteration stopped short of its tolerance")            \
  X(MBD_SINGULAR, 2, "matrix singular to working precision")                      \
  X(MBD_NO_ASSEMBLY, 3, "loops cannot be closed for these parameters")            \
  X(MBD_NOT_FINITE, 4, "a result is not a finite number")                         \
  X(MBD_OUT_OF_DOMAIN, 5, "an expression or coefficient left its domain")         \
  /* < 0  the request itself is wrong: retrying will not help */                  \
  X(MBD_BAD_INPUT, -1, "input rejected")                                          \
  X(MBD_NO_MEMORY, -2, "out of memory")                                           \
  X(MBD_UNSUPPORTED, -3, "combination not available")                             \
  X(MBD_IO_ERROR, -4, "a file cannot be read or written")                         \
  X(MBD_INTERRUPTED, -5, "stopped on request")                                    \
  X(MBD_NOT_BUILT_IN, -6, "without the library that this needs")

/* The return value of functions: MBD_OK, or a kind of failure of the list above. */
typedef enum mbd_status {
#define X(name, value, text) name = value,
  MBD_STATUS_LIST(X)
#undef X
} mbd_status;

/* A failure. A function that fails fills it; one that succeeds does not change it. `func` points to static storage. */
typedef struct mbd_error {
  mbd_status code;
  const char *func; /* function that reported */
  int line;         /* source line that reported */
  double time;      /* simulated time [s] of the failure, NaN where time plays no part */
  char text[1024];  /* one readable sentence, no newline at its end */
  long reserved[8]; /* 0; room for later versions of the library */
} mbd_error;

/* Returns the sentence of a code, as in the list above. Never NULL. */
const char *mbd_status_text(mbd_status code);

/* Returns the name of a code ("MBD_SINGULAR"). Never NULL. */
const char *mbd_status_name(mbd_status code);

/* Fills *e (which may be NULL) and returns `code`, for use as `return mbd_fail(...)`. */
mbd_status mbd_fail(mbd_error *e, mbd_status code, const char *func, int line, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;

/* Puts the place of a failure in front of the text in *e (which may be NULL); a text that becomes too long is cut off at its end. Returns
 * `status`, and does nothing for MBD_OK. */
mbd_status mbd_locate(mbd_error *e, mbd_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* mbd_fail with the place of the call; the same as a return statement; and a call whose failure ends the calling function. */
#define MBD_FAILED(e, code, ...) mbd_fail(e, code, __func__, __LINE__, __VA_ARGS__)
#define MBD_FAIL(e, code, ...)   return MBD_FAILED(e, code, __VA_ARGS__)
#define MBD_TRY(call)                \
  do {                               \
    mbd_status s_ = (call);          \
    if (s_ != MBD_OK) { return s_; } \
  } while (0)

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
