/* Earlier results in a folder that would be overwritten are moved to a folder inside it: FOLDER/earlier-1, or the next number. */
#ifndef MBO_EARLIER_H
#define MBO_EARLIER_H

#include "mbd/status.h"

/* Creates the next such folder. *made: its path, in new memory; NULL on failure: MBD_NO_MEMORY, MBD_IO_ERROR. */
mbd_status earlier_make(const char *folder, char **made, mbd_error *err);

/* Moves a file of the folder into the other folder. MBD_NO_MEMORY, MBD_IO_ERROR. */
mbd_status earlier_move(const char *folder, const char *name, const char *to, mbd_error *err);

#endif
