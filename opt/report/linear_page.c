#include "report/linear_page.h"

#include "files/json.h"
#include "report/assets.h"
#include "report/page.h"

static void what_was_linearized(page *p, const json_t *o) {
  const char *varied = json_text_in(o, "varied");
  page_section(p, "What was linearized");
  page_facts_open(p);
  page_fact(p, "mechanism", json_text_in(o, "mechanism"));
  page_fact(p, "run file", json_text_in(o, "run_file"));
  page_fact(p, "varied", varied);
  page_fact_of(p, *varied ? "values and cases" : "cases", "%zu", json_array_size(json_object_get(o, "entries")));
  page_facts_close(p);
  page_text(p,
            "Small motions about the start of each case: every deviation is a sum of modes that grow or decay with the "
            "real part of their eigenvalue and swing with its imaginary part. The system is stable where no real part "
            "is positive. An eigenvalue of zero is a rigid motion: it is free, no force depends on it. Those that "
            "rounding cannot tell from zero are called zero.");
}

/* Writes the page: facts, containers for the figures, and the scripts that draw them from the entries. */
mbd_status linear_page_write(const json_t *o, const char *path, mbd_error *err) {
  page *p = NULL;
  MBD_TRY(page_create_about(json_text_in(o, "run_file"), "small motions", &p, err));
  what_was_linearized(p, o);
  /* Containers that linear.js fills. */
  page_section(p, "Eigenvalues");
  page_container(p, "roots");
  page_section(p, "Modes");
  page_container(p, "modes");
  /* The scripts, their data, and the call that draws the figures. */
  page_uses_plots(p);
  page_uses_scene(p);
  page_script(p, &mbo_asset_linear_js);
  page_json(p, "linear", o);
  const mbd_status status = page_write(p, path, err);
  page_destroy(p);
  return status;
}
