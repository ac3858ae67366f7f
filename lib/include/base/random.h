/* Random numbers that are the same on every machine: splitmix64 [Steele, Lea, Flood 2014]. The state is one integer
 * that the caller owns; any integer is a valid seed. The numbers are not for cryptography. */
#ifndef MBD_RANDOM_H
#define MBD_RANDOM_H

#include <stdint.h>

/* A one-to-one map of integers with pseudorandom values, for random numbers by index instead of in sequence. */
static inline uint64_t random_mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31);
}

/* The next 64 bits. */
static inline uint64_t random_bits(uint64_t *state) {
  return random_mix(*state += 0x9E3779B97F4A7C15U);
}

/* The next number of [0, 1), a multiple of 2^-53. */
static inline double random_unit(uint64_t *state) {
  return (double)(random_bits(state) >> 11) / 9007199254740992.0;
}

#endif
