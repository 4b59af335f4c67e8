// Everything that is compiled once per instruction set. The including file defines ISA (a suffix), VW (floats in a
// vector) and MR_MAX (rows of a register tile).
#include "CKernels.h"
#include "dispatch.h"

#define SK_JOIN2(a, b) a##_##b
#define SK_JOIN(a, b) SK_JOIN2(a, b)
#define K(name) SK_JOIN(name, ISA)

#include "vector_impl.h"
#include "pointwise_impl.h"
#include "gemm_impl.h"
#include "winograd_impl.h"
#include "window_impl.h"
#include "stft_impl.h"

const sk_table SK_JOIN(sk_table, ISA) = {
    .width = VW,
    .packed_count = K(packed_count),
    .pack = K(pack),
    .conv = K(conv),
    .apply_epilogue = K(apply_epilogue),
    .winograd = K(winograd),
    .depthwise = K(depthwise),
    .max_pool = K(max_pool),
    .average_pool = K(average_pool),
    .unary = K(unary),
    .binary = K(binary),
    .reduce = K(reduce),
    .softmax = K(softmax),
    .stft = K(stft),
};
