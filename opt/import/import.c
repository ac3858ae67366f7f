#include "import/import.h"

#include <string.h>

#include "files/xml.h"
#include "import/mjcf.h"
#include "import/robot_fill.h"
#include "import/sdf.h"
#include "import/urdf.h"

typedef struct format {
  const char *root; /* its outermost element */
  mbd_status (*read)(const char *path, robot *r, mbd_error *err);
} format;

static const format formats[] = {{"robot", urdf_read}, {"mujoco", mjcf_read}, {"sdf", sdf_read}};

mbd_status import_read(const char *path, robot *r, mbd_error *err) {
  xml_element *root;
  robot_begin(r, path);
  MBD_TRY(xml_read(path, &root, err));
  const format *known = NULL;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    if (strcmp(formats[i].root, root->name) == 0) { known = &formats[i]; }
  }
  mbd_status status = MBD_OK;
  if (!known) {
    status = MBD_FAILED(
        err, MBD_BAD_INPUT,
        "%s:%d: <%.60s>: expected <robot> of a URDF file, <mujoco> of an MJCF file, or <sdf> of an SDFormat file", path,
        root->line, root->name);
  }
  xml_free(root);
  if (!known) { return status; }
  robot_free(r);
  return known->read(path, r, err);
}
