/* Option tables: one row per key of a run file. The reader, the range check, the schema printed by `mbopt schema`, the
 * manual and the resolved configuration all come from these rows. */
#ifndef MBO_OPTIONS_H
#define MBO_OPTIONS_H

#include <stddef.h>
#include <stdio.h>

#include "config/ini.h"
#include "config/config.h"

typedef enum option_type {
  OPTION_NUMBER,       /* double */
  OPTION_INTEGER,      /* int */
  OPTION_BOOLEAN,      /* int: yes is 1, no is 0 */
  OPTION_TEXT,         /* char * */
  OPTION_CHOICE,       /* const char *: one of the words, which its table owns */
  OPTION_ENUM,         /* an enumeration: number of the word */
  OPTION_NUMBERS,      /* mbo_numbers */
  OPTION_NAMES,        /* mbo_names: comma separated */
  OPTION_PAIRS,        /* mbo_pairs: all keys that begin like this one before its "NAME" */
  OPTION_NUMBER_PAIRS, /* mbo_number_pairs: the same, whose values are numbers */
  OPTION_MORE          /* no key: the rows of a table of the library are inserted here */
} option_type;

/* Words to choose from. */
typedef struct options_words {
  const char *const *word;      /* a list with NULL at its end; or */
  const char *(*at)(int i);     /* a table of the library, with NULL at its end */
  const char *(*doc_at)(int i); /* the meaning of each; NULL: the row describes it */
} options_words;

typedef struct option_row {
  const char *key;
  option_type type;
  size_t offset;       /* offset in the struct of its section; for OPTION_MORE offset of the mbd_case there */
  const char *dflt;    /* default as text; NULL: required; "": none, see the doc */
  double min, max;     /* numbers; ends allowed */
  options_words words; /* choices */
  const mbd_case_option *(*more)(int i); /* OPTION_MORE */
  const char *unit, *doc;
} option_row;

/* Row i; 0 past the end. Rows end with key NULL. */
int option_row_at(const option_row *rows, int i, option_row *row);

/* The words separated by a mark, as "a|b|c". Returns text. */
enum { OPTIONS_TEXT = 256 };
const char *options_words_text(const options_words *w, const char *mark, char text[OPTIONS_TEXT]);

/* One kind of section of a run file. */
typedef struct option_section {
  const char *kind;
  size_t offset; /* in mbo_run_config: its struct, or the list of them */
  /* of [kind NAME]: offset of the list's length; size of an item, which begins with its name. Else 0 */
  size_t count, size;
  const char *doc;
  const option_row *row;
} option_section;

const option_section *option_section_at(int i); /* NULL past the end */
const option_section *option_section_find(const char *kind);

/* Numbers that are expressions, in the order in which they are read: their fields are NaN (numbers) or zero until option_put_number sets
 * them. Initialize with {0}; to be freed with free(v). */
typedef struct option_expression {
  const ini_section *s;
  const ini_entry *e;
  option_row row;
  void *base; /* of the struct */
} option_expression;
typedef struct option_expressions {
  int n;
  option_expression *v;
} option_expressions;

/* Reads a section into the struct `base` (s may be NULL: defaults). Numbers that are expressions are added to `later`. */
mbd_status options_read(const ini_file *f, ini_section *s, const option_row *rows, void *base,
                        option_expressions *later, mbd_error *err);

/* Sets the value of such a number, or of item i of a list. MBD_BAD_INPUT: it is outside of the row's range, or not an integer as
 * required. */
mbd_status option_put_number(const ini_file *f, const option_expression *entry, int i, double v, mbd_error *err);

void options_free(const option_row *rows, void *base);

/* The number of the word that is the value of e; MBD_BAD_INPUT: the message has all words and the nearest one. */
mbd_status options_word(const ini_file *f, const ini_section *s, const ini_entry *e, const options_words *w,
                        const char *mark, int *which, mbd_error *err);

/* Fails for entries of s that have not been read, with the nearest known key. known: NULL-terminated. */
mbd_status options_unknown_key(const ini_file *f, const ini_section *s, const char *const *known, mbd_error *err);

/* Fails with "key 'KEY' is missing: WHAT", and an unknown entry that may be a misspelling of it. s NULL: the section is missing. */
mbd_status options_missing_key(const ini_file *f, const ini_section *s, const char *const *known, const char *key,
                               const char *what, mbd_error *err);

/* "; line 9 has 'mas', which is not known here: did you mean 'mass'?" for the first entry of s whose nearest known key is
 * this one, else "". Written into text, which it returns. */
enum { OPTIONS_HINT = 300 };
const char *options_misspelt_key(const ini_section *s, const char *const *known, const char *key,
                                 char text[OPTIONS_HINT]);

/* Writes the rows as an INI section with their effective values, unit and text as comments. Numbers that were read as expressions are
 * written as these; *left: the expressions that follow, in the order of the rows; those written are removed. */
int options_write(FILE *out, const char *kind, const char *name, const option_row *rows, const void *base,
                  mbo_expressions *left);

#endif
