/* Memory that runs out. Texts, lists, streams into texts and jansson count requests that fail (base/memory.h). Whoever builds something of
 * them goes on with NULL in place of what is missing, and whoever finishes it, before a file is committed, a result returned or an
 * answer printed, asks once for failures. What is written at once, as an array, needs its memory at once. */
#ifndef MBO_MEMORY_H
#define MBO_MEMORY_H

#include "base/memory.h"
#include "mbd/status.h"

/* MBD_NO_MEMORY with the text "no memory for WHAT", where `...` is WHAT as a format and its arguments. */
#define MEMORY_NONE(err, ...) MBD_FAILED(err, MBD_NO_MEMORY, "no memory for " __VA_ARGS__)

/* Ends the calling function in this way if p is NULL. */
#define MEMORY_TRY(p, err, ...)                         \
  do {                                                  \
    if (!(p)) { return MEMORY_NONE(err, __VA_ARGS__); } \
  } while (0)

/* The same status if a request of this thread has failed since mbd_memory_lost() was `before`, else MBD_OK. */
#define MEMORY_SINCE(before, err, ...) (mbd_memory_lost() > (before) ? MEMORY_NONE(err, __VA_ARGS__) : MBD_OK)

/* ... since this thread began: for commands, which end when memory runs out, and not for what programs of others call again. */
#define MEMORY_WHOLE(err, ...) MEMORY_SINCE(0, err, __VA_ARGS__)

#endif
