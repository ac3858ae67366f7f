#include "files/csv_cells.h"

#include <math.h>
#include <string.h>

void csv_put_number(FILE *out, double v) {
  if (isfinite(v)) {
    fprintf(out, ",%.17g", v);
  } else {
    fputc(',', out);
  }
}

void csv_put_first(FILE *out, const char *text) {
  if (!text[strcspn(text, ",\"\n")]) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"') { fputc('"', out); }
    fputc(*text == '\n' ? ' ' : *text, out);
  }
  fputc('"', out);
}

void csv_put_text(FILE *out, const char *text) {
  fputc(',', out);
  csv_put_first(out, text);
}
