/* Run files: any bytes are read or refused; what is read is written as resolved.ini and read again. */
#include "config/config.h"
#include "fuzz.h"

static void read_again(const mbo_run_config *c) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  mbo_run_config *again = NULL;
  mbd_error err = {0};
  promise(out != NULL, "memory", "none");
  mbo_run_config_write(c, out);
  fclose(out);
  const fuzz_file f = fuzz_file_create(text, size);
  const mbd_status status = mbo_run_config_read(f.path, 0, NULL, &again, &err);
  promise(status == MBD_OK, "resolved.ini is read again", err.text);
  mbo_run_config_destroy(again);
  fuzz_file_close(&f);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz_file f = fuzz_file_create(data, size);
  mbo_run_config *c = NULL;
  mbd_error err = {0};
  if (mbo_run_config_read(f.path, 0, NULL, &c, &err) == MBD_OK) { read_again(c); }
  mbo_run_config_destroy(c);
  free(mbo_run_config_origin(f.path));
  fuzz_file_close(&f);
  return 0;
}
