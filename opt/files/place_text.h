/* Points and vectors as words. */
#ifndef MBO_PLACE_TEXT_H
#define MBO_PLACE_TEXT_H

#include <math.h>
#include <stdio.h>

/* "1, 0, -0.5"; numbers that are rounding relative to the size are 0. Returns text. */
enum { PLACE_TEXT = 80 };
static inline const char *place_text(const double x[3], double size, char text[PLACE_TEXT]) {
  double y[3];
  for (int i = 0; i < 3; i++) { y[i] = fabs(x[i]) > 1e-12 * size ? x[i] : 0; }
  snprintf(text, PLACE_TEXT, "%.6g, %.6g, %.6g", y[0], y[1], y[2]);
  return text;
}

#endif
