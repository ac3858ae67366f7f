/* Files that are either complete or do not exist: they are written under another name in the same folder and renamed when complete. */
#ifndef MBO_ATOMIC_FILE_H
#define MBO_ATOMIC_FILE_H

#include <stdio.h>

#include "mbd/status.h"

typedef struct atomic_file {
  FILE *out; /* write here */
  char *path, *temporary;
  long lost; /* mbd_memory_lost() at the beginning */
  int lazy;  /* 1: commit does not wait for the disk; for files whose readers detect incomplete ones */
} atomic_file;

/* MBD_IO_ERROR; MBD_NO_MEMORY, also for a path that is NULL, which has found none: nothing to abort then. */
mbd_status atomic_open(const char *path, atomic_file *a, mbd_error *err);
mbd_status atomic_open_in(const char *folder, const char *name, atomic_file *a, mbd_error *err);

/* Flush, check every error so far, move into place. On failure (a full disk, a request of this thread since atomic_open that has found no
 * memory) an earlier file stays as it was. */
mbd_status atomic_commit(atomic_file *a, mbd_error *err);
void atomic_abort(atomic_file *a);

/* Commit what was written with MBD_OK, else abort it; returns status, or why it cannot be committed. */
mbd_status atomic_end(atomic_file *a, mbd_status status, mbd_error *err);

/* All of a file into another one, in the same way. */
mbd_status copy_file(const char *from, const char *to, mbd_error *err);

/* Give a file a second name, which nobody has: PATH.WORD, or with a number behind it. What is written to PATH later on by
 * atomic_commit leaves it as it is. *kept: that name, in new memory. */
mbd_status keep_as(const char *path, const char *word, char **kept, mbd_error *err);

/* A second name `to`, which nobody has, for a file; if the file system has no second names, a copy. */
mbd_status link_file(const char *from, const char *to, mbd_error *err);

/* Flushes a stream; returns 0, or the errno of what it could not write now or before. */
int stream_flush(FILE *out);

/* The status of a system call that failed with this errno: MBD_NO_MEMORY if memory was missing, else MBD_IO_ERROR. */
mbd_status io_status(int error);

/* Removes incomplete files of ended processes of this machine from a folder. */
void atomic_tidy(const char *folder);

/* Make a folder and those above it. */
mbd_status make_folder(const char *path, mbd_error *err);

/* Calls `visit` for the names in a folder that have this beginning, and stops at the first error; a folder that is not there has none. Returns
 * errors of `visit`; MBD_IO_ERROR, MBD_NO_MEMORY: the folder cannot be read. */
typedef mbd_status (*folder_visit)(void *user, const char *name, mbd_error *err);
mbd_status folder_each(const char *folder, const char *beginning, folder_visit visit, void *user, mbd_error *err);

/* When a file of a folder was written last [s of the clock]; -1: it is not there. MBD_NO_MEMORY. */
mbd_status file_written(const char *folder, const char *name, double *when, mbd_error *err);

/* MBD_BAD_INPUT: the path has a line break or another control character, which files of results, scripts and messages cannot hold. */
mbd_status path_check(const char *path, mbd_error *err);

/* A name in a folder, in new memory. */
char *path_in(const char *folder, const char *name);

/* A path as pages show it: from the working directory where the file is below it, else absolute; as it is where there is no such file. In new
 * memory; NULL: no memory. */
char *path_shown(const char *path);

#endif
