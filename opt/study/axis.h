/* One swept key and its values, as a run file's [sweep] writes them:
 *
 *   vary.KEY = A, B, C                list of numbers or words
 *   vary.KEY = FROM to TO in N        N values equally spaced, both ends among them
 *   vary.KEY = FROM to TO in N log    by equal ratios
 *   vary.KEY = FROM to TO [log]       an interval, for plans that spread points */
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

/* MBD_BAD_INPUT: what was found, what was expected; without the place. */
mbd_status axis_read(const char *key, const char *values, axis *a, mbd_error *err);
void axis_free(axis *a);

/* Value number i of n, or the one at u in [0, 1): text with all digits, in `text` or belonging to the axis. */
const char *axis_level(const axis *a, int i, char text[AXIS_NUMBER]);
const char *axis_at(const axis *a, double u, char text[AXIS_NUMBER]);

/* Characters of the longest value. */
int axis_width(const axis *a);

/* A number with as many digits as it takes to read it back. */
void axis_number(double v, char text[AXIS_NUMBER]);

#endif
