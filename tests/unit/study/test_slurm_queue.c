/* What sbatch and squeue answer, as text; a missing Slurm. A real one: tests/cli. */
#include "study/slurm_queue.h"

#include "test.h"

static void test_job(void) {
  slurm_job job;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(slurm_read_job("4711\n", &job, &err), MBD_OK);
  CU_ASSERT(job.id == 4711 && job.cluster[0] == '\0');
  CU_ASSERT_EQUAL(slurm_read_job("12;north\n", &job, &err), MBD_OK);
  CU_ASSERT(job.id == 12);
  CU_ASSERT_STRING_EQUAL(job.cluster, "north");
  static const char *const wrong[] = {"", "\n", "job 12\n", "12 13\n", "-3\n", "0\n"};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    CU_ASSERT_EQUAL(slurm_read_job(wrong[i], &job, &err), MBD_IO_ERROR);
  }
  CU_ASSERT_EQUAL(slurm_read_job("Submitted batch job 12\nmore", &job, &err), MBD_IO_ERROR);
  CU_ASSERT_STRING_EQUAL(err.text, "sbatch answered \"Submitted batch job 12\", expected the number of a job");
}

static void test_tasks(void) {
  slurm_tasks t;
  slurm_read_tasks(
      "CLUSTER: north\nPENDING None\nPENDING ReqNodeNotAvail, UnavailableNodes:n1\nPENDING Priority\nCONFIGURING None\n"
      "RUNNING None\nCOMPLETING None\nSUSPENDED None\nCOMPLETED None\nCOMPLETED None\nTIMEOUT TimeLimit\n"
      "CANCELLED None\nOUT_OF_MEMORY OutOfMemory",
      &t);
  CU_ASSERT(t.pending == 4 && t.running == 3 && t.done == 2 && t.failed == 3);
  CU_ASSERT_STRING_EQUAL(t.reason, "ReqNodeNotAvail, UnavailableNodes:n1");
  slurm_read_tasks("", &t);
  CU_ASSERT(t.pending == 0 && t.running == 0 && t.done == 0 && t.failed == 0 && t.reason[0] == '\0');
}

static void test_no_slurm(void) {
  slurm_job job = {.id = 1};
  slurm_tasks tasks;
  mbd_error err = {0};
  setenv("PATH", "/nonexistent", 1);
  CU_ASSERT_EQUAL(slurm_submit("script", &job, &err), MBD_UNSUPPORTED);
  CU_ASSERT_STRING_EQUAL(err.text, "the command 'sbatch' is not found (Debian: slurm-client)");
  CU_ASSERT_EQUAL(slurm_ask(&job, &tasks, &err), MBD_UNSUPPORTED);
}

TEST_MAIN(TEST(test_job), TEST(test_tasks), TEST(test_no_slurm))
