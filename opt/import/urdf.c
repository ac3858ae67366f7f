/* Functions that all files of this folder use. */
#include "import/urdf.h"

#include <ctype.h>
#include <string.h>

#include "config/expr.h"

int urdf_is_turning(urdf_type type) {
  return type == URDF_REVOLUTE || type == URDF_CONTINUOUS;
}

const char *urdf_coordinate(const urdf_joint *j) {
  return urdf_is_turning(j->type) ? "angle" : j->type == URDF_PRISMATIC ? "distance" : NULL;
}

int urdf_moves_alone(const urdf_joint *j) {
  return urdf_coordinate(j) && j->mimic < 0;
}

void urdf_number(FILE *out, double v) {
  char text[40];
  double back;
  if (v == 0) { v = 0; } /* removes the sign of -0 */
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, v);
    if (mbo_number(text, &back) && back == v) { break; }
  }
  fputs(text, out);
}

void urdf_comment(FILE *out, const char *text) {
  enum { MAX = 150 }; /* bytes; a line has room for 198 */
  size_t n = strlen(text), end = n < MAX ? n : MAX;
  while (end < n && end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80) {
    end--;
  } /* do not cut within a character of several bytes */
  fputs("; ", out);
  for (size_t i = 0; i < end; i++) { fputc(iscntrl((unsigned char)text[i]) ? ' ' : text[i], out); }
  fputs(end < n ? " ...\n" : "\n", out);
}
