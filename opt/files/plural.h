/* The ending of a noun after a count: "1 design", "2 designs". */
#ifndef MBO_PLURAL_H
#define MBO_PLURAL_H

static inline const char *plural(long n) {
  return n == 1 ? "" : "s";
}

#endif
