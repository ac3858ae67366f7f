/* JSON: values that it cannot represent, files, and failures of memory in jansson. If memory runs out, a text that jansson reads loses
 * characters and an object that it makes loses members, and jansson does not always report it. So jansson takes its memory through
 * functions that count failed requests (mbd_memory_lost): code that writes or reads JSON rejects the result if the number has grown. */
#ifndef MBO_JSON_H
#define MBO_JSON_H

#include <jansson.h>

#include "files/memory.h"
#include "mbd/status.h"

/* A number, and an array of n numbers; numbers that are not finite, which JSON cannot represent, become null. */
json_t *json_number(double v);
json_t *json_numbers(const double *v, int n);

/* A text as a string. JSON is UTF-8 only: a text that is not, as a name in an older encoding or a message that was cut within a
 * character, has '?' for every byte that is not ASCII. NULL: no memory. */
json_t *json_text(const char *text);

/* A number, NaN where there is none; the same of a member of an object, or its text, "" where there is none. */
double json_number_of(const json_t *v);
double json_number_in(const json_t *o, const char *key);
const char *json_text_in(const json_t *o, const char *key);

/* A text in new memory, which this call frees, as a string; NULL, and memory counted as lost, for NULL. */
json_t *json_own_text(char *text);

/* Failed requests are counted after this call. The source of the memory does not change; further calls have no
 * effect. */
void json_memory_watch(void);

/* The text of json_dumps, or NULL if memory ran out in it or since mbd_memory_lost() was `before`. */
char *json_memory_dumps(const json_t *o, size_t flags, long before);

/* Reads a file. *o is NULL for MBD_NO_MEMORY, and for MBD_BAD_INPUT if the file cannot be read or is not JSON; *why (which may be NULL) then
 * has the reason and its line, 0 for a file that cannot be read. */
mbd_status json_read_file(const char *path, json_t **o, json_error_t *why);

/* The same for a file in a folder. */
mbd_status json_read_in(const char *folder, const char *name, json_t **o, json_error_t *why);

/* Writes o to a file in a folder, completely or not at all. MBD_IO_ERROR; MBD_NO_MEMORY: also if any request for memory
 * by JSON has failed since the program began. */
mbd_status json_write_file(const char *folder, const char *name, const json_t *o, mbd_error *err);

#endif
