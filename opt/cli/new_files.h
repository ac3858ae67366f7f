/* Files that the program writes as a start for users; existing files are never overwritten. */
#ifndef MBO_CLI_NEW_FILES_H
#define MBO_CLI_NEW_FILES_H

#include "mbd/status.h"

typedef struct cli_new_file {
  const char *path, *text;
} cli_new_file;

/* Writes a model file and a run file, both or none, in a folder that is created if needed. MBD_IO_ERROR: one of them exists already, or
 * cannot be written. */
mbd_status cli_write_both(const char *folder, const cli_new_file file[2], mbd_error *err);

#endif
