/* Cells of tables that are written: each with the comma before it. */
#ifndef MBO_CSV_CELLS_H
#define MBO_CSV_CELLS_H

#include <stdio.h>

/* With all digits; empty where it is none. */
void csv_put_number(FILE *out, double v);

/* In quotes where it must be, with its own doubled; line breaks become blanks. */
void csv_put_text(FILE *out, const char *text);

/* The same without the comma: of the first cell in a line. */
void csv_put_first(FILE *out, const char *text);

#endif
