/* Files that the program writes for users to go on with: nothing that is there is written over. */
#ifndef MBO_CLI_NEW_FILES_H
#define MBO_CLI_NEW_FILES_H

#include "mbd/status.h"

typedef struct cli_new_file {
  const char *path, *text;
} cli_new_file;

/* A model file and a run file, both or none, in a folder that is made if need be. MBD_IO_ERROR: one is there already, or cannot be
 * written. */
mbd_status cli_write_both(const char *folder, const cli_new_file file[2], mbd_error *err);

#endif
