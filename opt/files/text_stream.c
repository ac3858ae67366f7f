#include "files/text_stream.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/memory.h"

static int reserve(text_stream *s, size_t more) {
  size_t capacity = s->capacity ? s->capacity : 1024;
  while (capacity - s->size <= more) { capacity *= 2; } /* with room for the zero at the end */
  char *grown = capacity > s->capacity ? realloc(s->text, capacity) : s->text;
  if (!grown) { return 0; }
  s->text = grown, s->capacity = capacity;
  return 1;
}

static ssize_t append(void *cookie, const char *from, size_t n) {
  text_stream *s = cookie;
  if (s->lost || !reserve(s, n)) {
    s->lost = 1, mbd_memory_note();
    return 0;
  }
  memcpy(s->text + s->size, from, n);
  s->size += n;
  return (ssize_t)n;
}

FILE *text_begin(text_stream *s) {
  *s = (text_stream){0};
  s->out = fopencookie(s, "w", (cookie_io_functions_t){.write = append});
  if (!s->out) { mbd_memory_note(); }
  return s->out;
}

char *text_end(text_stream *s) {
  int lost = !s->out || fclose(s->out) != 0;
  lost |= s->lost || !reserve(s, 0);
  s->out = NULL;
  if (lost) {
    mbd_memory_note();
    free(s->text);
    s->text = NULL;
  } else {
    s->text[s->size] = '\0';
  }
  return s->text;
}
