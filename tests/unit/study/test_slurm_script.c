/* The batch script of a study with a stand-in for Slurm; the list of an array. A real Slurm: tests/cli. */
#include "study/slurm_script.h"

#include <sys/stat.h>
#include <unistd.h>

#include "files/atomic_file.h"
#include "ran.h"

#define ODD "it's a \"folder\" of $HOME `ls` \\ & 50%"

static slurm_script script(void) {
  slurm_script s;
  slurm_script_init(&s);
  s.program = "/opt/mbopt", s.study = "/data/study", s.logs = "/data/study/logs", s.array = "0,3-7%2", s.chunks = 9;
  return s;
}

static mbd_status written(const slurm_script *s, char **text, mbd_error *err) {
  size_t size;
  FILE *out = open_memstream(text, &size);
  mbd_status status = slurm_script_write(s, out, err);
  fclose(out);
  return status;
}

static void test_array_spec(void) {
  static const struct {
    int n, chunk[9], max;
    const char *expected;
  } row[] = {{7, {0, 3, 4, 5, 6, 7, 12}, 0, "0,3-7,12"},
             {7, {0, 3, 4, 5, 6, 7, 12}, 4, "0,3-7,12%4"},
             {1, {5}, 0, "5"},
             {2, {0, 1}, 0, "0-1"},
             {4, {0, 2, 4, 1000000}, 0, "0,2,4,1000000"}};
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
    char *got = slurm_array_spec(row[i].chunk, row[i].n, row[i].max);
    CU_ASSERT_STRING_EQUAL(got, row[i].expected);
    free(got);
  }
}

static void test_least(void) {
  slurm_script s = script();
  mbd_error err = {0};
  char *text;
  CU_ASSERT_EQUAL(written(&s, &text, &err), MBD_OK);
  CHECK_CONTAINS(text, "#!/bin/bash\n");
  CHECK_CONTAINS(
      text,
      "\n#SBATCH --job-name=\"mbopt\"\n#SBATCH --array=\"0,3-7%2\"\n#SBATCH --ntasks=1\n"
      "#SBATCH --output=\"/data/study/logs/%A_%a.log\"\n#SBATCH --open-mode=append\n#SBATCH --requeue\n"
      "#SBATCH --signal=B:USR1@60\n\nprogram='/opt/mbopt'\nstudy='/data/study'\nchunks=9\nmost_restarts=100\nallow=''\ncommand=''\n");
  free(text);
  s.allow_plugins = 1;
  CU_ASSERT_EQUAL(written(&s, &text, &err), MBD_OK);
  CHECK_CONTAINS(text, "\nallow='--allow-plugins '\n");
  CHECK_CONTAINS(text, "--jobs \"${SLURM_CPUS_PER_TASK:-1}\" $allow ${command:+--command \"$command\"} &\n");
  free(text);
  s.allow_commands = 1, s.command = "sh it's.sh";
  CU_ASSERT_EQUAL(written(&s, &text, &err), MBD_OK);
  CHECK_CONTAINS(text, "\nallow='--allow-plugins --allow-commands'\ncommand='sh it'\\''s.sh'\n");
  free(text);
  s.array = NULL;
  CU_ASSERT_EQUAL(written(&s, &text, &err), MBD_OK);
  CHECK_CONTAINS(text, "exec \"$program\" merge \"$study\" --allow-plugins\n");
  free(text);
}

static void test_all_options(void) {
  slurm_script s = script();
  mbd_error err = {0};
  char *text;
  s.partition = "long", s.time_limit = "2:00:00", s.memory = "4G", s.account = "lab", s.qos = "low";
  s.cpus_per_task = 3, s.warning = 90, s.max_restarts = 5, s.job_name = "a \"b\" \\";
  s.sbatch_options = "--constraint=avx2 --exclusive\n\n  --nice=5\n";
  s.logs = "/my logs/50%";
  CU_ASSERT_EQUAL(written(&s, &text, &err), MBD_OK);
  static const char *const line[] = {"--job-name=\"a \\\"b\\\" \\\\\"",
                                     "--partition=\"long\"",
                                     "--time=\"2:00:00\"",
                                     "--mem=\"4G\"",
                                     "--account=\"lab\"",
                                     "--qos=\"low\"",
                                     "--cpus-per-task=3",
                                     "--signal=B:USR1@90",
                                     "--output=\"/my logs/50%%/%A_%a.log\"",
                                     "--constraint=avx2 --exclusive",
                                     "--nice=5"};
  for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) {
    char whole[200];
    snprintf(whole, sizeof whole, "\n#SBATCH %s\n", line[i]);
    CHECK_CONTAINS(text, whole);
  }
  CHECK_CONTAINS(text, "most_restarts=5\n");
  free(text);
}

/* Without an array: one job after another that merges. */
static void test_merge(void) {
  slurm_script s = script();
  mbd_error err = {0};
  char *text;
  s.array = NULL, s.dependency = "afterany:41";
  CU_ASSERT_EQUAL(written(&s, &text, &err), MBD_OK);
  CHECK_CONTAINS(text, "\n#SBATCH --dependency=\"afterany:41\"\n");
  CHECK_CONTAINS(text, "\nprogram='/opt/mbopt'\nstudy='/data/study'\nexec \"$program\" merge \"$study\"\n");
  CU_ASSERT_PTR_NULL(strstr(text, "--array"));
  CU_ASSERT_PTR_NULL(strstr(text, "USR1"));
  free(text);
}

static void test_refused(void) {
  slurm_script s = script();
  mbd_error err = {0};
  char *text;
  s.partition = "a\n#SBATCH --evil";
  CU_ASSERT_EQUAL(written(&s, &text, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "partition = \"a\n");
  CHECK_CONTAINS(err.text, "line break");
  CU_ASSERT_STRING_EQUAL(text, "");
  free(text);
  s = script(), s.logs = "/a\\b";
  CU_ASSERT_EQUAL(written(&s, &text, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "the folder of logs \"/a\\b\" has a backslash");
  free(text);
  s = script(), s.sbatch_options = "--nice=5\nexclusive";
  CU_ASSERT_EQUAL(written(&s, &text, &err), MBD_BAD_INPUT);
  CHECK_CONTAINS(err.text, "sbatch_options = \"exclusive\", expected options of sbatch");
  free(text);
}

/* ---- the script at work, with stand-ins for mbopt and scontrol that write down what they are asked ---- */

static char folder[] = "/tmp/test slurm's XXXXXX";

static char *file_of(const char *name, const char *text) {
  char *path = path_in(folder, name);
  FILE *out = fopen(path, "w");
  fputs(text, out);
  fclose(out);
  chmod(path, 0755);
  return path;
}

/* Runs `command` beside the script "batch" of a program with the text `body`: what both said and scontrol was asked. */
static command_result task(const char *body, const char *command) {
  slurm_script s = script();
  mbd_error err = {0};
  char *text, *program = file_of("my mbopt", body), *batch, *shell;
  char *control = file_of("scontrol", "#!/bin/bash\nif rm away; then exit 1; fi 2>/dev/null\necho \"scontrol $*\"\n");
  s.program = program, s.study = "/data/" ODD, s.max_restarts = 3;
  must(written(&s, &text, &err), &err);
  batch = file_of("batch", text);
  size_t size;
  FILE *out = open_memstream(&shell, &size);
  fprintf(out, "cd \"$1\"; export PATH=$PWD:$PATH SLURM_ARRAY_TASK_ID=7 SLURM_ARRAY_JOB_ID=41; %s", command);
  fclose(out);
  command_result r = ran((const char *[]){"bash", "-c", shell, "bash", folder, NULL}, NULL);
  free(text), free(program), free(control), free(batch), free(shell);
  return r;
}

static void test_syntax(void) {
  slurm_script s = script();
  mbd_error err = {0};
  char *text;
  s.program = s.study = "/data/" ODD, s.logs = "/data/it's $a \"b\"";
  must(written(&s, &text, &err), &err);
  command_result r = ran((const char *[]){"bash", "-n", NULL}, text);
  CU_ASSERT_EQUAL(r.code, 0);
  CU_ASSERT_STRING_EQUAL(r.text, "");
  command_result_destroy(&r);
  free(text);
}

static void check_task(const char *body, const char *command, int code, const char *out) {
  command_result r = task(body, command);
  CU_ASSERT_EQUAL(r.code, code);
  CHECK_CONTAINS(r.out, out);
  if (!strstr(out, "scontrol")) { CU_ASSERT(strstr(r.out, "scontrol") == NULL); }
  command_result_destroy(&r);
}

static void test_exit_codes(void) {
  const char *plain = "bash batch", *requeued = "scontrol requeue 41_7\n";
  check_task("#!/bin/bash\nprintf '<%s>' \"$@\"", plain, 0, "<work></data/" ODD "><--chunk><7/9><--jobs><1>");
  check_task("#!/bin/bash\nexit 4", plain, 4, "");
  check_task("#!/bin/bash\nexit 75", plain, 0, requeued);
  check_task("#!/bin/bash\nexit 75", "SLURM_RESTART_COUNT=2 bash batch", 0, requeued);
  check_task("#!/bin/bash\nexit 75", ": >away; bash batch", 0, requeued);
  check_task("#!/bin/bash\nkill -USR1 $$", plain, 0, requeued); /* told before it could listen */
  check_task("#!/bin/bash\nkill -KILL $$", plain, 137, "");
  command_result r = task("#!/bin/bash\nexit 75", "SLURM_RESTART_COUNT=3 bash batch");
  CU_ASSERT_EQUAL(r.code, 75);
  CU_ASSERT_STRING_EQUAL(r.text, "chunk 7 is not done after 3 restarts: mbopt resume goes on with it\n");
  CU_ASSERT_STRING_EQUAL(r.out, "");
  command_result_destroy(&r);
}

/* Waits for its signal and takes its time to save. */
static const char patient[] =
    "#!/bin/bash\ntrap 'echo told USR1; sleep 0.3; exit 75' USR1\n"
    "trap 'echo told TERM; sleep 0.3; exit 75' TERM\n: >ready\n"
    "for i in {1..200}; do sleep 0.05; done\n";

#define WHEN_READY(...)                                                                                        \
  "bash batch & for i in {1..250}; do if rm ready; then break; fi; sleep 0.02; done 2>/dev/null; " __VA_ARGS__ \
  "; wait $!"

static void test_signals(void) {
  check_task(patient, WHEN_READY("kill -USR1 $!"), 0, "told USR1\nscontrol requeue 41_7\n");
  check_task(patient, WHEN_READY("kill -TERM $!"), 75, "told TERM\n");
  check_task(patient, WHEN_READY("kill -USR1 $!; sleep 0.1; kill -TERM $!"), 75, "told USR1\n");
  /* TERM reaches the program first: scancel sends it to all processes, one after the other */
  check_task("#!/bin/bash\n: >ready\nexit 75", WHEN_READY("sleep 0.3; kill -TERM $!"), 75, "");
}

TEST_MAIN_IN(folder, TEST(test_array_spec), TEST(test_least), TEST(test_all_options), TEST(test_merge),
             TEST(test_refused), TEST(test_syntax), TEST(test_exit_codes), TEST(test_signals))
