#include "files/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "files/memory.h"

enum { MIB = 1 << 20, PIECE = 1 << 16 };

/* A word for a file that is not a regular file, by its mode. */
static const char *kind_of_file(mode_t mode) {
  return S_ISDIR(mode)                    ? "a folder"
         : S_ISFIFO(mode)                 ? "a pipe"
         : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                          : "no regular file";
}

mbd_status text_file_open(const char *path, FILE **in, mbd_error *err) {
  struct stat info;
  *in = NULL;
  MEMORY_TRY(path, err, "the path of a file");
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer would be waited for */
  if (file < 0 || fstat(file, &info) != 0) {
    const int error = errno;
    if (file >= 0) { close(file); }
    MBD_FAIL(err, MBD_IO_ERROR, "%s: %s", path, strerror(error));
  }
  if (!S_ISREG(info.st_mode)) {
    close(file);
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: is %s, expected a file", path, kind_of_file(info.st_mode));
  }
  *in = fdopen(file, "r");
  if (!*in) { close(file); }
  MEMORY_TRY(*in, err, "%s", path);
  return MBD_OK;
}

/* Reads all bytes, at most one more than `max`; the last one shows that the file is longer. */
static mbd_status read_bytes(FILE *in, const char *path, size_t max, text_file *t, mbd_error *err) {
  size_t capacity = 0, n = 1;
  while (n > 0 && t->size <= max) {
    if (t->size + PIECE + 1 > capacity) {
      const size_t wider = 2 * capacity + PIECE + 1;
      char *grown = realloc(t->text, wider);
      MEMORY_TRY(grown, err, "%s", path);
      t->text = grown, capacity = wider;
    }
    n = fread(t->text + t->size, 1, PIECE, in);
    t->size += n;
  }
  if (ferror(in)) { MBD_FAIL(err, MBD_IO_ERROR, "%s: cannot be read: %s", path, strerror(errno)); }
  t->text[t->size] = '\0';
  return MBD_OK;
}

static int begins_with(const text_file *t, const char *bytes) {
  const size_t n = strlen(bytes);
  return t->size >= n && memcmp(t->text, bytes, n) == 0;
}

/* Refuses zero bytes, which texts in UTF-8 do not contain and texts in some other encodings do. */
static mbd_status check_text(const text_file *t, const char *path, mbd_error *err) {
  if (begins_with(t, "\xFF\xFE") || begins_with(t, "\xFE\xFF")) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: is in UTF-16; save the file in UTF-8", path);
  }
  const char *zero = memchr(t->text, '\0', t->size);
  int line = 1;
  if (!zero) { return MBD_OK; }
  for (const char *c = t->text; (c = memchr(c, '\n', (size_t)(zero - c))) != NULL; c++) { line++; }
  MBD_FAIL(err, MBD_BAD_INPUT, "%s:%d: a zero byte: this is no text file", path, line);
}

static mbd_status read_limited(FILE *in, const char *path, int max, int text, text_file *t, mbd_error *err) {
  MBD_TRY(read_bytes(in, path, (size_t)max * MIB, t, err));
  if (t->size > (size_t)max * MIB) {
    MBD_FAIL(err, MBD_BAD_INPUT, "%s: has more than %d MiB, expected a %sfile of at most that", path, max,
             text ? "text " : "");
  }
  return text ? check_text(t, path, err) : MBD_OK;
}

static json_t *kept;

void text_files_keep(json_t *files) {
  kept = files;
}

/* A byte from 128 on has two in UTF-8. */
static json_t *latin1(const text_file *t) {
  size_t n = 0;
  char *s = malloc(2 * t->size + 1);
  for (size_t i = 0; s && i < t->size; i++) {
    const unsigned char c = (unsigned char)t->text[i];
    if (c >= 0x80) { s[n++] = (char)(0xC0 | c >> 6); }
    s[n++] = (char)(c >= 0x80 ? 0x80 | (c & 0x3F) : c);
  }
  json_t *text = s ? json_stringn(s, n) : NULL;
  if (!text) { mbd_memory_note(); }
  free(s);
  return text;
}

static mbd_status read_file(const char *path, int max, int text, text_file *t, mbd_error *err) {
  FILE *in;
  *t = (text_file){0};
  MBD_TRY(text_file_open(path, &in, err));
  const mbd_status status = read_limited(in, path, max, text, t, err);
  fclose(in);
  if (status != MBD_OK) { text_file_free(t); }
  if (status == MBD_OK && kept) { json_object_set_new(kept, path, latin1(t)); }
  return status;
}

mbd_status bytes_read(const char *path, int max, text_file *t, mbd_error *err) {
  return read_file(path, max, 0, t, err);
}

mbd_status text_file_read(const char *path, int max, text_file *t, mbd_error *err) {
  MBD_TRY(read_file(path, max, 1, t, err));
  t->left = t->text + (begins_with(t, "\xEF\xBB\xBF") ? 3 : 0);
  return MBD_OK;
}

mbd_status text_file_copy(const char *text, const char *what, text_file *t, mbd_error *err) {
  *t = (text_file){.text = mbd_strdup(text), .size = strlen(text)};
  MEMORY_TRY(t->text, err, "%s", what);
  t->left = t->text;
  return MBD_OK;
}

void text_file_free(text_file *t) {
  free(t->text);
  *t = (text_file){0};
}

char *text_file_line(text_file *t) {
  char *line = t->left, *end = t->text + t->size;
  if (!line || line == end) { return NULL; }
  char *stop = memchr(line, '\n', (size_t)(end - line));
  t->left = stop ? stop + 1 : end;
  if (!stop) { stop = end; }
  if (stop > line && stop[-1] == '\r') { stop--; }
  *stop = '\0';
  t->line++;
  return line;
}

/* Bytes of the character at s, 0: none of UTF-8. No longer forms than needed, no halves of pairs, none above 10FFFF. */
static int character(const unsigned char *s) {
  static const struct {
    unsigned char first, last, low, high; /* of the first byte, of the second */
    int n;
  } forms[] = {{0x01, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
               {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
               {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
  for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
    if (*s < forms[i].first || *s > forms[i].last) { continue; }
    if (forms[i].n > 1 && (s[1] < forms[i].low || s[1] > forms[i].high)) { return 0; }
    for (int k = 2; k < forms[i].n; k++) {
      if (s[k] < 0x80 || s[k] > 0xBF) { return 0; }
    }
    return forms[i].n;
  }
  return 0;
}

int text_is_utf8(const char *s) {
  const unsigned char *c = (const unsigned char *)s;
  while (*c) {
    const int n = character(c);
    if (n == 0) { return 0; }
    c += n;
  }
  return 1;
}
