/* Checks of [experiment NAME]. */
#ifndef MBO_RUN_EXPERIMENTS_H
#define MBO_RUN_EXPERIMENTS_H

#include "config/config.h"
#include "config/ini.h"

/* MBD_BAD_INPUT: parameters or sensors are named twice, a sensor does not exist, what is of interest or has a prior is no parameter, or a
 * [mode NAME] has the same name. */
mbd_status run_experiments_check(const ini_file *f, const mbo_run_config *c, mbd_error *err);

#endif
