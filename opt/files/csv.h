/* Tables: commas between cells, the first line names the columns, texts may stand in quotes with their own quotes doubled. A table
 * that is read is held in memory; blanks around cells, blank lines and lines that begin with # are ignored, and commas
 * inside parentheses belong to a function. A table whose first line has a semicolon has semicolons between cells, and its numbers may have
 * decimal commas. */
#ifndef MBO_CSV_H
#define MBO_CSV_H

#include <stdio.h>

#include "files/text_file.h"
#include "mbd/status.h"

typedef struct csv {
  int ncol, nrow, ncell;
  char separator; /* ',' or ';' */
  char **cell;    /* [1 + nrow][ncol], the names first; texts of the file */
  int *line;      /* [1 + nrow] line of each row in the file */
  text_file file; /* owns the texts of the cells */
} csv;

/* whole: 1: no cell may be empty; -1: names of columns may be, too. MBD_IO_ERROR: the file cannot be read. MBD_BAD_INPUT with file and line: it is not a
 * text in UTF-8, names are missing, or the number of cells in a line differs from the number of names. */
mbd_status csv_read(const char *path, int whole, csv *c, mbd_error *err);
/* The table of a folder; empty if there is no such file. Cells may be empty. */
mbd_status csv_read_if_there(const char *folder, const char *file, csv *c, mbd_error *err);
void csv_free(csv *c);

/* Number of a column; -1: there is none of this name. */
int csv_column(const csv *c, const char *name);
const char *const *csv_row(const csv *c, int row);    /* [ncol] */
const char *csv_text(const csv *c, int row, int col); /* rows from 0, without the names; "" for column -1 */
double csv_number(const csv *c, int row, int col);    /* NaN: the cell is empty or not a number */
/* The first cell of a row as a name: blanks and '-' in it become '_'. */
void csv_row_name(const csv *c, int row, char *name, size_t size);
double *csv_numbers(const csv *c, int col); /* those of a column [nrow], in new memory; NULL: no memory */

/* Write cells of a table, each with a comma before it. A number is written with all digits; one that is not finite is
 * an empty cell. */
void csv_put_number(FILE *out, double v);

/* The text is in quotes if needed, with quotes in it doubled; line breaks become blanks. NULL: an empty cell. */
void csv_put_text(FILE *out, const char *text);

/* The same without the comma, for the first cell of a line. */
void csv_put_first(FILE *out, const char *text);

#endif
