#include "results/mechanism_view.h"

#include <stdlib.h>

#include "files/json.h"
#include "files/text_stream.h"
#include "results/joint_graph.h"
#include "files/memory.h"

static json_t *joints(const mbd_model *model) {
  json_t *list = json_array();
  for (int i = 0; i < mbd_model_njoint(model); i++) {
    mbd_joint_report j;
    mbd_model_joint(model, i, &j);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:[s,s], s:b, s:b, s:i, s:s?}", "name", j.name, "type", j.type, "bodies", j.body[0],
                        j.body[1], "found", j.found, "cut", j.cut, "equations", j.nphi, "why", j.why));
  }
  return list;
}

void mechanism_view(const mechanism_case *load, json_t *o) {
  const mbd_model *model = load->v->model;
  int rank, nheld, n = mbd_model_nz(model) - mbd_model_nstate(model), m = mbd_model_nphi(model);
  const int *row, *held;
  mbd_sim_rank(load->sim, &rank, &row, &nheld, &held);
  json_t *redundant = json_array(), *held_by_model = json_array(), *kept = json_array();
  for (int i = rank; i < m; i++) { json_array_append_new(redundant, json_string(mbd_model_phi_name(model, row[i]))); }
  for (int i = 0; i < mbd_model_nhold(model); i++) {
    json_array_append_new(held_by_model, json_string(mbd_model_hold_name(model, i)));
  }
  for (int i = 0; i < nheld; i++) { json_array_append_new(kept, json_string(mbd_model_z_name(model, held[i]))); }
  json_object_set_new(o, "joints", joints(model));
  json_object_set_new(o, "bodies", json_integer(mbd_model_nbody(model)));
  json_object_set_new(o, "coordinates", json_integer(n));
  json_object_set_new(o, "equations", json_integer(m));
  json_object_set_new(o, "rank", json_integer(rank));
  json_object_set_new(o, "degrees_of_freedom", json_integer(n - rank));
  if (mbd_model_nvelocity(model) > 0) {
    json_t *left_out = json_array();
    for (int k = 0, i; (i = mbd_sim_left_out(load->sim, k)) >= 0; k++) {
      json_array_append_new(left_out, json_string(mbd_model_phi_name(model, i)));
    }
    json_object_set_new(o, "velocity_equations", json_integer(mbd_model_nvelocity(model)));
    json_object_set_new(o, "degrees_of_freedom_of_positions", json_integer(n - mbd_sim_position_rank(load->sim)));
    json_object_set_new(o, "left_out", left_out);
  }
  json_object_set_new(o, "redundant", redundant);
  json_object_set_new(o, "held", held_by_model);
  json_object_set_new(o, "kept_at_guess", kept);
}

mbd_status mechanism_view_graph(const mechanism_case *load, json_t *o, mbd_error *err) {
  enum { BODIES_MAX = 60 };
  if (mbd_model_nbody(load->v->model) > BODIES_MAX) { return MBD_OK; }
  text_stream s;
  FILE *out = text_begin(&s);
  const mbd_status status = out ? joint_graph_svg(out, load->v->model, err) : MBD_NO_MEMORY;
  char *svg = text_end(&s);
  if (status == MBD_OK && svg) { json_object_set_new(o, "graph", json_text(svg)); }
  free(svg);
  if (status != MBD_OK || !svg) { return MEMORY_NONE(err, "the graph of the mechanism"); }
  return MBD_OK;
}
