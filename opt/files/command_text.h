/* A command as a text, as `python3 "my optimizer.py" SLSQP`: words separated by blanks, in quotes '...' or "..." where they have blanks. No shell
 * reads it, so that no other character means anything. */
#ifndef MBO_COMMAND_TEXT_H
#define MBO_COMMAND_TEXT_H

#include "mbd/status.h"

/* Splits the text. *word [*n, then NULL] in new memory, to be freed with text_list_free. MBD_BAD_INPUT: there is no word, a quote is open, or
 * there is a line break or another control character. */
mbd_status command_text_split(const char *text, char ***word, int *n, mbd_error *err);

/* The same command in new memory, in which the words that name a file in a folder have its absolute path. The first word is such a name only with
 * a '/' in it, since it is searched along PATH otherwise. Errors: those of command_text_split. */
mbd_status command_text_beside(const char *folder, const char *text, char **out, mbd_error *err);

/* Can the program be found, along PATH if its name has no '/'? */
int command_text_found(const char *program);

#endif
