/* Lists of texts, each text in separate memory. An empty list is NULL. */
#ifndef MBO_TEXT_LIST_H
#define MBO_TEXT_LIST_H

/* The index of a text; -1: the list does not have it. */
int text_list_find(char *const *list, int n, const char *text);

/* Appends a copy of the text to the *n texts of the list. Returns 0 if there is no memory, which is counted (files/memory.h); the list is
 * unchanged then. */
int text_list_add(char ***list, int *n, const char *text);

/* The same for a text in memory of its own, which the list takes over; NULL: there was no memory for it. */
int text_list_take(char ***list, int *n, char *text);

/* 1: a text is one of a fixed list, which NULL ends. */
int text_is_among(const char *text, const char *const *list);

void text_list_free(char **list, int n);

#endif
