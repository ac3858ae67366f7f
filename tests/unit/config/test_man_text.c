/* Text in manual pages: what troff would act upon is escaped, the rest is left alone. */
#include "config/man_text.h"
#include "mbd/version.h"
#include "test.h"

static int is_written(const char *text, const char *expected) {
  char *got = NULL;
  size_t size;
  FILE *out = open_memstream(&got, &size);
  man_text(out, text);
  fclose(out);
  const int ok = strcmp(got, expected) == 0;
  if (!ok) { printf("\n  %s: got %s, wanted %s\n", text, got, expected); }
  free(got);
  return ok;
}

static void test_characters(void) {
  CU_ASSERT(is_written("mass [kg], 3 % of it", "mass [kg], 3 % of it"));
  CU_ASSERT(is_written("a-b", "a\\-b"));
  CU_ASSERT(is_written("m/s", "m/\\:s"));
  CU_ASSERT(is_written("c:\\new", "c:\\enew"));
  CU_ASSERT(is_written("'a' \"b\" x^2 ~1", "\\(aqa\\(aq \\(dqb\\(dq x\\(ha2 \\(ti1"));
}

static void test_requests(void) {
  CU_ASSERT(is_written(".x of a point.\n.y too", "\\&.x of a point.\n\\&.y too"));
  CU_ASSERT(is_written("'x", "\\(aqx"));
}

static void test_bold(void) {
  CU_ASSERT(is_written("see `mbopt --help` and `.x`", "see \\fBmbopt \\-\\-help\\fR and \\fB.x\\fR"));
}

static void test_head(void) {
  char *got = NULL;
  size_t size;
  FILE *out = open_memstream(&got, &size);
  man_head(out, "NAME", 7, "a-b", "a 'line'");
  fclose(out);
  CHECK_CONTAINS(got, ".TH NAME 7 \"\" \"mbopt " MBD_VERSION "\"\n");
  CHECK_CONTAINS(got, ".SH NAME\na\\-b \\- a \\(aqline\\(aq\n");
  free(got);
}

TEST_MAIN(TEST(test_characters), TEST(test_requests), TEST(test_bold), TEST(test_head))
