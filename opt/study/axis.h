/* One swept key and its values, in the syntax of [sweep] of a run file:
 *
 *   vary.KEY = A, B, C                list of numbers or words
 *   vary.KEY = FROM to TO in N        N equally spaced values that include both ends
 *   vary.KEY = FROM to TO in N log    N values with equal ratios
 *   vary.KEY = FROM to TO [log]       an interval, for plans that distribute points */
#ifndef MBO_AXIS_H
#define MBO_AXIS_H

#include "mbd/status.h"

typedef struct axis {
  char *key;    /* as written */
  int n;        /* values; 0: an interval without a number of them */
  char **level; /* [n] of a list; NULL: a range */
  double from, to;
  int log;
} axis;

enum { AXIS_NUMBER = 32 }; /* room for a number with all digits */

/* Reads the values of a key. MBD_BAD_INPUT: what was found and what was expected, without the position in the file. */
mbd_status axis_read(const char *key, const char *values, axis *a, mbd_error *err);
void axis_free(axis *a);

/* Value number i of n, or the one at u in [0, 1): a text with all digits, in `text` or owned by the axis. */
const char *axis_level(const axis *a, int i, char text[AXIS_NUMBER]);
const char *axis_at(const axis *a, double u, char text[AXIS_NUMBER]);

/* Characters of the longest value. */
int axis_width(const axis *a);

/* A number with as many digits as are needed to read it back exactly. */
void axis_number(double v, char text[AXIS_NUMBER]);

#endif
