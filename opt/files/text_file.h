/* Text files of users, which are read completely before they are parsed. Devices, pipes, folders, endless files and bytes that are no text
 * are refused here, for every reader. */
#ifndef MBO_TEXT_FILE_H
#define MBO_TEXT_FILE_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#include "mbd/status.h"

enum {
  TEXT_FILE_SETTINGS = 64,
  TEXT_FILE_TABLE = 256
}; /* largest sizes [MiB] of run, model and property files, and of files with columns of numbers */

/* Initialize with {0}. */
typedef struct text_file {
  char *text; /* [size + 1] with one zero byte, at its end */
  size_t size;
  char *left; /* the part that text_file_line has not returned yet; a byte order mark of UTF-8 is skipped */
  int line;   /* number of the line that was returned last */
} text_file;

/* Reads a regular file of at most `max` MiB. MBD_IO_ERROR: "FILE: ..." it cannot be read; MBD_BAD_INPUT: "FILE: ..."
 * or "FILE:LINE: ..." it is not a text file, or too long. There is nothing to free after a failure. */
mbd_status text_file_read(const char *path, int max, text_file *t, mbd_error *err);
/* The same of a copy of a text in memory, which is valid. MBD_NO_MEMORY: `what` is in the message. */
mbd_status text_file_copy(const char *text, const char *what, text_file *t, mbd_error *err);
void text_file_free(text_file *t);

/* Reads a regular file of any bytes; t->rest is not set. The same statuses. */
mbd_status bytes_read(const char *path, int max, text_file *t, mbd_error *err);

/* From now on the bytes of every file that is read here are kept in `files`, an object, under its path: characters of Latin-1, so that a page that computes has what a
 * run was read from. NULL: no longer. Not while several threads read. */
void text_files_keep(json_t *files);

/* The next line without its end ("\n" or "\r\n"), which the caller may change; NULL: there are no more lines. */
char *text_file_line(text_file *t);

/* Opens a file for reading if it is a regular one; opening another kind, such as a pipe, could wait. The same
 * statuses. */
mbd_status text_file_open(const char *path, FILE **in, mbd_error *err);

/* Returns 1 if s is UTF-8. All texts that readers store, except comments, must be UTF-8, because results are written in
 * JSON and HTML. */
int text_is_utf8(const char *s);

#endif
