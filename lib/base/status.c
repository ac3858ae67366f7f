#include "mbd/status.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char *mbd_status_text(mbd_status code) {
  switch (code) {
#define X(name, value, text) \
  case name: return text;
    MBD_STATUS_LIST(X)
#undef X
  }
  return "unknown status";
}

const char *mbd_status_name(mbd_status code) {
  switch (code) {
#define X(name, value, text) \
  case name: return #name;
    MBD_STATUS_LIST(X)
#undef X
  }
  return "MBD_UNKNOWN";
}

mbd_status mbd_fail(mbd_error *e, mbd_status code, const char *func, int line, const char *format, ...) {
  if (e) {
    va_list args;
    e->code = code;
    e->func = func;
    e->line = line;
    e->time = NAN;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
  }
  return code;
}

mbd_status mbd_locate(mbd_error *e, mbd_status status, const char *format, ...) {
  va_list args;
  if (status == MBD_OK || !e) { return status; }
  const mbd_error before = *e;
  va_start(args, format);
  const int n = vsnprintf(e->text, sizeof e->text, format, args);
  va_end(args);
  if (n >= 0 && (size_t)n < sizeof e->text) { snprintf(e->text + n, sizeof e->text - (size_t)n, "%s", before.text); }
  return status;
}
