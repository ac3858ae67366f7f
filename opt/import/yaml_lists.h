/* The part of YAML that lists of names need: keys at the beginning of lines, each with a word, or a list of words or of lists of words, in
 * brackets or as lines that begin with a dash. Files NAME.ini are the same with `=` in the place of the colon, in whatever sections. */
#ifndef MBO_YAML_LISTS_H
#define MBO_YAML_LISTS_H

#include "mbd/status.h"

typedef struct yaml_item {
  int line, n;
  char **word; /* [n]; a word alone: n = 1 */
} yaml_item;

typedef struct yaml_list {
  char *key;
  int line, n;
  yaml_item *item; /* [n]; a word alone: one item */
} yaml_list;

typedef struct yaml_file {
  const char *path; /* the caller's */
  int n;
  yaml_list *list;
} yaml_file;

/* Reads a file. The result has to be freed in any case. MBD_IO_ERROR; MBD_BAD_INPUT: "FILE:LINE: ..."; MBD_NO_MEMORY. */
mbd_status yaml_read(const char *path, yaml_file *f, mbd_error *err);
void yaml_free(yaml_file *f);

const yaml_list *yaml_find(const yaml_file *f, const char *key); /* NULL: none */

#endif
