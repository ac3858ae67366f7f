/* Loops over strips of right-hand sides, so narrow that their sums stay in registers. */
#ifndef MBD_STRIPS_H
#define MBD_STRIPS_H

#include "la/lanes.h"

/* Divides the right-hand sides into strips of STRIP columns, of MBD_LANES columns and the rest. `call` is made for every strip; r is its
 * first column, and `wide` its width, which is known to the compiler. */
enum { STRIP = 2 * MBD_LANES };
#define WIDTH(n, call) \
  case n: {            \
    enum { wide = n }; \
    call;              \
    break;             \
  }
#define FOR_STRIPS(n, call)                                                                       \
  for (int r = 0, strip; r < (n); r += strip) {                                                   \
    const int left = (n)-r;                                                                       \
    strip = left >= STRIP ? STRIP : left >= MBD_LANES ? MBD_LANES : left;                         \
    switch (strip) { WIDTH(1, call) WIDTH(2, call) WIDTH(3, call) WIDTH(4, call) WIDTH(8, call) } \
  }

/* y += f x of one strip */
static inline void add_wide(int wide, mbd_real f, const mbd_real *restrict x, mbd_real *restrict y) {
  if (wide < MBD_LANES) {
    for (int r = 0; r < wide; r++) { y[r] += f * x[r]; }
    return;
  }
  mbd_axpy_lanes(f, x, y);
  if (wide > MBD_LANES) { mbd_axpy_lanes(f, x + MBD_LANES, y + MBD_LANES); }
}

#endif
