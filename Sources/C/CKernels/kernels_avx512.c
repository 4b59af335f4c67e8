// AVX-512: sixteen floats a vector, 14 x 2 vectors of sums in 32 registers.
#if defined(__x86_64__)
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#define ISA avx512
#define VW 16
#define MR_MAX 14
#include "kernels_impl.h"
#pragma clang attribute pop
#endif
