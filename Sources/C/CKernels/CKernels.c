// Dispatch by instruction set, and the kernels that only move memory.
#include "CKernels.h"
#include "dispatch.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int best_isa(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return 2;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 1;
#endif
    return 0;
}

// -1 until first asked; every thread that races computes the same value. SENSE_ISA (0, 1, 2) asks for less than the
// CPU has, to find out whether a wrong result comes from a kernel.
static atomic_int chosen = -1;

int sk_isa(void) {
    int isa = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (isa < 0) {
        const char *wish = getenv("SENSE_ISA");
        isa = best_isa();
        if (wish && wish[0] >= '0' && wish[0] < '0' + isa && wish[1] == 0) isa = wish[0] - '0';
        atomic_store_explicit(&chosen, isa, memory_order_relaxed);
    }
    return isa;
}

int sk_optimized(void) {
#ifdef __OPTIMIZE__
    return 1;
#else
    return 0;
#endif
}

static const sk_table *table(void) {
#if defined(__x86_64__)
    switch (sk_isa()) {
    case 2: return &sk_table_avx512;
    case 1: return &sk_table_avx2;
    default: break;
    }
#endif
    return &sk_table_base;
}

size_t sk_vector_width(void) { return table()->width; }
size_t sk_panel_width(void) { return 2 * table()->width; }
size_t sk_packed_count(size_t k, size_t n) { return table()->packed_count(k, n); }
void sk_pack(const float *b, size_t k_stride, size_t n_stride, size_t k, size_t n, float *packed) {
    table()->pack(b, k_stride, n_stride, k, n, packed);
}
void sk_conv_run(const sk_conv *p) { table()->conv(p); }
void sk_apply_epilogue(const sk_epilogue *e, float *rows, size_t count, size_t columns, size_t stride) {
    table()->apply_epilogue(e, rows, count, columns, stride);
}
void sk_winograd_run(const sk_winograd *p) { table()->winograd(p); }
void sk_depthwise(const sk_window *w, const float *weights, const sk_epilogue *e) { table()->depthwise(w, weights, e); }
void sk_max_pool(const sk_window *w) { table()->max_pool(w); }
void sk_average_pool(const sk_window *w, int include_pad, size_t pad_bottom, size_t pad_right) {
    table()->average_pool(w, include_pad, pad_bottom, pad_right);
}
void sk_unary(int op, float a, float b, const float *in, float *out, size_t count) { table()->unary(op, a, b, in, out, count); }
void sk_binary_run(const sk_binary *p) { table()->binary(p); }
void sk_reduce(int op, const float *in, size_t outer, size_t axis, size_t inner, float *out) {
    table()->reduce(op, in, outer, axis, inner, out);
}
void sk_softmax(const float *in, size_t outer, size_t axis, size_t inner, int logarithm, float *out) {
    table()->softmax(in, outer, axis, inner, logarithm, out);
}
void sk_stft_run(const sk_stft *p) { table()->stft(p); }

size_t sk_stft_twiddle_count(size_t length) { return length; }
void sk_stft_twiddles(size_t length, float *twiddles) {
    for (size_t k = 0; k < length / 2; k++) {
        double angle = -2.0 * 3.14159265358979323846 * (double)k / (double)length;
        twiddles[2 * k] = (float)cos(angle);
        twiddles[2 * k + 1] = (float)sin(angle);
    }
}
size_t sk_stft_scratch(size_t length) { return length * sk_vector_width(); }

size_t sk_winograd_packed_count(size_t m, size_t channels, size_t columns) {
    return (m + 2) * (m + 2) * sk_packed_count(channels, columns);
}
size_t sk_winograd_scratch(size_t m, size_t tile_block, size_t channels, size_t columns) {
    return (m + 2) * (m + 2) * tile_block * (channels + columns);
}
void sk_winograd_pack(size_t m, const float *weights, size_t channels, size_t columns, float *work, float *packed) {
    static const double g2[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
    static const double g4[6][3] = {{0.25, 0, 0}, {-1.0 / 6, -1.0 / 6, -1.0 / 6}, {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                    {1.0 / 24, 1.0 / 12, 1.0 / 6}, {1.0 / 24, -1.0 / 12, 1.0 / 6}, {0, 0, 1}};
    const double(*g)[3] = m == 2 ? g2 : g4;
    size_t n = m + 2, matrix = sk_packed_count(channels, columns);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            for (size_t o = 0; o < columns; o++)
                for (size_t c = 0; c < channels; c++) {
                    const float *w = weights + (o * channels + c) * 9;
                    double s = 0;
                    for (int y = 0; y < 3; y++)
                        for (int x = 0; x < 3; x++) s += g[i][y] * g[j][x] * (double)w[y * 3 + x];
                    work[c * columns + o] = (float)s;
                }
            sk_pack(work, columns, 1, channels, columns, packed + (i * n + j) * matrix);
        }
}

void sk_im2col(const sk_conv *p, size_t group, size_t first, size_t count, float *matrix) {
    for (size_t r = first; r < first + count; r++) {
        size_t line = r / p->width, x = r % p->width;
        const float *a = p->input + (line / p->height) * p->image_stride + (line % p->height) * p->y_stride +
                         x * p->x_stride + group * p->group_input_stride;
        for (size_t t = 0; t < p->tap_count; t++, matrix += p->run) memcpy(matrix, a + p->taps[t], p->run * sizeof(float));
    }
}

void sk_fill(float *out, float value, size_t count) {
    for (size_t i = 0; i < count; i++) out[i] = value;
}

void sk_pad_image(const sk_window *w, size_t pad_bottom, size_t pad_right) {
    const size_t line = w->width * w->channels, left = w->pad_left * w->channels, right = pad_right * w->channels;
    const float *in = w->input;
    float *out = w->output;
    for (size_t n = 0; n < w->images; n++) {
        sk_fill(out, 0, w->pad_top * (left + line + right));
        out += w->pad_top * (left + line + right);
        for (size_t y = 0; y < w->height; y++, in += line) {
            sk_fill(out, 0, left);
            memcpy(out + left, in, line * sizeof(float));
            sk_fill(out + left + line, 0, right);
            out += left + line + right;
        }
        sk_fill(out, 0, pad_bottom * (left + line + right));
        out += pad_bottom * (left + line + right);
    }
}

// A plane with the input contiguous along the outer of the two last axes: a transpose, in blocks that stay in the
// first-level cache.
static void transpose(const float *in, ptrdiff_t in_fast, float *out, ptrdiff_t out_slow, size_t rows, size_t columns) {
    enum { B = 16 };
    for (size_t r0 = 0; r0 < rows; r0 += B)
        for (size_t c0 = 0; c0 < columns; c0 += B) {
            size_t r1 = r0 + B < rows ? r0 + B : rows, c1 = c0 + B < columns ? c0 + B : columns;
            for (size_t r = r0; r < r1; r++)
                for (size_t c = c0; c < c1; c++) out[(ptrdiff_t)r * out_slow + (ptrdiff_t)c] = in[(ptrdiff_t)c * in_fast + (ptrdiff_t)r];
        }
}

static void copy_dimension(const sk_copy *p, size_t d, const float *in, float *out) {
    size_t n = p->dims[d];
    ptrdiff_t is = p->in_strides[d], os = p->out_strides[d];
    if (d + 1 == p->rank) {
        if (is == 1 && os == 1) memcpy(out, in, n * sizeof(float));
        else
            for (size_t i = 0; i < n; i++) out[(ptrdiff_t)i * os] = in[(ptrdiff_t)i * is];
        return;
    }
    if (d + 2 == p->rank && is == 1 && p->out_strides[d + 1] == 1 && p->in_strides[d + 1] != 1) {
        transpose(in, p->in_strides[d + 1], out, os, n, p->dims[d + 1]);
        return;
    }
    for (size_t i = 0; i < n; i++) copy_dimension(p, d + 1, in + (ptrdiff_t)i * is, out + (ptrdiff_t)i * os);
}
void sk_copy_run(const sk_copy *p) { copy_dimension(p, 0, p->input, p->output); }

void sk_gather(const float *in, size_t outer, size_t axis, size_t inner, const int32_t *index, size_t count, float fill, float *out) {
    for (size_t o = 0; o < outer; o++, in += axis * inner)
        for (size_t j = 0; j < count; j++, out += inner) {
            if (index[j] < 0) sk_fill(out, fill, inner);
            else if (inner == 1) *out = in[index[j]];
            else memcpy(out, in + (size_t)index[j] * inner, inner * sizeof(float));
        }
}

void sk_select_run(const sk_select *p) {
    size_t total = 1, at[SK_MAX_RANK] = {0};
    for (size_t d = 0; d < p->rank; d++) total *= p->dims[d];
    size_t c = 0, a = 0, b = 0;
    for (size_t i = 0; i < total; i++) {
        p->output[i] = p->condition[c] != 0.0f ? p->a[a] : p->b[b];
        for (size_t d = p->rank; d-- > 0;) {
            c += p->c_strides[d];
            a += p->a_strides[d];
            b += p->b_strides[d];
            if (++at[d] < p->dims[d]) break;
            c -= p->c_strides[d] * p->dims[d];
            a -= p->a_strides[d] * p->dims[d];
            b -= p->b_strides[d] * p->dims[d];
            at[d] = 0;
        }
    }
}
