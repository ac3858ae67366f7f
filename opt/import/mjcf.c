#include "import/mjcf.h"

#include <stdlib.h>
#include <string.h>

#include "base/v3.h"
#include "files/memory.h"
#include "import/mjcf_read.h"

/* <option>: gravity, which a flag can switch off, and the air, which the model does not have. */
static mbd_status read_options(mjcf_reader *in) {
  const xml_element *root = in->file.root;
  for (int i = 0; i < root->nchild; i++) {
    const xml_element *e = root->child[i], *flag = xml_child(e, "flag");
    double density = 0, viscosity = 0;
    if (strcmp(e->name, "option") != 0) { continue; }
    MBD_TRY(mjcf_numbers(&in->file, e, "gravity", 3, 3, in->r->gravity, NULL));
    MBD_TRY(mjcf_number(&in->file, e, "density", &density));
    MBD_TRY(mjcf_number(&in->file, e, "viscosity", &viscosity));
    if (density > 0 || viscosity > 0) {
      MBD_TRY(element_warn(&in->file.elements, e, "has a medium, whose forces are left out"));
    }
    const char *gravity = flag ? xml_get(flag, "gravity") : NULL;
    if (gravity && strcmp(gravity, "disable") == 0) { v3_set(in->r->gravity, 0, 0, 0); }
  }
  return MBD_OK;
}

static mbd_status read_all(mjcf_reader *in) {
  const char *name = xml_get(in->file.root, "model");
  int *motor = NULL, nmotor = 0;
  in->r->name = mbd_strdup(name && *name ? name : "robot");
  MBD_TRY(read_options(in));
  MBD_TRY(mjcf_read_bodies(in));
  MBD_TRY(mjcf_read_tendons(in));
  MBD_TRY(mjcf_read_equalities(in));
  mbd_status status = mjcf_read_motors(in, &motor, &nmotor);
  if (status == MBD_OK) { status = mjcf_read_keys(in, motor, nmotor); }
  free(motor);
  return status;
}

mbd_status mjcf_read(const char *path, robot *r, mbd_error *err) {
  mjcf_reader in = {.r = r};
  robot_begin(r, path);
  r->note =
      "Left out: contacts, so bodies pass through each other. Limits bound designs, not motions; equality constraints "
      "hold exactly.";
  mbd_status status = mjcf_open(path, r, &in.file, err);
  if (status == MBD_OK) { status = read_all(&in); }
  if (status == MBD_OK) { status = robot_finish(r, err); }
  for (int i = 0; i < in.ntendon; i++) { free(in.tendon[i].joint), free(in.tendon[i].coef); }
  free(in.place), free(in.axis), free(in.site), free(in.tendon);
  mbd_names_free(&in.bodies), mbd_names_free(&in.joints), mbd_names_free(&in.sites), mbd_names_free(&in.tendons);
  mjcf_close(&in.file);
  return status;
}
