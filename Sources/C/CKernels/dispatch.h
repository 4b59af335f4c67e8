// The table of kernels each instruction set fills.
#pragma once
#include "CKernels.h"

typedef struct {
    size_t width;
    size_t (*packed_count)(size_t k, size_t n);
    void (*pack)(const float *b, size_t k_stride, size_t n_stride, size_t k, size_t n, float *packed);
    void (*conv)(const sk_conv *p);
    void (*apply_epilogue)(const sk_epilogue *e, float *rows, size_t count, size_t columns, size_t stride);
    void (*winograd)(const sk_winograd *p);
    void (*depthwise)(const sk_window *w, const float *weights, const sk_epilogue *e);
    void (*max_pool)(const sk_window *w);
    void (*average_pool)(const sk_window *w, int include_pad, size_t pad_bottom, size_t pad_right);
    void (*unary)(int op, float a, float b, const float *in, float *out, size_t count);
    void (*binary)(const sk_binary *p);
    void (*reduce)(int op, const float *in, size_t outer, size_t axis, size_t inner, float *out);
    void (*softmax)(const float *in, size_t outer, size_t axis, size_t inner, int logarithm, float *out);
    void (*stft)(const sk_stft *p);
} sk_table;

extern const sk_table sk_table_base;
#if defined(__x86_64__)
extern const sk_table sk_table_avx2;
extern const sk_table sk_table_avx512;
#endif
