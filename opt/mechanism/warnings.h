/* Warnings of the cases' last simulations, and of design variables on which nothing depends. */
#ifndef MBO_WARNINGS_H
#define MBO_WARNINGS_H

#include <jansson.h>

#include "mechanism/mechanism.h"

/* [{case, kind, time, text}], without case and with time null where a warning is of none, with outputs where it is of some; the caller owns the reference. */
json_t *warnings_json(const mechanism *m);

#endif
