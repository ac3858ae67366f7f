/* Tables: the same bytes as the points of a curve, as the table of a sweep, as a table of results. */
#include "fuzz.h"
#include "mbo/config.h"
#include "files/csv.h"
#include "study/table_csv.h"

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

static void read_points(const char *path) {
  table_csv t;
  const char *const *row;
  mbd_error err = {0};
  if (table_csv_open(path, &t, &err) != MBD_OK) { return; }
  while (table_csv_next(&t, &row, &err)) {
    for (int i = 0; i < t.ncolumn; i++) { promise(*row[i] != '\0', "a value in every cell", "none"); }
  }
  promise(t.status == MBD_OK || *err.text, "a table that is refused", "without a reason");
  table_csv_close(&t);
}

static void read_results(const char *path) {
  csv c;
  mbd_error err = {0};
  if (csv_read(path, &c, &err) != MBD_OK) { return; }
  for (int i = 0; i < c.nrow; i++) { (void)csv_number(&c, i, csv_column(&c, csv_text(&c, -1, c.ncol - 1))); }
  csv_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz_file f = fuzz_file_create(data, size);
  read_curve(f.path);
  read_points(f.path);
  read_results(f.path);
  fuzz_file_close(&f);
  return 0;
}
