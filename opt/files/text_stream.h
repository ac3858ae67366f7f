/* A stream into a text that grows. Unlike open_memstream, which drops characters without an error if memory runs out, it gives the whole
 * text or none. */
#ifndef MBO_TEXT_STREAM_H
#define MBO_TEXT_STREAM_H

#include <stdio.h>

typedef struct text_stream {
  FILE *out; /* to write to; NULL: no memory */
  char *text;
  size_t size, room; /* characters, and those that there is memory for */
  int lost;          /* memory ran out */
} text_stream;

/* The caller's memory, which stays where it is until the end. Returns s->out. */
FILE *text_begin(text_stream *s);

/* All that was written, in new memory with a zero at its end; NULL: memory ran out. */
char *text_end(text_stream *s);

#endif
