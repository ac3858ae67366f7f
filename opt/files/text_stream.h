/* A stream into a text that grows. Unlike open_memstream, which drops characters without an error if memory runs out,
 * it returns the complete text or none, which is counted (base/memory.h). */
#ifndef MBO_TEXT_STREAM_H
#define MBO_TEXT_STREAM_H

#include <stdio.h>

typedef struct text_stream {
  FILE *out; /* to write to; NULL: no memory */
  char *text;
  size_t size, capacity; /* number of characters; number for which there is memory */
  int lost;              /* memory ran out */
} text_stream;

/* Begins a text. The caller owns *s, which must not move until text_end. Returns s->out. */
FILE *text_begin(text_stream *s);

/* Ends the stream and returns the text that was written, in new memory with a zero at its end; NULL: memory ran out. */
char *text_end(text_stream *s);

#endif
