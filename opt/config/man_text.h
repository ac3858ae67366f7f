/* Text for manual pages (man macros of troff). */
#ifndef MBO_MAN_TEXT_H
#define MBO_MAN_TEXT_H

#include <stdio.h>

/* Writes a text so that troff shows every character unchanged: no line of it is taken as a request, hyphens and quotes can be copied
 * into a shell. Text between backquotes is set in bold, without them. */
void man_text(FILE *out, const char *text);

/* Writes the first lines of a page: name and section, such as ("MBOPT", 1), then NAME with one line about it. */
void man_head(FILE *out, const char *title, int section, const char *name, const char *doc);

#endif
