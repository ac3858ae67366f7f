/* Journals: any bytes are read or refused; what is refused stays as it was, and a line that is appended to the others then is one
 * record more. */
#include "evaluate/journal.h"
#include "fuzz.h"

static const char *const names[] = {"a", "b"}, *const c_names[] = {"c"};
static const mbo_problem problem = {.name = "fuzz", .n = 2, .names = names, .nc = 1, .c_names = c_names};
static char folder[60]; /* "": not made yet */

static void remove_folder(void) {
  fuzz_folder_empty(folder);
  rmdir(folder);
}

/* The records of the journal, which stays open; -1: it is refused. */
static int open_it(const char *path, journal **j) {
  journal_content content = {0};
  mbd_error err = {0};
  const mbd_status status = journal_open(path, &problem, "0123456789abcdef", j, &content, &err);
  const int n = content.n;
  promise(status == MBD_OK || *err.text, "a journal that is refused", "without a reason");
  journal_content_free(&content);
  return status == MBD_OK ? n : -1;
}

static void append(const char *path, int n, journal *j) {
  double x[] = {1, 2}, c[] = {3};
  const journal_record record = {.number = 1, .status = MBD_OK, .seconds = 1, .x = x, .f = 4, .c = c};
  mbd_error err = {0};
  promise(journal_append(j, &record, &err) == MBD_OK, "a line is appended", err.text);
  journal_close(j);
  promise(open_it(path, &j) == n + 1, "one record more", "not found");
  journal_close(j);
}

static void check_unchanged(const char *path, const uint8_t *data, size_t size) {
  FILE *in = fopen(path, "rb");
  promise(in != NULL, "a refused file stays", path);
  for (size_t i = 0; i < size; i++) { promise(getc(in) == data[i], "a refused file stays as it was", path); }
  promise(getc(in) == EOF, "a refused file stays as it was", path);
  fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char path[100];
  journal *j = NULL;
  if (!*folder) {
    fuzz_folder_make(folder);
    atexit(remove_folder);
  }
  fuzz_folder_empty(folder);
  snprintf(path, sizeof path, "%s/journal.jsonl", folder);
  FILE *out = fopen(path, "wb");
  promise(out && fwrite(data, 1, size, out) == size && fclose(out) == 0, "a journal", path);
  int open;
  mbd_error none;
  (void)journal_is_open(path, &open, &none);
  const int n = open_it(path, &j);
  if (n >= 0) {
    append(path, n, j);
  } else {
    check_unchanged(path, data, size);
  }
  return 0;
}
