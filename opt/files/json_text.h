/* Text in JSON, which is UTF-8 only. */
#ifndef MBO_JSON_TEXT_H
#define MBO_JSON_TEXT_H

#include <jansson.h>

/* A text as a string. One that is not UTF-8, as a name in an older encoding or a message that was cut within a character, has
 * '?' for every byte that is not ASCII. NULL: no memory. */
json_t *json_text(const char *text);

/* What a file holds; NULL: it is no file of JSON, and *why (which may be NULL) tells the line, 0: it cannot be read, and the
 * reason. */
json_t *json_read_file(const char *path, json_error_t *why);

#endif
