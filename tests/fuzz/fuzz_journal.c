/* Journals: any bytes are read or refused; a line that is appended then is one record more. */
#include "evaluate/journal.h"
#include "fuzz.h"

static const char *const names[] = {"a", "b"}, *const c_names[] = {"c"};
static const mbo_problem problem = {.name = "fuzz", .n = 2, .names = names, .nc = 1, .c_names = c_names};

/* The records of the journal, which stays open; -1: it is refused. */
static int open_it(const char *path, journal **j) {
  journal_record *record = NULL;
  int n = 0;
  mbd_error err = {0};
  const mbd_status status = journal_open(path, &problem, "0123456789abcdef", j, &record, &n, &err);
  promise(status == MBD_OK || *err.text, "a journal that is refused", "without a reason");
  journal_free_records(record, n);
  return status == MBD_OK ? n : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz_file f = fuzz_file_create(data, size);
  journal *j = NULL;
  const int n = open_it(f.path, &j);
  if (n >= 0) {
    double x[] = {1, 2}, c[] = {3};
    const journal_record record = {.number = 1, .status = MBD_OK, .seconds = 1, .x = x, .f = 4, .c = c};
    mbd_error err = {0};
    promise(journal_append(j, &record, &err) == MBD_OK, "a line is appended", err.text);
    journal_close(j);
    promise(open_it(f.path, &j) == n + 1, "one record more", "not found");
    journal_close(j);
  }
  fuzz_file_close(&f);
  return 0;
}
