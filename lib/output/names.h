/* The parts of the name of an output; its grammar is in names.c. */
#ifndef MBD_OUTPUT_NAMES_H
#define MBD_OUTPUT_NAMES_H

#include "output/output.h"

typedef struct asked_name {
  const char *full;
  char object[256];  /* "P2", "J1.angle", "distance(P1, P2)" with one blank behind each comma */
  char quantity[64]; /* "position"; "" if nothing follows the object */
  char from[64];     /* the body to which it is relative; "": none is named */
  int component;     /* 0..2: x y z; 3: norm; -1: none given */
  char relation[32]; /* "distance"; "": no relation */
  int nref;          /* number of objects in its parentheses; -1: there is no closing parenthesis */
  char ref[OUTPUT_REFS][64];
} asked_name;

enum { NORM = 3, N_COMPONENTS = 4 };
extern const char *const output_components[N_COMPONENTS];

/* Parses a relation, or OBJECT.QUANTITY[.COMPONENT]. */
void name_parse(const char *name, asked_name *n);

/* The same for OBJECT.QUANTITY@BODY[.COMPONENT]; 0: there is no quantity before the last '@'. */
int name_parse_seen(const char *name, asked_name *n);

/* Finds the row, the object and the body to which a name refers, and its parts. MBD_BAD_INPUT: the message has the
 * unknown part and the nearest known name. */
mbd_status find_output(const mbd_model *m, const char *name, asked_name *n, output *o, mbd_error *err);

/* Scalars of a quantity without its norm. */
int find_count(const mbd_model *m, const output *o);

#endif
