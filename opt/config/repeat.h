/* Repetition in model files and run files, for mechanisms of many equal elements and the quantities of these elements.
 *
 *   [body link{i}]
 *   repeat = i from 1 to N              a section for every i; several indices are separated by commas, the last runs fastest
 *   com = L*({i} - 0.5), 0, 0
 *
 *   {expression}       in a name, key or value: an integer, computed from scalars and indices
 *   {i from A to B}    in a key: an entry for every i; in an item of a list: an item for every i
 *   {i in WORD ...}    the same for every word; so is `repeat = i in WORD ...`. {i} is then the word
 *
 * The ends of a range are expressions of scalars and of indices to the left; if B = A - 1, there is none. */
#ifndef MBO_REPEAT_H
#define MBO_REPEAT_H

#include "config/ini.h"
#include "config/config.h"

/* For a file that is a part of another: `outer` belongs to that one (NULL: none), which is expanded before and must not be destroyed;
 * names that the part does not have are looked up there. prefix: of the names of the part in *counts. *out has to be destroyed in any
 * case. */
typedef struct repeated repeated;
mbd_status repeat_create(ini_file *f, repeated *outer, const char *prefix, mbo_names *counts, repeated **out,
                         mbd_error *err);
mbd_status repeat_count_text(repeated *repeats); /* counts the text of f like repetitions; MBD_BAD_INPUT: too long */
mbd_status repeat_sections(repeated *repeats);
mbd_status repeat_find_scalars(repeated *repeats); /* the scalars of f, to be called after sections were added to it */
void repeat_destroy(repeated *repeats);

/* Replaces the sections of a file by their repetitions. *counts: names of the scalars on which these depend, to be freed with
 * text_list_free. MBD_BAD_INPUT: the position in the file, what was found and what was expected. */
mbd_status repeat_expand(ini_file *f, mbo_names *counts, mbd_error *err);

#endif
