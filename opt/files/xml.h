/* XML files as trees, whose elements have the numbers of the lines where they begin. */
#ifndef MBO_XML_H
#define MBO_XML_H

#include <stdio.h>

#include "mbd/status.h"

enum { XML_DEPTH = 100 }; /* most elements inside each other */

typedef struct xml_attribute {
  char *name, *value; /* UTF-8; of a value, references are resolved */
} xml_attribute;

typedef struct xml_element {
  char *name;
  const char *path; /* of its file, as it was given to xml_read */
  int line;
  int nattribute, nchild, ntext;
  char *text; /* [ntext] what stands between the elements in it, ended by a zero if it has any; NULL: nothing but blanks */
  xml_attribute *attribute;
  struct xml_element **child;
  struct xml_element *parent; /* NULL: the root */
} xml_element;

/* Read a file, whose path has to last as long as the elements. *root is to be freed; NULL on failure. MBD_IO_ERROR: it cannot be read;
 * MBD_BAD_INPUT: "FILE:LINE: ...", it is no well-formed XML, declares entities or is nested too deeply; MBD_NOT_BUILT_IN: the program was
 * built without expat. */
mbd_status xml_read(const char *path, xml_element **root, mbd_error *err);
void xml_free(xml_element *root); /* NULL: nothing */

/* Writes a text with & < > " ' escaped, for XML and HTML. */
void xml_escape(FILE *out, const char *text);

/* The value of an attribute; NULL: it has none of this name. */
const char *xml_get(const xml_element *e, const char *name);

/* The first child of this name; NULL: none. */
const xml_element *xml_child(const xml_element *e, const char *name);

#endif
