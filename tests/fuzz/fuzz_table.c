/* Tables: the same bytes as the points of a curve, as the table of a sweep, as a table of results. */
#include "fuzz.h"
#include "mbo/model_file.h"
#include "files/csv.h"

static void read_curve(const char *path) {
  char text[200];
  snprintf(text, sizeof text, "schema = 1\n[curve c]\ntype = table\nfile = %s\n", path);
  const fuzz_file f = fuzz_file_create(text, strlen(text));
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  const mbd_status status = mbo_model_file_read(f.path, 0, NULL, NULL, &m, &err);
  promise(status == MBD_OK || strstr(err.text, path), "a message that names the file", err.text);
  mbo_model_file_destroy(m);
  fuzz_file_close(&f);
}

static void read_cells(const char *path, int whole) {
  csv c;
  mbd_error err = {0};
  if (csv_read(path, whole, &c, &err) != MBD_OK) {
    promise(*err.text, "a table that is refused", "without a reason");
    return;
  }
  for (int i = 0; i < c.nrow; i++) {
    for (int j = 0; j < c.ncol; j++) { promise(!whole || *csv_text(&c, i, j), "a value in every cell", "none"); }
    (void)csv_number(&c, i, csv_column(&c, csv_text(&c, -1, c.ncol - 1)));
  }
  csv_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz_file f = fuzz_file_create(data, size);
  read_curve(f.path);
  read_cells(f.path, 1);
  read_cells(f.path, 0);
  fuzz_file_close(&f);
  return 0;
}
