/* Locks that prevent two processes from doing the same run of a study at the same time, or from making the same study. Some file systems
 * of clusters have no locks: there, taking a lock has no effect. Two processes that did the same runs would only lose time, since
 * records of runs are written completely or not at all and have the same contents. */
#ifndef MBO_LOCK_H
#define MBO_LOCK_H

#include "mbd/status.h"

/* Locks the runs [first, last), of which there is at least one; *lock: a file descriptor to be closed, which processes made by fork hold
 * too. Waits a short time for workers whose parent was killed. MBD_BAD_INPUT: another process holds some of them; MBD_IO_ERROR: no file
 * can be made in the folder. */
mbd_status lock_take(const char *folder, long first, long last, int *lock, mbd_error *err);

/* Locks the files that make the folder a study, in the same way; other processes can lock runs meanwhile. */
mbd_status lock_take_folder(const char *folder, int *lock, mbd_error *err);

/* 0: the file system of the folder has no locks, with its error message. */
int lock_works(const char *folder, const char **why);

/* Returns 1 if any process has locked runs (-1: not known); *since: time of the last lock [s of the clock; 0:
 * never]. */
int lock_is_taken(const char *folder, double *since);

#endif
