/* A table of values with names in its first line, read row by row: comma separated, blank lines and lines that begin with #
 * left out. */
#ifndef MBO_TABLE_CSV_H
#define MBO_TABLE_CSV_H

#include "files/text_file.h"

typedef struct table_csv {
  char *path;
  text_file file;
  int ncolumn;
  char **column;     /* [ncolumn] names */
  char **value;      /* [ncolumn] of the row at hand */
  char *text;        /* the line at hand */
  mbd_status status; /* MBD_OK at the end of the file */
} table_csv;

/* MBD_IO_ERROR, MBD_BAD_INPUT with file and line. */
mbd_status table_csv_open(const char *path, table_csv *t, mbd_error *err);
void table_csv_close(table_csv *t);

/* The next row [ncolumn], which belongs to t; 0: no more, or an error, which t->status tells. */
int table_csv_next(table_csv *t, const char *const **row, mbd_error *err);

#endif
