/* Units as they are written. */
#include "base/unit.h"
#include "test.h"

static void test_known(void) {
  static const struct {
    const char *text;
    double factor, m, kg, s, lengths;
  } known[] = {{"", 1, 0, 0, 0, 0},         {"m/s^2", 1, 1, 0, -2, 1},    {"N s/m", 1, 0, 1, -1, -1},
               {"N m/rad", 1, 2, 1, -2, 1}, {"kN/mm", 1e6, 0, 1, -2, -1}, {"1/(rad s)", 1, 0, 0, -1, 0},
               {"kg m^2", 1, 2, 1, 0, 2},   {"g*cm^2", 1e-7, 2, 1, 0, 2}, {"MPa", 1e6, -1, 1, -2, -2},
               {"%", 1e-2, 0, 0, 0, 0},     {" J / s ", 1, 2, 1, -3, 1},  {"m^-2", 1, -2, 0, 0, -2},
               {"N/m s", 1, 0, 1, -1, -1},  {"(m/s)^2", 1, 2, 0, -2, 2}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    mbd_unit u;
    CU_ASSERT_FATAL(mbd_unit_parse(known[i].text, &u));
    CU_ASSERT(test_close(known[i].text, u.factor / known[i].factor, 1, 1e-14));
    CU_ASSERT(u.power[0] == known[i].m && u.power[1] == known[i].kg && u.power[2] == known[i].s);
    CU_ASSERT_EQUAL(u.lengths, known[i].lengths);
  }
}

static void test_others(void) {
  static const char *const unknown[] = {"EUR", "m/",  "m^",   "(m",        "m)",
                                        "m^x", "2 m", "m^99", "furlong/s", "((((((((((m))))))))))"};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
    mbd_unit u;
    CU_ASSERT(!mbd_unit_parse(unknown[i], &u));
  }
}

static void test_alike(void) {
  mbd_unit a, b, c;
  CU_ASSERT(mbd_unit_parse("kW", &a) && mbd_unit_parse("N m/s", &b) && mbd_unit_parse("N m", &c));
  CU_ASSERT(mbd_unit_alike(&a, &b));
  CU_ASSERT(!mbd_unit_alike(&a, &c));
}

TEST_MAIN(TEST(test_known), TEST(test_others), TEST(test_alike))
