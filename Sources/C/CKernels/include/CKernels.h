// Memory kernels of the Inference target. Plain C over caller-owned buffers: no allocation, no globals besides
// the dispatch table, no I/O. Every function trusts its sizes; `Inference` computes them from checked shapes.
//
// Layout words used below: "channels last" is [image, y, x, channel], row-major; "panel" is a block of
// `sk_panel_width()` columns of a matrix, stored k-major so that one multiply step reads one line.
#pragma once
#include <stddef.h>
#include <stdint.h>

#define SK_MAX_RANK 8

/// Which instruction set the dispatch chose: 0 portable, 1 AVX2 + FMA, 2 AVX-512. The environment variable SENSE_ISA
/// lowers it.
int sk_isa(void);
/// 1 when this C code was compiled with optimisation; without it BLAS does the products.
int sk_optimized(void);
/// Floats in one vector register of the chosen instruction set.
size_t sk_vector_width(void);
/// Columns of a full panel.
size_t sk_panel_width(void);

/// Unary operations. `a` and `b` are the two parameters where one is named.
enum {
    SK_IDENTITY = 0, SK_EXP, SK_LOG, SK_SQRT, SK_ABS, SK_NEG, SK_SIGMOID, SK_TANH, SK_ERF, SK_GELU, SK_GELU_TANH,
    SK_SILU, SK_SOFTPLUS, SK_RECIPROCAL, SK_FLOOR, SK_CEIL, SK_ROUND, SK_SIGN, SK_SIN, SK_COS, SK_SQUARE, SK_NOT,
    SK_LEAKY_RELU /* a */, SK_ELU /* a */, SK_HARD_SIGMOID /* a x + b in 0...1 */, SK_HARD_SWISH,
    SK_CLIP /* a...b */, SK_AFFINE /* a x + b */, SK_POW_SCALAR /* x ^ a */,
    SK_UNARY_COUNT
};

/// Binary operations; comparisons give 1 or 0.
enum {
    SK_ADD = 0, SK_SUB, SK_MUL, SK_DIV, SK_MAX, SK_MIN, SK_POW, SK_PRELU, SK_GREATER, SK_GREATER_EQUAL, SK_LESS,
    SK_LESS_EQUAL, SK_EQUAL, SK_AND, SK_OR,
    SK_BINARY_COUNT
};

enum { SK_REDUCE_SUM = 0, SK_REDUCE_MEAN, SK_REDUCE_MAX, SK_REDUCE_MIN, SK_REDUCE_L1, SK_REDUCE_L2, SK_REDUCE_SUM_SQUARE, SK_REDUCE_PROD };

/// What happens to a product before it is stored: + bias, + residual, clamp to lo...hi, then `post` (a unary op).
typedef struct {
    const float *bias;          // one per column, or NULL
    const float *residual;      // same layout as the output, or NULL
    float lo, hi;
    int32_t post;               // SK_IDENTITY for none
    float post_a, post_b;
} sk_epilogue;

/// A convolution as an implicit matrix product. Output row (image, y, x) is the sum over taps t and r < run of
/// input[image * image_stride + y * y_stride + x * x_stride + taps[t] + r] * weight[t * run + r][column].
/// A plain matrix product is the case images = height = 1, one tap, run = K.
typedef struct {
    const float *input;
    size_t images, height, width;                 // of the output
    size_t image_stride, y_stride, x_stride;      // of the input, in floats
    const size_t *taps;
    size_t tap_count, run;
    size_t groups, group_input_stride;            // floats between the groups' channels
    const float *packed;                          // sk_pack of each group, one after the other
    size_t group_packed_stride;
    size_t columns;                               // output channels of one group
    float *output;
    size_t output_stride;                         // floats between output rows (all groups)
    sk_epilogue epilogue;
} sk_conv;

/// Floats `sk_pack` writes for a K x N matrix.
size_t sk_packed_count(size_t k, size_t n);
/// Packs b[k * k_stride + n * n_stride] into panels.
void sk_pack(const float *b, size_t k_stride, size_t n_stride, size_t k, size_t n, float *packed);
void sk_conv_run(const sk_conv *p);

/// Rows [first, first + count) of the input of `p`, group `group`, as a dense [count x tap_count * run] matrix.
void sk_im2col(const sk_conv *p, size_t group, size_t first, size_t count, float *matrix);
/// Applies an epilogue to `rows` rows of `columns` values, `stride` apart. The residual has the same stride.
void sk_apply_epilogue(const sk_epilogue *e, float *rows, size_t count, size_t columns, size_t stride);

/// 3 x 3, stride 1 convolution by Winograd's minimal filtering F(m x m, 3 x 3) (Lavin and Gray, 2015), m = 2 or 4.
/// Channels must be multiples of `sk_vector_width()`.
typedef struct {
    const float *input;                           // [images, height, width, channels]
    size_t images, height, width, channels;
    size_t pad_top, pad_left;
    size_t out_height, out_width, columns;
    size_t m;
    const float *packed;                          // (m + 2)^2 matrices from sk_winograd_pack
    float *scratch;                               // sk_winograd_scratch floats
    size_t tile_block;
    float *output;                                // [images, out_height, out_width, columns]
    sk_epilogue epilogue;
} sk_winograd;

size_t sk_winograd_packed_count(size_t m, size_t channels, size_t columns);
/// weights: [columns, channels, 3, 3], the order of ONNX. work: channels * columns floats.
void sk_winograd_pack(size_t m, const float *weights, size_t channels, size_t columns, float *work, float *packed);
size_t sk_winograd_scratch(size_t m, size_t tile_block, size_t channels, size_t columns);
void sk_winograd_run(const sk_winograd *p);

/// A sliding window over a channels-last image: depthwise convolution and pooling.
typedef struct {
    const float *input;
    size_t images, height, width, channels;
    size_t out_height, out_width;
    size_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
    size_t pad_top, pad_left;
    float *output;
} sk_window;

/// weights: [kernel_h, kernel_w, channels].
void sk_depthwise(const sk_window *w, const float *weights, const sk_epilogue *e);
void sk_max_pool(const sk_window *w);
/// count_include_pad: divide by the window's size clipped to the padded image (pad_bottom, pad_right given), else
/// by the number of real pixels.
void sk_average_pool(const sk_window *w, int count_include_pad, size_t pad_bottom, size_t pad_right);

void sk_unary(int op, float a, float b, const float *in, float *out, size_t count);

typedef struct {
    int32_t op;
    size_t rank;
    size_t dims[SK_MAX_RANK];
    size_t a_strides[SK_MAX_RANK], b_strides[SK_MAX_RANK];   // 0 repeats; the innermost is 0 or 1
    const float *a, *b;
    float *output;                                            // dense
} sk_binary;
void sk_binary_run(const sk_binary *p);

typedef struct {
    size_t rank;
    size_t dims[SK_MAX_RANK];
    size_t c_strides[SK_MAX_RANK], a_strides[SK_MAX_RANK], b_strides[SK_MAX_RANK];
    const float *condition, *a, *b;
    float *output;
} sk_select;
void sk_select_run(const sk_select *p);

/// output[sum i_d * out_strides] = input[sum i_d * in_strides]; strides may be 0 or negative, the pointers already
/// stand on element (0, ..., 0). dims are ordered so that the last is the output's innermost.
typedef struct {
    size_t rank;
    size_t dims[SK_MAX_RANK];
    ptrdiff_t in_strides[SK_MAX_RANK], out_strides[SK_MAX_RANK];
    const float *input;
    float *output;
} sk_copy;
void sk_copy_run(const sk_copy *p);
/// The image of `w` in the middle of a zero-bordered one (its pad_top and pad_left, and the two given).
void sk_pad_image(const sk_window *w, size_t pad_bottom, size_t pad_right);
void sk_fill(float *out, float value, size_t count);

/// out[o][j][i] = in[o][index[j]][i]; index -1 gives `fill`.
void sk_gather(const float *in, size_t outer, size_t axis, size_t inner, const int32_t *index, size_t count, float fill, float *out);

/// [outer, axis, inner] -> [outer, inner].
void sk_reduce(int op, const float *in, size_t outer, size_t axis, size_t inner, float *out);
void sk_softmax(const float *in, size_t outer, size_t axis, size_t inner, int logarithm, float *out);

/// What `sk_stft_run` writes of each bin: real and imaginary part, or one number.
enum { SK_COMPLEX = 0, SK_POWER, SK_MAGNITUDE };

/// One-sided short-time Fourier transform of real frames, length a power of two >= 4.
typedef struct {
    const float *signal;                 // [batch, samples]
    size_t batch, samples, frames, hop, length, bins;
    const float *window;                 // length
    const float *twiddles;               // sk_stft_twiddle_count(length), from sk_stft_twiddles
    float *scratch;                      // sk_stft_scratch(length)
    int32_t spectrum;
    float *output;                       // [batch, frames, bins, 2], or [batch, frames, bins]
} sk_stft;
size_t sk_stft_twiddle_count(size_t length);
void sk_stft_twiddles(size_t length, float *twiddles);
size_t sk_stft_scratch(size_t length);
void sk_stft_run(const sk_stft *p);
