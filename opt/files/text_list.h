/* Lists of texts, each in memory of its own. An empty list is NULL. */
#ifndef MBO_TEXT_LIST_H
#define MBO_TEXT_LIST_H

/* Place of a text; -1: it is not there. */
int text_list_find(char *const *list, int n, const char *text);

/* A copy of the text behind the *n that are there. 0: no memory, and the list stays as it is. */
int text_list_add(char ***list, int *n, const char *text);

void text_list_free(char **list, int n);

#endif
