/* The robots that `mbopt import` is given: files, and folders in which they are found. */
#ifndef MBO_CLI_IMPORT_LIST_H
#define MBO_CLI_IMPORT_LIST_H

#include "cli/cli.h"

typedef struct import_item {
  char *file;       /* path of a robot's file */
  char *folder;     /* in which its model file and its run file are to be written */
  const char *root; /* the folder that was given, in which it was found; NULL: the file was given */
} import_item;

typedef struct import_list {
  int n;
  import_item *item;
} import_list;

/* Makes the list of the operands. The last of several is the folder in which everything is written, unless it is a file; without it each
 * robot is written in a folder of its own name, and folders are refused. In a folder that is given, its files NAME.urdf and those
 * of the folders in it are robots; links are not followed. The result has to be freed in any case. MBD_BAD_INPUT; MBD_IO_ERROR;
 * MBD_NO_MEMORY. */
mbd_status import_list_make(const cli_arguments *a, import_list *list, mbd_error *err);
void import_list_free(import_list *list);

/* The name of a file without folder and extension, in new memory. */
char *import_stem_of(const char *file);

#endif
