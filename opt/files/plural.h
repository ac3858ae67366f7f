/* The ending of a noun after a count: "1 design", "2 designs"; plural_y: "1 body", "2 bodies". */
#ifndef MBO_PLURAL_H
#define MBO_PLURAL_H

static inline const char *plural(long n) {
  return n == 1 ? "" : "s";
}
static inline const char *plural_y(long n) {
  return n == 1 ? "y" : "ies";
}

#endif
