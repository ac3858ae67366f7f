/* Model files: any bytes are read or refused; what is read becomes a model, or is refused with a reason. */
#include "fuzz.h"
#include "mbd/model.h"
#include "mbo/model_file.h"

enum { MAX_COEFFICIENTS = 5000 }; /* of which a model is made: the reader is meant here, not the cost of large models */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const fuzz_file f = fuzz_file_create(data, size);
  mbo_model_file *m = NULL;
  mbd_error err = {0};
  if (mbo_model_file_read(f.path, 0, NULL, NULL, &m, &err) == MBD_OK) {
    const mbd_spec *spec = mbo_model_file_spec(m);
    mbd_model *model = NULL;
    if (mbd_spec_ncoef(spec) <= MAX_COEFFICIENTS && mbd_model_create(spec, &model, &err) != MBD_OK) {
      promise(*err.text != '\0', "a model that is refused", "without a reason");
    }
    mbd_model_destroy(model);
  } else {
    promise(*err.text != '\0', "a model file that is refused", "without a reason");
  }
  mbo_model_file_destroy(m);
  fuzz_file_close(&f);
  return 0;
}
