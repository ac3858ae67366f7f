/* Text files read whole: lines of every kind; what is no text file, or none at all, is refused with its name. */
#include "files/text_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include "test.h"

static char path[] = "/tmp/mbopt_text_XXXXXX";

static void write_bytes(const char *bytes, size_t n) {
  FILE *out = fopen(path, "wb");
  CU_ASSERT_PTR_NOT_NULL_FATAL(out);
  fwrite(bytes, 1, n, out);
  fclose(out);
}

#define WRITE(text) write_bytes(text, sizeof text - 1)

static void check_lines(int n, const char *const *line) {
  text_file t;
  mbd_error err = {0};
  must(text_file_read(path, 1, &t, &err), &err);
  for (int i = 0; i < n; i++) {
    const char *got = text_file_line(&t);
    CU_ASSERT_PTR_NOT_NULL_FATAL(got);
    CU_ASSERT_STRING_EQUAL(got, line[i]);
    CU_ASSERT_EQUAL(t.line, i + 1);
  }
  CU_ASSERT_PTR_NULL(text_file_line(&t));
  CU_ASSERT_PTR_NULL(text_file_line(&t));
  text_file_free(&t);
}

static void test_lines(void) {
  static const char *const three[] = {"a", "", "b"}, *const odd[] = {"a\rb", ""};
  WRITE("a\n\nb\n"), check_lines(3, three);
  WRITE("a\n\nb"), check_lines(3, three);
  WRITE(
      "\xEF\xBB\xBF"
      "a\r\n\r\nb\r\n"),
      check_lines(3, three);
  WRITE("a\rb\n\r\n"), check_lines(2, odd);
  WRITE(""), check_lines(0, NULL);
}

/* Longer than what is read at once. */
static void test_long_lines(void) {
  enum { N = 300000 };
  char *text = malloc(N);
  text_file t;
  mbd_error err = {0};
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  memset(text, 'x', N);
  text[N / 2] = '\n';
  write_bytes(text, N);
  must(text_file_read(path, 1, &t, &err), &err);
  CU_ASSERT_EQUAL(t.size, N);
  CU_ASSERT_EQUAL(strlen(text_file_line(&t)), N / 2);
  CU_ASSERT_EQUAL(strlen(text_file_line(&t)), N - N / 2 - 1);
  text_file_free(&t);
  free(text);
}

static void check_refused(const char *file, mbd_status status, const char *message) {
  text_file t;
  mbd_error err = {0};
  CU_ASSERT_EQUAL(text_file_read(file, 1, &t, &err), status);
  CHECK_CONTAINS(err.text, file);
  CHECK_CONTAINS(err.text, message);
  CU_ASSERT_PTR_NULL(t.text);
}

static void test_no_text(void) {
  WRITE("a\nb\0c\n"), check_refused(path, MBD_BAD_INPUT, ":2: a zero byte: this is no text file");
  WRITE("\0"), check_refused(path, MBD_BAD_INPUT, ":1: a zero byte");
  WRITE(
      "\xFF\xFE"
      "a\0"),
      check_refused(path, MBD_BAD_INPUT, ": is in UTF-16; save the file in UTF-8");
  WRITE("\xFE\xFF\0a"), check_refused(path, MBD_BAD_INPUT, ": is in UTF-16");
}

/* Nothing of these is read to its end, or waited for. */
static void test_no_file(void) {
  char pipe[] = "/tmp/mbopt_pipe_XXXXXX";
  check_refused("/tmp/mbopt_absent", MBD_IO_ERROR, ": No such file");
  check_refused("/tmp", MBD_BAD_INPUT, ": is a folder, expected a file");
  check_refused("/dev/zero", MBD_BAD_INPUT, ": is a device, expected a file");
  CU_ASSERT_EQUAL_FATAL(close(mkstemp(pipe)), 0);
  unlink(pipe);
  CU_ASSERT_EQUAL_FATAL(mkfifo(pipe, 0600), 0);
  check_refused(pipe, MBD_BAD_INPUT, ": is a pipe, expected a file");
  unlink(pipe);
}

/* One byte more than the limit, which is there, and a file that only claims to be long. */
static void test_too_long(void) {
  enum { MIB = 1 << 20 };
  char *text = malloc(MIB + 1);
  text_file t;
  mbd_error err = {0};
  CU_ASSERT_PTR_NOT_NULL_FATAL(text);
  memset(text, 'x', MIB + 1);
  write_bytes(text, MIB);
  CU_ASSERT_EQUAL(text_file_read(path, 1, &t, &err), MBD_OK);
  text_file_free(&t);
  write_bytes(text, MIB + 1);
  check_refused(path, MBD_BAD_INPUT, ": has more than 1 MiB, expected a text file of at most that");
  CU_ASSERT_EQUAL(truncate(path, (off_t)1 << 40), 0);
  check_refused(path, MBD_BAD_INPUT, ": has more than 1 MiB");
  free(text);
}

static void test_utf8(void) {
  static const char *const good[] =
      {"", "abc", "\xC3\xA4", "\xE2\x82\xAC x", "\xED\x9F\xBF", "\xEE\x80\x80", "\xF0\x90\x8D\x88", "\xF4\x8F\xBF\xBF"},
                           *const bad[] = {"\xE4",
                                           "a\xC3",
                                           "\x80",
                                           "\xC0\x80",
                                           "\xC1\xBF",
                                           "\xE0\x9F\xBF",
                                           "\xED\xA0\x80",
                                           "\xE2\x82",
                                           "\xF0\x8F\xBF\xBF",
                                           "\xF4\x90\x80\x80",
                                           "\xF5\x80\x80\x80",
                                           "\xFF"};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) { CU_ASSERT(text_is_utf8(good[i])); }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) { CU_ASSERT(!text_is_utf8(bad[i])); }
}

int main(void) {
  const test_entry entries[] = {TEST(test_lines),   TEST(test_long_lines), TEST(test_no_text),
                                TEST(test_no_file), TEST(test_too_long),   TEST(test_utf8)};
  if (close(mkstemp(path)) != 0) { return 2; }
  const int code = test_run(__FILE__, entries, (int)(sizeof entries / sizeof entries[0]));
  unlink(path);
  return code;
}
