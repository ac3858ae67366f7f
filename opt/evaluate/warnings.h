/* Warnings of the cases' last simulations. */
#ifndef MBO_WARNINGS_H
#define MBO_WARNINGS_H

#include <jansson.h>

#include "evaluate/mechanism.h"

/* [{case, kind, time, text}]; the caller owns the reference. */
json_t *warnings_json(const mechanism *m);

#endif
