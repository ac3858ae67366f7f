/* Files of Chrono's vehicle models: JSON with comments, whose values are found by paths of keys, as "Spring/Free Length"; a number in a path
 * counts the entries of a list. Messages have the file, the line of the key and its path. */
#ifndef MBO_CHRONO_JSON_H
#define MBO_CHRONO_JSON_H

#include <jansson.h>

#include "mbd/status.h"

typedef struct chrono_file {
  char *path, *text; /* text: without comments; for the lines of messages */
  json_t *root;
} chrono_file;

/* Reads a file. To be freed in any case. MBD_IO_ERROR; MBD_BAD_INPUT: "FILE:LINE: ...", it is no JSON, or no object. */
mbd_status chrono_read(const char *path, chrono_file *f, mbd_error *err);

/* The path of the file that f names under a key, in new memory: it counts from the folder of f or from one of the four above it, the nearest in which
 * it is; or the file lies beside f. MBD_BAD_INPUT: it leads out of these, or is no file. */
mbd_status chrono_path(const chrono_file *f, const char *key, char **path, mbd_error *err);

/* Reads this file. MBD_BAD_INPUT: also for another "Type" than this one. */
mbd_status chrono_read_named(const chrono_file *f, const char *key, const char *type, chrono_file *named,
                             mbd_error *err);
void chrono_free(chrono_file *f);

/* MBD_BAD_INPUT with "FILE:LINE: 'KEY' ...". */
mbd_status chrono_fail(const chrono_file *f, const char *key, mbd_error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Joins a key: "SECTION/REST", in the memory of the caller, whose address is returned. */
enum { CHRONO_KEY = 200 };
const char *chrono_join(char key[CHRONO_KEY], const char *section, const char *rest);

/* The value of a key; NULL: there is none. */
const json_t *chrono_find(const chrono_file *f, const char *key);

/* Read what has to be there; chrono_number_if leaves the number as it is where the key is missing. */
mbd_status chrono_text(const chrono_file *f, const char *key, const char **text, mbd_error *err);
mbd_status chrono_number(const chrono_file *f, const char *key, double *v, mbd_error *err);
mbd_status chrono_number_if(const chrono_file *f, const char *key, double *v, mbd_error *err);
mbd_status chrono_numbers(const chrono_file *f, const char *key, int n, double *v, mbd_error *err);

/* A list, of n entries; MBD_BAD_INPUT: it is none, or has none. */
mbd_status chrono_list(const chrono_file *f, const char *key, int *n, mbd_error *err);

#endif
