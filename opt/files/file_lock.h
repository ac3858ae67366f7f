/* Exclusive locks on bytes of an open file. A lock belongs to the open file: it is released when all processes have closed the file, and
 * processes made by fork hold it, too. Some file systems of clusters have no locks. */
#ifndef MBO_FILE_LOCK_H
#define MBO_FILE_LOCK_H

typedef enum file_lock {
  FILE_LOCK_OURS,
  FILE_LOCK_OTHERS, /* somebody else has some of the bytes */
  FILE_LOCK_NONE,   /* the file system has no locks; errno has the reason */
  FILE_LOCK_FAILED  /* errno */
} file_lock;

/* Lock n bytes from the first on without waiting; n = 0: all from there on. */
file_lock file_lock_take(int file, long first, long n);

/* Has another open file locked some of the bytes? FILE_LOCK_OURS: no; FILE_LOCK_OTHERS: yes; FILE_LOCK_NONE, FILE_LOCK_FAILED: not known. */
file_lock file_lock_look(int file, long first, long n);

#endif
