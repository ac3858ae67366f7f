/* One line of a journal: written as text with its hash, and read with checks of every field. */
#ifndef MBO_JOURNAL_LINE_H
#define MBO_JOURNAL_LINE_H

#include <jansson.h>
#include <stddef.h>

#include "evaluate/journal.h"

/* Takes ownership of the object. Returns a line with its hash and line end, in new memory; NULL: memory ran out here or
 * since mbd_memory_lost() was `lost`, before the object was created. */
char *journal_line_text(json_t *o, long lost);

json_t *journal_line_header(const mbo_problem *p, const char *fingerprint);
/* decided: a text in JSON. NULL: it is not JSON, or there is no memory (mbd_memory_lost). */
json_t *journal_line_decided(const char *decided);
json_t *journal_line_record(const journal_record *r, int n, int nc);

/* Returns 1 if the line of the given length, whose end is not part of it, ends with the hash of the text before that. */
int journal_line_is_whole(const char *line, size_t length);

/* The object of a line of the given length, whose end is not part of it. MBD_BAD_INPUT: the line has been changed or
 * damaged since it was written. */
mbd_status journal_line_read(const char *line, size_t length, json_t **out, mbd_error *err);

/* MBD_BAD_INPUT: the object is not a header, or is that of another problem. */
mbd_status journal_line_check_header(const json_t *o, const char *path, const mbo_problem *p, const char *fingerprint,
                                     mbd_error *err);

/* The record of a line, of n variables and nc constraints; the caller owns its arrays, also after a failure.
 * MBD_BAD_INPUT: a field is missing or has a wrong value. */
mbd_status journal_line_take(const json_t *o, int n, int nc, journal_record *r, mbd_error *err);
/* o: the value of "decided" in a line. Its text, in new memory, replaces *decided. MBD_NO_MEMORY. */
mbd_status journal_line_take_decided(const json_t *o, char **decided, mbd_error *err);
int journal_line_is_end(const json_t *o);
void journal_record_free(journal_record *r);

#endif
