/* Parts of `mbopt check` in files of their own. */
#ifndef MBO_CLI_CHECK_H
#define MBO_CLI_CHECK_H

#include <jansson.h>

#include "cli/cli.h"

/* Exact second derivatives at the start: a verdict for each quantity, printed or added to the list; *wrong counts. */
mbd_status check_hessian(const cli_run *r, int *wrong, json_t *list, mbd_error *err);

#endif
