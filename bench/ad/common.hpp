// What the sources of libmbd need to be C++, for any scalar.
#ifndef BENCH_AD_COMMON_HPP
#define BENCH_AD_COMMON_HPP

#include <cmath>
#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "ad_rows.hpp"

// base/memory.h takes the address of a list of pointers.
template <class T, class... P> static inline void ad_arena_reals(T *a, size_t n, P... x) {
  (void)std::initializer_list<int>{(*x = mbd_arena_real(a, n), 0)...};
}
#define MBD_ARENA_REALS(a, n, ...) ad_arena_reals(a, n, __VA_ARGS__)

#endif
