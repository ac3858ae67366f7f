/* Locks for writing on bytes of an open file. They belong to the open file: it loses them when it is closed in all processes, and those
 * that fork makes hold them, too. Some file systems of clusters know no locks. */
#ifndef MBO_FILE_LOCK_H
#define MBO_FILE_LOCK_H

typedef enum file_lock {
  FILE_LOCK_OURS,
  FILE_LOCK_OTHERS, /* somebody else has some of the bytes */
  FILE_LOCK_NONE,   /* the file system knows no locks: errno says in which way */
  FILE_LOCK_FAILED  /* errno */
} file_lock;

/* Lock n bytes from the first on without waiting; n = 0: all from there on. */
file_lock file_lock_take(int file, long first, long n);

/* Does another open file have some of them? FILE_LOCK_OURS: nobody, FILE_LOCK_OTHERS; FILE_LOCK_NONE, FILE_LOCK_FAILED: nobody can
 * tell. */
file_lock file_lock_look(int file, long first, long n);

#endif
