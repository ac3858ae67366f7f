/* Property files of tyres (.tir): sections of key = value, text in quotes, comments after $ or !, a table in [SHAPE]. */
#ifndef MBO_TIR_H
#define MBO_TIR_H

#include "mbd/status.h"

typedef struct tir_entry {
  char *key, *value; /* value without quotes; "" where there is none */
  int line;
} tir_entry;

typedef struct tir_file {
  char *path;
  int n;
  tir_entry *entry;
} tir_file;

/* Reads a file in SI units whose FITTYP has the equations of the Magic Formula 5.x: 5, 6, 51, 52, or of PAC2002. text: what is in it, where it is a tyre of
 * mbopt whose name stands in place of the path; NULL: it is read. MBD_IO_ERROR: cannot be read; MBD_BAD_INPUT: "FILE:LINE: ...". To be
 * freed in either case. */
mbd_status tir_read(const char *path, const char *text, tir_file *f, mbd_error *err);
void tir_free(tir_file *f);

/* The number under `key`, regardless of case. *entry: NULL if the file has no such key. */
mbd_status tir_number(const tir_file *f, const char *key, double *value, const tir_entry **entry, mbd_error *err);

#endif
