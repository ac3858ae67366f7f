/* Tables: commas between cells, the first line names the columns, texts may stand in quotes with their own quotes doubled. A table
 * that is read is held in memory; blanks around cells, blank lines and lines that begin with # are left out, and commas inside
 * parentheses belong to a function. */
#ifndef MBO_CSV_H
#define MBO_CSV_H

#include <stdio.h>

#include "files/text_file.h"
#include "mbd/status.h"

typedef struct csv {
  int ncol, nrow, ncell;
  char **cell;    /* [1 + nrow][ncol], the names first; texts of the file */
  int *line;      /* [1 + nrow] line of each row in the file */
  text_file file; /* owns the texts of the cells */
} csv;

/* whole: 1: no cell may be empty. MBD_IO_ERROR: it cannot be read. MBD_BAD_INPUT with file and line: it is no text in UTF-8, names
 * are missing, or a line has another number of cells than there are names. */
mbd_status csv_read(const char *path, int whole, csv *c, mbd_error *err);
void csv_free(csv *c);

/* Number of a column; -1: there is none of this name. */
int csv_column(const csv *c, const char *name);
const char *const *csv_row(const csv *c, int row);    /* [ncol] */
const char *csv_text(const csv *c, int row, int col); /* rows from 0, without the names; "" for column -1 */
double csv_number(const csv *c, int row, int col);    /* NaN where there is none */

/* Cells of a table that is written, each with the comma before it. A number has all digits; it is empty where it is none. */
void csv_put_number(FILE *out, double v);

/* In quotes where it must be, with its own doubled; line breaks become blanks. */
void csv_put_text(FILE *out, const char *text);

/* The same without the comma: of the first cell in a line. */
void csv_put_first(FILE *out, const char *text);

#endif
