/* The settings of an optimization, as a run file's [optimizer] and [native] say. */
#ifndef MBO_RUN_SETTINGS_H
#define MBO_RUN_SETTINGS_H

#include "mbo/backend.h"
#include "mbo/config.h"

/* Fill *s. Returns the options that it points to, to be freed by the caller; their texts belong to c. NULL: no memory. */
mbo_option *run_settings(const mbo_run_config *c, mbo_settings *s);

#endif
