/* mbopt backends, mbopt schema, mbopt parts */
#include <jansson.h>
#include <stdio.h>

#include "base/nearest.h"
#include "cli/cli.h"
#include "config/shipped_parts.h"
#include "mbo/backend.h"

/* `mbopt backends`: prints every backend with its abilities and algorithms. */
int command_backends(const cli_arguments *a) {
  mbo_backend_info info;
  json_t *list = json_array();
  for (int i = 0; mbo_backend_at(i, &info); i++) {
    const char *name, *doc;
    json_t *algorithms = json_array();
    /* The backend, with its abilities. */
    if (!a->json) {
      printf("%s: %s\n", info.name, info.doc);
      if (info.package) { printf("  NOT BUILT IN: install the Debian package %s and build again\n", info.package); }
      printf("  bounds: %s, nonlinear constraints: %s, without gradient: %s, Gauss-Newton: %s, exact Hessian: %s\n",
             info.caps & MBO_CAP_BOUNDS ? "yes" : "no", info.caps & MBO_CAP_CONSTRAINTS ? "yes" : "no",
             info.caps & MBO_CAP_GRADIENT_FREE ? "yes" : "no", info.caps & MBO_CAP_GAUSS_NEWTON ? "yes" : "no",
             info.caps & MBO_CAP_HESSIAN ? "yes" : "no");
    }
    /* Its algorithms. */
    for (int k = 0; mbo_backend_algorithm(info.name, k, &name, &doc); k++) {
      if (!a->json) { printf("  %-28s %s\n", name, doc); }
      json_array_append_new(algorithms, json_string(name));
    }
    json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:o}", "name", info.name, "doc", info.doc, "built_in",
                                          info.package == NULL, "algorithms", algorithms));
  }
  const int code = a->json ? cli_print_json(list, EXIT_CONVERGED) : EXIT_CONVERGED;
  json_decref(list);
  return code;
}

int command_schema(const cli_arguments *a) {
  mbd_error err = {0};
  const char *format = a->format ? a->format : "text";
  mbd_status status = mbo_schema_write(stdout, a->json ? "json" : format, &err);
  return status == MBD_OK ? EXIT_CONVERGED : cli_error(&err, EXIT_USAGE);
}

static void print_title(const char *name, const char *text) {
  int n;
  const char *title = shipped_title(text, &n);
  printf("%-26s %.*s\n", name, n, title);
}

/* `mbopt parts`: lists the parts of models and the tyres in the program, or prints the file of one. */
int command_parts(const cli_arguments *a) {
  for (int i = 0; !a->file && shipped_part_name(i); i++) { print_title(shipped_part_name(i), shipped_part_text(i)); }
  for (int i = 0; !a->file && shipped_tyre_name(i); i++) { print_title(shipped_tyre_name(i), shipped_tyre_text(i)); }
  if (!a->file) {
    printf(
        "[part ANY_NAME] with `use = NAME` makes one a part of a model, and `tir = NAME` of a tyre_magic_formula takes "
        "a tyre; "
        "mbopt parts NAME prints its file\n");
    return EXIT_CONVERGED;
  }
  const int i = mbd_word_find(a->file, shipped_part_name), tyre = mbd_word_find(a->file, shipped_tyre_name);
  if (i < 0 && tyre < 0) { return cli_unknown_name("parts", a->file, shipped_part_name); }
  fputs(i < 0 ? shipped_tyre_text(tyre) : shipped_part_text(i), stdout);
  return EXIT_CONVERGED;
}
