/* Programs as optimizers: a run file may come from others, so none that it names is started by itself (docs/files_from_others.md);
 * mbo_commands_allow (mbo/backend.h) allows all. */
#ifndef MBO_BACKEND_COMMAND_H
#define MBO_BACKEND_COMMAND_H

#include "mbd/status.h"

/* Allows this command alone, word for word as settings have it. The text belongs to the caller and stays. NULL: none. */
void command_allow_text(const char *text);

/* MBD_BAD_INPUT: the command may not be started; the message says how to allow it. */
mbd_status command_check_allowed(const char *command, mbd_error *err);

#endif
