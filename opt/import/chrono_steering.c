/* Steerings of Chrono's vehicles, in frames of their own (ChRackPinion.cpp, ChPitmanArm.cpp). */
#include <math.h>

#include "files/json.h"
#include "import/chrono_parts.h"

static mbd_status add(const chrono_file *f, const json_t *row, const char *file, const double R[9], chrono_steering *s,
                      chrono_model *m, mbd_error *err) {
  const double axes[9] = {R[0], R[3], R[6], R[1], R[4],
                          R[7], R[2], R[5], R[8]}; /* of the car, in the steering's frame */
  const char *radius = json_text_in(row, "radius"), *name;
  chrono_tables t = {.npoint = 0};
  double r = 1;
  snprintf(s->coordinate, sizeof s->coordinate, "%s", json_text_in(row, "coordinate"));
  MBD_TRY(chrono_text(f, "Name", &name, err));
  MBD_TRY(chrono_number(f, json_text_in(row, "angle"), &s->greatest, err));
  if (*radius) { MBD_TRY(chrono_number(f, radius, &r, err)); }
  s->greatest = fabs(r * s->greatest) * (acos(-1) / 180);
  MBD_TRY(chrono_add_points(&t, f, row, err));
  MBD_TRY(chrono_add_bodies(&t, f, row, axes, err));
  MBD_TRY(chrono_add_tables(m, file, &t, err));
  const chrono_value values[] = {
      {"file", file, 0}, {"points", NULL, t.npoint ? 1 : NAN}, {"part", json_text_in(row, "part"), 0}};
  return chrono_add_text(m, file, name, chrono_text_steering_ini, values, 3, err);
}

mbd_status chrono_add_steering(const chrono_file *f, const char *file, const double R[9], chrono_steering *s,
                               chrono_model *m, mbd_error *err) {
  json_t *row;
  MBD_TRY(chrono_template(f, "Steering", &row, err));
  const mbd_status status = add(f, row, file, R, s, m, err);
  json_decref(row);
  return status;
}
