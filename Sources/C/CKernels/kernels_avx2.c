// AVX2 and FMA: eight floats a vector, 6 x 2 vectors of sums in 16 registers.
#if defined(__x86_64__)
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#define ISA avx2
#define VW 8
#define MR_MAX 6
#include "kernels_impl.h"
#pragma clang attribute pop
#endif
