/* Strict INI files: every entry has its line, which messages name.
 *
 *   schema = 1                 before the first section
 *   [kind] or [kind name]
 *   key = value                comments after ; or #, at the start of a line or after white space; \; and \# are no comments
 *       more of the value      an indented line without '='; any line, joined without a blank, behind a backslash */
#ifndef MBO_INI_H
#define MBO_INI_H

#include "base/nearest.h"
#include "config/name_index.h"
#include "files/text_list.h"
#include "mbd/status.h"

enum { MBO_SCHEMA = 1 };
/* Values of `line` for entries without one: from --set; a model's scalar replaced by the run; one of a part that only the using file
 * sets. */
enum { INI_SET = 0, INI_RUN = -1, INI_PART = -2 };

typedef struct ini_entry {
  char *key, *value;
  int line; /* or INI_SET, INI_RUN, INI_PART */
  int used; /* has been read; entries that are never read are unknown keys */
  struct ini_entry
      *set; /* a scalar or quantity of a part: the entry of the using file that replaces its value; NULL: none */
  int table,
      row; /* of a scalar from a table: number of this file among those of the model, and the line there; row 0: of none */
} ini_entry;

typedef struct ini_section {
  char *kind, *name; /* name: "" for [kind] */
  int line;
  int n;
  ini_entry *entry;
  name_index keys; /* index of the entries; empty while there are few */
} ini_section;

typedef struct ini_file {
  char *path;
  const char *through; /* path of the part that reads this file, for messages; NULL: none. Not owned */
  int n;
  ini_section *section;
  name_index at; /* index of the sections */
} ini_file;

/* Read a file. MBD_IO_ERROR: cannot be read; MBD_BAD_INPUT: "FILE:LINE: ...". */
mbd_status ini_read(const char *path, ini_file *f, mbd_error *err);
mbd_status ini_read_text(const char *text, const char *path, ini_file *f, mbd_error *err); /* path: for messages */
void ini_free(ini_file *f);

/* A name is made of letters, digits, '_' and '-'. In names of sections, braces around anything else may stand beside these:
 * repeat.h says what they mean. */
int ini_valid_name(const char *name);

/* Escapes a value so that it is read back unchanged: \; and \# where a comment would begin. New memory; NULL: no memory. */
char *ini_escape(const char *value);

/* Appends a section or an entry; NULL: no memory. */
ini_section *ini_add_section(ini_file *f, const char *kind, const char *name, int line);
ini_entry *ini_add_entry(ini_section *s, const char *key, const char *value, int line);

/* Kinds of sections that a file may have: number i, and whether they are [kind NAME]; NULL past the end. */
typedef const char *(*ini_kinds)(int i, int *named);

/* Checks that a section is one of these kinds, with or without a name as required. file: "a run file". */
mbd_status ini_check_section(const ini_file *f, const ini_section *s, const char *file, ini_kinds kinds,
                             mbd_error *err);

/* --set SECTION.KEY=VALUE or SECTION.NAME.KEY=VALUE: replace or add; with an empty value: remove, MBD_BAD_INPUT if the key is not there. */
mbd_status ini_set(ini_file *f, const char *assignment, ini_kinds kinds, mbd_error *err);

/* Offers the names of all sections of a kind as candidates for the nearest name. */
void ini_offer_names(const ini_file *f, const char *kind, mbd_nearest *near);

ini_section *ini_find(const ini_file *f, const char *kind, const char *name); /* NULL: none */
ini_entry *ini_find_entry(const ini_section *s, const char *key);             /* NULL: none */
ini_entry *ini_get(ini_section *s, const char *key);                          /* the same, and marks it used */

/* Fails with status MBD_BAD_INPUT and "FILE:LINE: [kind name] key = value: " in front of a message. */
mbd_status ini_fail(const ini_file *f, const ini_section *s, const ini_entry *e, mbd_error *err, const char *format,
                    ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;

mbd_status ini_no_memory(const ini_file *f, mbd_error *err); /* "no memory for FILE" */

/* Replaces a text in new memory by a copy of another one. MBD_NO_MEMORY: it is unchanged. */
mbd_status ini_replace(const ini_file *f, char **text, const char *by, mbd_error *err);

/* Puts the same in front of the text that err has, and keeps its status; MBD_OK passes. */
mbd_status ini_locate(const ini_file *f, const ini_section *s, const ini_entry *e, mbd_status status, mbd_error *err);

/* The same for a message that quotes the expression `text` itself: the place leaves out the value of the entry if it is that expression. */
mbd_status ini_locate_expression(const ini_file *f, const ini_section *s, const ini_entry *e, const char *text,
                                 mbd_status status, mbd_error *err);

/* Converts a path in a file, which is relative to the file's own folder. New memory; NULL: no memory. */
char *ini_beside(const char *path, const char *file);

/* Split a value at commas into trimmed parts (new memory; free with text_list_free). Returns the count, -1: no memory. */
int ini_list(const char *value, char ***part);

#endif
