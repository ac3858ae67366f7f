/* The formats in which every key of run files and model files is printed: one row of functions each. */
#ifndef MBO_SCHEMA_FORMAT_H
#define MBO_SCHEMA_FORMAT_H

#include <jansson.h>
#include <stdio.h>

typedef struct schema_key {
  const char *key, *type, *dflt, *range, *unit, *doc; /* dflt NULL: required; "": none */
} schema_key;

typedef struct schema_writer {
  FILE *out;
  int names;              /* 1: the section lists names, which have no default */
  int table;              /* markdown: the head of this section's table is written */
  json_t *json, *section; /* JSON: all sections, and the keys of this one */
  long lost;              /* JSON: mbd_memory_lost() at the beginning */
  int no_memory;          /* JSON: nothing is written */
} schema_writer;

/* Called in this order: begin, then for every part its sections and their keys, then end. part, end: NULL for nothing. */
typedef struct schema_format {
  const char *name;
  void (*begin)(schema_writer *w, const char *syntax); /* syntax: description of the syntax that all files share */
  void (*part)(schema_writer *w, const char *title);
  void (*section)(schema_writer *w, const char *file, const char *title, const char *doc);
  void (*key)(schema_writer *w, const schema_key *k);
  void (*end)(schema_writer *w);
} schema_format;

const schema_format *schema_format_find(const char *name); /* NULL: not known */

#endif
