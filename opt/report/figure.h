/* One figure: a script for gnuplot under construction, and where its picture goes. The look of all figures (sizes, font,
 * frame, colours that colour-blind readers can tell apart) is here, so that they look alike. */
#ifndef MBO_FIGURE_H
#define MBO_FIGURE_H

#include <stdio.h>

#include "files/text_stream.h"
#include "mbd/status.h"

typedef enum figure_format { FIGURE_SVG, FIGURE_PNG, FIGURE_PDF } figure_format;

/* By the ending of files, "svg", "png", "pdf". MBD_BAD_INPUT: another one, with the nearest. */
mbd_status figure_format_find(const char *name, figure_format *f, mbd_error *err);
const char *figure_format_name(figure_format f);

/* Where a figure goes. Fill in what is wanted; text is what comes back. */
typedef struct figure_target {
  figure_format format;
  const char *path;     /* file, written whole or not at all; NULL: SVG into `text` */
  double width, height; /* [pt], as in a column of text; 0: 640 x 320 */
  char *text;           /* out: the picture, to be freed by the caller; untouched unless MBD_OK */
} figure_target;

typedef struct figure {
  figure_target *target;
  FILE *script; /* of the stream */
  text_stream stream;
  int nblock;
} figure;

/* Begin a script: terminal, frame, colours as line types 1, 2, ... MBD_BAD_INPUT: only SVG goes into a text. */
mbd_status figure_open(figure *f, figure_target *t, mbd_error *err);

/* Draw the script, put the picture where it belongs, free the script. Errors of gnuplot_run and of files. */
mbd_status figure_close(figure *f, mbd_error *err);
void figure_abort(figure *f); /* without a picture */

/* 'text', as it is: no character in it means anything to gnuplot. */
void figure_quote(figure *f, const char *text);

/* "set WHAT 'text'", nothing for an empty one (NULL or ""). */
void figure_label(figure *f, const char *what, const char *text);

/* Begins a block of data, which the script names $dN, N = the number that is returned: rows between figure_data and
 * figure_data_end, numbers by figure_number. What is not finite leaves a gap. */
int figure_data(figure *f);
void figure_number(figure *f, double v);
void figure_row(figure *f);
void figure_data_end(figure *f);

/* Colours with a meaning, as "#rrggbb"; those of curves are the line types. */
#define FIGURE_BEFORE "#8c8c8c"
#define FIGURE_AFTER  "#0072b2"
#define FIGURE_BOUND  "#d55e00"

#endif
