/* The table of outputs: a new quantity is one row in the file of its kind of object, a new kind one file and one word here. */
#include <stdio.h>

#include "output/output.h"
#include "base/sized.h"

/* Names are tried in this order, in which coordinates, whose names have dots, come first. */
static const output_object *const objects[] = {
    &output_coordinates,     &output_states,       &output_points,
    &output_bodies,          &output_forces,       &output_joints,
    &output_multipliers,     &output_energies,     &output_distances,
    &output_heights,         &output_angles,       &output_turns,
    &output_areas,           &output_mechanism,    &output_centres,
    &output_driven_centres,  &output_roll_centres, &output_driven_roll_centres,
    &output_velocity_ratios, &output_beams,        &output_derived};
enum { N_OBJECTS = sizeof objects / sizeof objects[0] };

const output_object *output_object_at(int i) {
  return i >= 0 && i < N_OBJECTS ? objects[i] : NULL;
}

int mbd_output_info_at_sized(int i, mbd_output_info *info, size_t size) {
  static const char *const endings[] = {"", "[.x/.y/.z/.norm]", ".x/.y/.z", "[.x/.y/.z/.norm]"};
  for (int k = 0; k < N_OBJECTS; k++) {
    for (const output_ops *ops = objects[k]->row; ops->doc; ops++) {
      if (i-- > 0) { continue; }
      const char *quantity = ops->quantity ? ops->quantity : "QUANTITY";
      mbd_output_info ours = {.unit = ops->unit ? ops->unit : "", .doc = ops->doc};
      snprintf(ours.name, sizeof ours.name, "%s%s%s%s%s", objects[k]->word, *quantity ? "." : "", quantity,
               objects[k]->seen ? "[@BODY]" : "", endings[ops->shape]);
      sized_write(info, size, &ours, sizeof ours);
      return 1;
    }
  }
  return 0;
}

void output_rows(mbd_work *w, const output *o, const mbd_real *lam, mbd_real *g_z, mbd_real *g_zd, mbd_real *g_zdd,
                 mbd_real *g_lam) {
  output_rows_alike(w, o, 1, lam, &(output_row){g_z, g_zd, g_zdd, g_lam});
}
