/* Text files of users, which are read completely before they are parsed. Devices, pipes, folders, endless files and bytes that are no text
 * are refused here, for every reader. */
#ifndef MBO_TEXT_FILE_H
#define MBO_TEXT_FILE_H

#include <stddef.h>
#include <stdio.h>

#include "mbd/status.h"

enum {
  TEXT_FILE_SETTINGS = 64,
  TEXT_FILE_TABLE = 256
}; /* most MiB: of run, model and property files; of columns of numbers */

/* Start with {0}. */
typedef struct text_file {
  char *text; /* [size + 1] with a zero byte at its end, and none before */
  size_t size;
  char *rest; /* what text_file_line has not given yet; a byte order mark of UTF-8 is left out */
  int line;   /* number of the line given last */
} text_file;

/* Read a regular file of at most `most` MiB. MBD_IO_ERROR: "FILE: ..." it cannot be read; MBD_BAD_INPUT: "FILE: ..." or
 * "FILE:LINE: ..." it is no text file, or too long. Nothing to free then. */
mbd_status text_file_read(const char *path, int most, text_file *t, mbd_error *err);
void text_file_free(text_file *t);

/* The next line without its end ("\n" or "\r\n"), the caller's to change; NULL: no more. */
char *text_file_line(text_file *t);

/* Open a file for reading only if it is a regular one: nothing else is waited for. The same statuses. */
mbd_status text_file_open(const char *path, FILE **in, mbd_error *err);

/* Results are written in JSON and HTML, which take nothing else: what a reader keeps, comments aside, must be UTF-8. */
int text_is_utf8(const char *s);

#endif
