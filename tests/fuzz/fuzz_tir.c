/* Property files of tyres: any bytes are read or refused; then every key has a number, or a reason why not. */
#include "config/tir.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz_file f = fuzz_file_create(data, size);
  tir_file t;
  mbd_error err = {0};
  if (tir_read(f.path, NULL, &t, &err) == MBD_OK) {
    for (int i = 0; i < t.n; i++) {
      const tir_entry *e;
      double value;
      (void)tir_number(&t, t.entry[i].key, &value, &e, &err);
      promise(e != NULL, "a key that is there", t.entry[i].key);
    }
  }
  tir_free(&t);
  fuzz_file_close(&f);
  return 0;
}
