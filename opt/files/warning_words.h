/* Warnings of simulations (mechanism/warnings.h) as words. */
#ifndef MBO_WARNING_WORDS_H
#define MBO_WARNING_WORDS_H

#include <jansson.h>

/* One of the list in words, "case 'NAME': TEXT"; all of them, with "; " between. New memory; NULL: no memory. */
char *warning_words(const json_t *one);
char *warnings_words(const json_t *list);

#endif
