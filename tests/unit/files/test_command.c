/* External commands: their streams and exit codes, words that a shell would take apart, missing ones. */
#include "ran.h"

static void test_streams(void) {
  command_result r =
      ran((const char *[]){"sh", "-c", "cat; echo told >&2; echo \"$1\"; exit 7", "sh", "a 'b' $c", NULL}, "line\n");
  CU_ASSERT_STRING_EQUAL(r.out, "line\na 'b' $c\n");
  CU_ASSERT_STRING_EQUAL(r.text, "told\n");
  CU_ASSERT_EQUAL(r.code, 7);
  CU_ASSERT_EQUAL(r.nout, strlen("line\na 'b' $c\n"));
  command_result_destroy(&r);
  r = ran((const char *[]){"printf", "a\\0b", NULL}, NULL);
  CU_ASSERT(r.nout == 3 && memcmp(r.out, "a\0b", 4) == 0);
  command_result_destroy(&r);
  r = ran((const char *[]){"cat", NULL}, NULL);
  CU_ASSERT(r.code == 0 && r.out[0] == '\0' && r.text[0] == '\0');
  command_result_destroy(&r);
}

/* More than a pipe holds, both ways. */
static void test_large(void) {
  enum { N = 300000 };
  char *input = malloc(N + 1);
  memset(input, 'x', N), input[N] = '\0';
  command_result r = ran((const char *[]){"tee", "/dev/stderr", NULL}, input);
  CU_ASSERT_STRING_EQUAL(r.out, input);
  CU_ASSERT_EQUAL(strlen(r.text), N);
  command_result_destroy(&r);
  r = ran((const char *[]){"true", NULL}, input); /* which reads nothing of it */
  CU_ASSERT_EQUAL(r.code, 0);
  command_result_destroy(&r);
  free(input);
}

static void test_signal(void) {
  command_result r = ran((const char *[]){"sh", "-c", "kill -TERM $$", NULL}, NULL);
  CU_ASSERT_EQUAL(r.code, 128 + 15);
  command_result_destroy(&r);
}

static void test_failures(void) {
  command_result r;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(command_run((const char *[]){"no-such-command", NULL}, NULL, "slurm-client", &r, &err),
                  MBD_UNSUPPORTED);
  CU_ASSERT_STRING_EQUAL(err.text, "the command 'no-such-command' is not found (Debian: slurm-client)");
  CU_ASSERT(r.out == NULL && r.text == NULL);
  CU_ASSERT_EQUAL(command_run((const char *[]){"/dev/null", NULL}, NULL, "x", &r, &err), MBD_IO_ERROR);
  CHECK_CONTAINS(err.text, "the command '/dev/null' cannot be started: Permission denied");
}

static void test_check(void) {
  mbd_error err = {0};
  command_result r = ran((const char *[]){"sh", "-c", "printf 'first\\nthe reason\\n\\n' >&2; exit 3", NULL}, NULL);
  CU_ASSERT_EQUAL(command_ok("sbatch", &r, &err), MBD_IO_ERROR);
  CU_ASSERT_STRING_EQUAL(err.text, "the command 'sbatch' failed with exit code 3: the reason");
  r.code = 0;
  CU_ASSERT_EQUAL(command_ok("sbatch", &r, &err), MBD_OK);
  command_result_destroy(&r);
}

TEST_MAIN(TEST(test_streams), TEST(test_large), TEST(test_signal), TEST(test_failures), TEST(test_check))
