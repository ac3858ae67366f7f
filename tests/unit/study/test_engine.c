/* Whether something of a study is in a queue: where memory is short, or the queue does not answer, that is not known, and nobody begins
 * its runs once more. The linker hands json_read_in to this test. */
#include <stdlib.h>

#include "files/json.h"
#include "study/engine.h"
#include "test.h"

static char folder[] = "/tmp/mbopt_engine_XXXXXX";
static int without_memory;

mbd_status __real_json_read_in(const char *in, const char *name, json_t **o, json_error_t *why);
mbd_status __wrap_json_read_in(const char *in, const char *name, json_t **o, json_error_t *why);
mbd_status __wrap_json_read_in(const char *in, const char *name, json_t **o, json_error_t *why) {
  *o = NULL;
  return without_memory ? MBD_NO_MEMORY : __real_json_read_in(in, name, o, why);
}

static void write_job(void) {
  mbd_error err = {0};
  json_t *o = json_pack("{s:i, s:s}", "job", 5, "cluster", "");
  must(json_write_file(folder, "slurm.json", o, &err), &err);
  json_decref(o);
}

static void test_idle(void) {
  mbd_error err = {0};
  char path[1000];
  snprintf(path, sizeof path, "%s", getenv("PATH"));
  setenv("PATH", "/nonexistent", 1); /* there is no queue to ask */
  CU_ASSERT_EQUAL(engine_check_idle(folder, &err), MBD_OK);
  write_job();
  CU_ASSERT_EQUAL(engine_check_idle(folder, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "Slurm job 5: the queue does not answer: ");
  CHECK_CONTAINS(err.text, "ask again when the queue answers, or remove /tmp/mbopt_engine_");
  CHECK_CONTAINS(err.text, "/slurm.json if the job is over");
  without_memory = 1;
  CU_ASSERT_EQUAL(engine_check_idle(folder, &err), MBD_NO_MEMORY);
  CHECK_CONTAINS(err.text, "slurm.json");
  setenv("PATH", path, 1);
}

TEST_MAIN_IN(folder, TEST(test_idle))
