/* What jansson loses when memory runs out. A text that it reads loses characters then, an object that it makes loses members,
 * and neither is always told. So jansson takes its memory through functions that count the requests which failed: who
 * writes or reads JSON looks at the count before and after, and trusts nothing where it has grown. */
#ifndef MBO_JSON_MEMORY_H
#define MBO_JSON_MEMORY_H

#include <jansson.h>

#include "mbd/status.h"

/* From now on failed requests are counted. The memory itself comes from where it came before; any number of calls is one. */
void json_memory_watch(void);

/* Requests of this thread that have failed so far. */
long json_memory_lost(void);

/* The caller itself lost something that belonged into an object. */
void json_memory_note(void);

/* json_dumps, or NULL if memory ran out then or since the count was `before`. */
char *json_memory_dumps(const json_t *o, size_t flags, long before);

/* json_read_file. *o is NULL for MBD_NO_MEMORY, and for MBD_BAD_INPUT, where jansson says more in *why (which may be NULL). */
mbd_status json_memory_load(const char *path, json_t **o, json_error_t *why);

#endif
