/* Files of chrono/, which are part of the program. */
#ifndef MBO_CHRONO_TEXTS_H
#define MBO_CHRONO_TEXTS_H

#include <stdio.h>

extern const char chrono_text_templates_json[], chrono_text_axle_ini[], chrono_text_vehicle_ini[],
    chrono_text_run_ini[], chrono_text_steering_ini[];

/* A value of a text: characters; or, where there are none, a number; NAN: there is none. */
typedef struct chrono_value {
  const char *key, *text;
  double number;
} chrono_value;

/* Writes a text with values in the place of <KEY>. A line is left out where one of its values is missing, or that of its beginning, "?KEY ". */
void chrono_fill(const char *text, const chrono_value *value, int n, FILE *out);

#endif
