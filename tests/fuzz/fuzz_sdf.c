/* Robots in SDFormat: any bytes are read or refused; what is read becomes a model file that is read too. */
#include "fuzz_robot.h"
#include "import/sdf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_robot(data, size, sdf_read);
}
