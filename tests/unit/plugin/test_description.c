/* Descriptions at the end of libraries: what is written is read back; others' bytes make no force that is not complete; functions are taken
 * from a library with the same tables alone. */
#include <unistd.h>

#include "own_force.h"
#include "plugin/plugin.h"
#include "test.h"

static char path[] = "/tmp/mbopt_library_XXXXXX";

static void write_library(const char *end) {
  FILE *out = fopen(path, "w");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  fprintf(out, "the code of a library%s", end);
  fclose(out);
}

/* The description of the library; NULL: it is refused, with the reason in *err. */
static plugin_description *description_of(mbd_error *err) {
  text_file library;
  plugin_description *d;
  must(bytes_read(path, 1, &library, err), err);
  const mbd_status status = description_read(&library, &d, err);
  CU_ASSERT_EQUAL(status, d ? MBD_OK : MBD_BAD_INPUT);
  text_file_free(&library);
  return d;
}

static void test_read_back(void) {
  mbd_error err = {0};
  const mbd_user_force *u = &mbd_plugin;
  write_library("");
  must(description_append(path, u, &err), &err);
  plugin_description *d = description_of(&err);
  CU_ASSERT_PTR_NOT_NULL_FATAL(d);
  const mbd_user_force *got = &d->force;
  CU_ASSERT_STRING_EQUAL(got->name, u->name);
  CU_ASSERT_EQUAL(got->narg, u->narg);
  CU_ASSERT_EQUAL(mbd_user_force_ncoef(got), mbd_user_force_ncoef(u));
  CU_ASSERT_EQUAL(mbd_user_force_noutput(got), mbd_user_force_noutput(u));
  CU_ASSERT_STRING_EQUAL(mbd_user_force_derivatives(got), mbd_user_force_derivatives(u));
  for (int i = 0; u->coefs[i].key; i++) {
    CU_ASSERT_STRING_EQUAL(got->coefs[i].key, u->coefs[i].key);
    CU_ASSERT(got->coefs[i].dflt == u->coefs[i].dflt || (isnan(got->coefs[i].dflt) && isnan(u->coefs[i].dflt)));
    CU_ASSERT(got->coefs[i].min == u->coefs[i].min && got->coefs[i].max == u->coefs[i].max);
  }
  for (int i = 0; i < u->narg; i++) {
    CU_ASSERT(got->arg[i].kind == u->arg[i].kind && got->arg[i].a == u->arg[i].a && got->arg[i].b == u->arg[i].b);
  }
  /* before the library is taken nothing computes, and what would be called gives no number */
  double state[MBD_USER_STATE] = {0}, coef[MBD_USER_COEFS] = {0}, y[MBD_USER_RESULTS];
  got->value(state, coef, 1, y);
  CU_ASSERT(isnan(y[0]) && got->value != u->value);
  must(description_take(d, u, &err), &err);
  CU_ASSERT(got->value == u->value && got->value_complex == u->value_complex && got->slopes == u->slopes);
  /* other tables are not those of the description */
  mbd_user_force other = *u;
  other.doc = "Another one.";
  CU_ASSERT_EQUAL(description_take(d, &other, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "differ from the description at its end");
  description_free(d);
}

static void test_refused(void) {
  static const char *const row[][2] = {
      {"", "does not end with the description"},
      {"{}\nmbopt plugin 00000002", "does not end with the description"},
      {"{}\nmbopt plugin 0000ffff\n", "does not end with the description"},
      {"{}\nmbopt plugin 0000000g\n", "does not end with the description"},
      {"{}\nmbopt plugin 00000002\n", "version 0 of the interface"},
      {"[[[\nmbopt plugin 00000003\n", "version 0 of the interface"},
  };
  mbd_error err = {0};
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
    write_library(row[i][0]);
    CU_ASSERT_PTR_NULL(description_of(&err));
    CHECK_CONTAINS(err.text, row[i][1]);
  }
}

/* A byte of the JSON, replaced by others in turn: every result is refused, or a force that mbd_user_force_check takes. */
static void test_damaged(void) {
  static const char bytes[] = "\"[]{}0-9,:\x80";
  mbd_error err = {0};
  text_file library;
  write_library("");
  must(description_append(path, &mbd_plugin, &err), &err);
  must(bytes_read(path, 1, &library, &err), &err);
  int whole = 0, refused = 0;
  for (size_t i = strlen("the code of a library"); i < library.size; i++) {
    const char was = library.text[i];
    plugin_description *d;
    library.text[i] = bytes[i % (sizeof bytes - 1)];
    if (description_read(&library, &d, &err) == MBD_OK) {
      must(mbd_user_force_check(&d->force, &err), &err);
      whole++;
    } else {
      CU_ASSERT_EQUAL(err.code, MBD_BAD_INPUT);
      refused++;
    }
    description_free(d);
    library.text[i] = was;
  }
  CU_ASSERT(whole > 100 && refused > 100);
  text_file_free(&library);
}

int main(void) {
  const test_entry entries[] = {TEST(test_read_back), TEST(test_refused), TEST(test_damaged)};
  if (close(mkstemp(path)) != 0) { return 2; }
  const int code = test_run(__FILE__, entries, (int)(sizeof entries / sizeof entries[0]));
  unlink(path);
  return code;
}
