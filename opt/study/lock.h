/* No run of a study is done by two processes at the same time, and no two of them make the study. Some file systems of clusters know
 * no locks: there a lock is taken without any effect. Two processes that did the same runs there would do them for nothing, with the
 * same results: records of runs are whole or not there. */
#ifndef MBO_LOCK_H
#define MBO_LOCK_H

#include "mbd/status.h"

/* Lock the runs [first, last), of which there is at least one; *lock: a file descriptor to be closed, which processes made by
 * fork hold too. It waits a little for workers whose parent was killed. MBD_BAD_INPUT: somebody else has some of them;
 * MBD_IO_ERROR: the folder takes no files. */
mbd_status lock_take(const char *folder, long first, long last, int *lock, mbd_error *err);

/* Lock the files that make the folder a study, in the same way; runs can be locked by others meanwhile. */
mbd_status lock_take_folder(const char *folder, int *lock, mbd_error *err);

/* 0: the file system of the folder knows no locks, with its words for that. */
int lock_works(const char *folder, const char **why);

/* Are any runs locked by anybody (-1: nobody can tell), and when were some last taken [s of the clock; 0: never]? */
int lock_is_taken(const char *folder, double *since);

#endif
