/* A figure, described once as data: a JSON object with its series, axes, units, captions and marks. A page draws it by
 * assets/plot.js, which says what its members are; figure_draw draws it by gnuplot into a file. Beside those members
 * it has
 *   shapes [{ kind: "window" (tinted between two x), "band" (a tinted polygon), "target" or "bound" (a dashed line; of one point a cross), points:
 *          [[x, y], ...], text }], as plot.js draws them; equal: a unit has one length on both axes. Files alone have these two
 *   name   of its file, without ending; height [pt], where it is not that of its kind
 *   kind   absent: series over two axes; else
 *     "map"       values z of points x, y in colours: z (an axis), points { x: [], y: [], z: [] }; grid: [columns, rows] if they
 *                 are one, row by row, which gets contours; best: the number of a marked point
 *     "parallel"  axes: [{ label, unit, range }], a line for each run through its values [runs][axes], in the colour of its z [runs]
 *     "parts"     rows: [numbers, of what y.label says], columns: [names], parts [rows][columns] from -1 to 1
 * A page has parts as a tinted table, and instead of the other kinds what assets/study.js draws. */
#ifndef MBO_FIGURE_H
#define MBO_FIGURE_H

#include <jansson.h>

#include "mbd/status.h"

/* Takes the next figure, and its ownership; spec NULL: memory ran out. */
typedef mbd_status (*figure_sink)(void *to, json_t *spec, mbd_error *err);

typedef enum figure_format { FIGURE_SVG, FIGURE_PNG, FIGURE_PDF } figure_format;

/* Returns 1 if a text is a unit: none of "", "-", "1". */
int figure_has_unit(const char *unit);

/* By the ending of files, "svg", "png", "pdf". MBD_BAD_INPUT: another one, with the nearest. */
mbd_status figure_format_find(const char *name, figure_format *f, mbd_error *err);
const char *figure_format_name(figure_format f);

/* Draws a figure. path: its file, written whole or not at all; NULL: SVG into *text, to be freed by the caller, which is unchanged
 * unless MBD_OK. MBD_NOT_FINITE: it has no number to draw. Errors of gnuplot_run and of files. */
mbd_status figure_draw(const json_t *spec, figure_format format, const char *path, char **text, mbd_error *err);

/* Converts a name to a file name, which the caller owns, as it did the name: letters, digits and a few signs remain,
 * the length is limited to that of file systems, and a number of 2 or more is appended. NULL: name was NULL, or no
 * memory. */
char *figure_file_name(char *name, int number);

#endif
