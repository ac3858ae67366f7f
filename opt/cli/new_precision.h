/* Precision points of a linkage that is to be found: a user's table in the place of that of a template. */
#ifndef MBO_CLI_NEW_PRECISION_H
#define MBO_CLI_NEW_PRECISION_H

#include "cli/templates.h"
#include "mbd/status.h"

/* *run, *table: in new memory the run file of a template for the points of the table `path`, and these as the run file reads them: of the tasks path (columns
 * x, y) and motion (x, y, angle) with their numbers in the first column, of a function (input, output) with the input counted from its first line. The number
 * and the extent of the points, or the span of the input, take the place of those in [scalars]. Columns may be in any order, beside others. MBD_BAD_INPUT
 * with file and line: a column is missing, a cell is no number, there are too few points, or inputs do not increase. */
mbd_status cli_run_with_precision(const cli_template *t, const char *path, char **run, char **table, mbd_error *err);

#endif
