/* What the fuzz targets share. Each reader has one: a function that takes any bytes, and must come back. With MBOPT_FUZZ they
 * are libFuzzer's programs (scripts/fuzz); else replay.c gives them the files named on the command line. */
#ifndef MBOPT_FUZZ_H
#define MBOPT_FUZZ_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise of the reader that is broken is an artifact like a crash. */
static inline void promise(int kept, const char *what, const char *detail) {
  if (kept) { return; }
  fprintf(stderr, "broken promise: %s: %s\n", what, detail);
  abort();
}

/* A file in memory, for readers that take a path. */
typedef struct fuzz_file {
  int file;
  char path[40];
} fuzz_file;

static inline fuzz_file fuzz_file_create(const void *data, size_t size) {
  fuzz_file f = {.file = memfd_create("fuzz", MFD_CLOEXEC)};
  promise(f.file >= 0 && write(f.file, data, size) == (ssize_t)size, "a file in memory", "not written");
  snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.file);
  return f;
}

static inline void fuzz_file_close(const fuzz_file *f) {
  close(f->file);
}

/* Where the readers have a folder: one for all inputs of this process, in memory where that is possible. */
static inline void fuzz_folder_make(char folder[60]) {
  snprintf(folder, 60, "%s/mbopt_fuzz_XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
  promise(mkdtemp(folder) != NULL, "a folder", folder);
}

static inline void fuzz_folder_empty(const char *folder) {
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d)) != NULL;) { unlinkat(dirfd(d), e->d_name, 0); }
  if (d) { closedir(d); }
}

/* The bytes as a text, which ends at the first zero byte. New memory. */
static inline char *fuzz_text(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  promise(text != NULL, "memory", "none");
  memcpy(text, data, size);
  text[size] = '\0';
  return text;
}

#endif
