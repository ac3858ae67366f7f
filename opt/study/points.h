/* The table of a study's runs, points.csv: a row for each run with its values, padded to the same length, so that each row can be read
 * separately and studies of any size need no memory. */
#ifndef MBO_POINTS_H
#define MBO_POINTS_H

#include <stdio.h>

#include "mbd/status.h"

typedef struct points {
  char *path;
  FILE *file;
  int ncolumn;
  char **column;      /* [ncolumn] names from the first line */
  char **value;       /* [ncolumn] of the row that was read last */
  char *row;          /* the same as one text without padding, which identifies the run */
  long n;             /* number of rows */
  long first, length; /* bytes before the first row, bytes of a row */
  char *buffer;       /* [length + 1] */
} points;

/* MBD_IO_ERROR, MBD_BAD_INPUT: the file cannot be read, or its rows have different lengths. */
mbd_status points_open(const char *path, points *p, mbd_error *err);
void points_close(points *p);

/* Read row i into p->value and p->row. */
mbd_status points_read(points *p, long i, mbd_error *err);

/* 1: the text can be a name or a value: it has no comma but in parentheses (max(1, 2)), which are closed. */
int points_takes(const char *text);

/* Writing: the head, then rows. width [n]: characters of the longest value of each column. */
void points_write_head(FILE *out, int n, const char *const *column);
void points_write_row(FILE *out, int n, const char *const *value, const int *width);

#endif
