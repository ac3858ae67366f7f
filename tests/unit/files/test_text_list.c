/* Lists of texts: copies in their order, places, what is not there. */
#include "files/text_list.h"

#include "test.h"

static void test_list(void) {
  char **list = NULL, text[16];
  int n = 0;
  CU_ASSERT_EQUAL(text_list_find(list, n, "1"), -1);
  for (int i = 0; i < 9; i++) {
    snprintf(text, sizeof text, "%d", i % 7);
    CU_ASSERT(text_list_add(&list, &n, text));
  }
  CU_ASSERT_EQUAL(n, 9);
  CU_ASSERT_EQUAL(text_list_find(list, n, "1"), 1); /* the first */
  CU_ASSERT_STRING_EQUAL(list[8], "1");
  CU_ASSERT_EQUAL(text_list_find(list, n, "7"), -1);
  CU_ASSERT(!text_list_take(&list, &n, NULL)); /* for which there was no memory */
  CU_ASSERT_EQUAL(n, 9);
  text_list_free(list, n);
  text_list_free(NULL, 3);
}

TEST_MAIN(TEST(test_list))
