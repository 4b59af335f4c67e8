// Depthwise convolution and pooling on channels-last images. Included by kernels_impl.h only.

// Largest number of neighbouring outputs computed together in a depthwise row.
#define SPAN 4

// `count` neighbouring outputs of one row, one vector of channels, all taps inside the image horizontally.
// Constant kernel and stride let the columns be read once for all outputs that share them.
SK_INLINE void depthwise_span(const int KW, const int S, const float *const *rows, const float *weights, size_t kernel_h,
                              size_t channels, size_t c, vf *sum) {
    for (size_t ky = 0; ky < kernel_h; ky++) {
        if (!rows[ky]) continue;
        const float *in = rows[ky] + c;
        vf w[5], x[SPAN * 2 + 5];
#pragma clang loop unroll(full)
        for (int k = 0; k < KW; k++) w[k] = load(weights + (ky * (size_t)KW + (size_t)k) * channels + c);
#pragma clang loop unroll(full)
        for (int i = 0; i < (SPAN - 1) * S + KW; i++) x[i] = load(in + (size_t)i * channels);
#pragma clang loop unroll(full)
        for (int o = 0; o < SPAN; o++)
#pragma clang loop unroll(full)
            for (int k = 0; k < KW; k++) sum[o] += x[o * S + k] * w[k];
    }
}

// One output, any kernel, any channel count: `n` channels from c.
SK_INLINE vf depthwise_one(const sk_window *w, const float *image, const float *weights, ptrdiff_t y, ptrdiff_t x,
                           size_t c, size_t n) {
    vf s = splat(0.0f);
    for (size_t ky = 0; ky < w->kernel_h; ky++) {
        ptrdiff_t iy = y + (ptrdiff_t)(ky * w->dilation_h);
        if (iy < 0 || iy >= (ptrdiff_t)w->height) continue;
        for (size_t kx = 0; kx < w->kernel_w; kx++) {
            ptrdiff_t ix = x + (ptrdiff_t)(kx * w->dilation_w);
            if (ix < 0 || ix >= (ptrdiff_t)w->width) continue;
            const float *in = image + ((size_t)iy * w->width + (size_t)ix) * w->channels + c;
            const float *k = weights + (ky * w->kernel_w + kx) * w->channels + c;
            s += n == VW ? load(in) * load(k) : load_some(in, n) * load_some(k, n);
        }
    }
    return s;
}

SK_INLINE void depthwise_store(const sk_epilogue *e, vf s, size_t c, size_t n, size_t at, float *out) {
    if (e->bias) s += n == VW ? load(e->bias + c) : load_some(e->bias + c, n);
    if (e->residual) s += n == VW ? load(e->residual + at) : load_some(e->residual + at, n);
    s = at_most(at_least(s, splat(e->lo)), splat(e->hi));
    if (n == VW) store(out + at, s);
    else store_some(out + at, s, n);
}

static void K(depthwise)(const sk_window *w, const float *weights, const sk_epilogue *e) {
    const size_t channels = w->channels, whole = channels / VW * VW;
    const int spans = w->dilation_w == 1 && w->kernel_h <= 8 && (w->kernel_w == 3 || w->kernel_w == 5) &&
                      (w->stride_w == 1 || w->stride_w == 2);
    for (size_t image = 0; image < w->images; image++) {
        const float *in = w->input + image * w->height * w->width * channels;
        for (size_t oy = 0; oy < w->out_height; oy++) {
            ptrdiff_t y = (ptrdiff_t)(oy * w->stride_h) - (ptrdiff_t)w->pad_top;
            size_t line = (image * w->out_height + oy) * w->out_width * channels;
            size_t ox = 0;
            while (ox < w->out_width) {
                ptrdiff_t x = (ptrdiff_t)(ox * w->stride_w) - (ptrdiff_t)w->pad_left;
                size_t at = line + ox * channels;
                size_t reach = (SPAN - 1) * w->stride_w + w->kernel_w;
                if (spans && x >= 0 && ox + SPAN <= w->out_width && (size_t)x + reach <= w->width) {
                    const float *rows[8];
                    for (size_t ky = 0; ky < w->kernel_h; ky++) {
                        ptrdiff_t iy = y + (ptrdiff_t)(ky * w->dilation_h);
                        rows[ky] = iy < 0 || iy >= (ptrdiff_t)w->height ? 0 : in + ((size_t)iy * w->width + (size_t)x) * channels;
                    }
                    for (size_t c = 0; c < whole; c += VW) {
                        vf s[SPAN];
                        for (int o = 0; o < SPAN; o++) s[o] = splat(0.0f);
                        if (w->kernel_w == 3 && w->stride_w == 1) depthwise_span(3, 1, rows, weights, w->kernel_h, channels, c, s);
                        else if (w->kernel_w == 3) depthwise_span(3, 2, rows, weights, w->kernel_h, channels, c, s);
                        else if (w->stride_w == 1) depthwise_span(5, 1, rows, weights, w->kernel_h, channels, c, s);
                        else depthwise_span(5, 2, rows, weights, w->kernel_h, channels, c, s);
                        for (int o = 0; o < SPAN; o++) depthwise_store(e, s[o], c, VW, at + (size_t)o * channels + c, w->output);
                    }
                    if (whole < channels)
                        for (size_t o = 0; o < SPAN; o++)
                            depthwise_store(e, depthwise_one(w, in, weights, y, x + (ptrdiff_t)(o * w->stride_w), whole, channels - whole),
                                            whole, channels - whole, at + o * channels + whole, w->output);
                    ox += SPAN;
                    continue;
                }
                for (size_t c = 0; c < channels; c += VW) {
                    size_t n = channels - c < VW ? channels - c : VW;
                    depthwise_store(e, depthwise_one(w, in, weights, y, x, c, n), c, n, at + c, w->output);
                }
                ox++;
            }
            if (e->post != SK_IDENTITY) {
                float *row = w->output + line;
                K(unary)(e->post, e->post_a, e->post_b, row, row, w->out_width * channels);
            }
        }
    }
}

SK_INLINE void pool(const sk_window *w, const int largest, int include_pad, size_t pad_bottom, size_t pad_right) {
    const size_t channels = w->channels;
    float *out = w->output;
    for (size_t image = 0; image < w->images; image++) {
        const float *in = w->input + image * w->height * w->width * channels;
        for (size_t oy = 0; oy < w->out_height; oy++)
            for (size_t ox = 0; ox < w->out_width; ox++, out += channels) {
                ptrdiff_t y = (ptrdiff_t)(oy * w->stride_h) - (ptrdiff_t)w->pad_top;
                ptrdiff_t x = (ptrdiff_t)(ox * w->stride_w) - (ptrdiff_t)w->pad_left;
                size_t real = 0, padded = 0;
                for (size_t ky = 0; ky < w->kernel_h; ky++)
                    for (size_t kx = 0; kx < w->kernel_w; kx++) {
                        ptrdiff_t iy = y + (ptrdiff_t)(ky * w->dilation_h), ix = x + (ptrdiff_t)(kx * w->dilation_w);
                        if (iy < (ptrdiff_t)(w->height + pad_bottom) && ix < (ptrdiff_t)(w->width + pad_right)) padded++;
                        if (iy >= 0 && ix >= 0 && iy < (ptrdiff_t)w->height && ix < (ptrdiff_t)w->width) real++;
                    }
                float scale = 1.0f / (float)(include_pad ? (padded ? padded : 1) : (real ? real : 1));
                for (size_t c = 0; c < channels; c += VW) {
                    size_t n = channels - c < VW ? channels - c : VW;
                    vf s = splat(largest ? -INFINITY : 0.0f);
                    for (size_t ky = 0; ky < w->kernel_h; ky++) {
                        ptrdiff_t iy = y + (ptrdiff_t)(ky * w->dilation_h);
                        if (iy < 0 || iy >= (ptrdiff_t)w->height) continue;
                        for (size_t kx = 0; kx < w->kernel_w; kx++) {
                            ptrdiff_t ix = x + (ptrdiff_t)(kx * w->dilation_w);
                            if (ix < 0 || ix >= (ptrdiff_t)w->width) continue;
                            const float *at = in + ((size_t)iy * w->width + (size_t)ix) * channels + c;
                            vf v = n == VW ? load(at) : load_some(at, n);
                            s = largest ? choose((s > v) | (s != s), s, v) : s + v;
                        }
                    }
                    if (!largest) s *= scale;
                    if (n == VW) store(out + c, s);
                    else store_some(out + c, s, n);
                }
            }
    }
}
static void K(max_pool)(const sk_window *w) { pool(w, 1, 0, 0, 0); }
static void K(average_pool)(const sk_window *w, int include_pad, size_t pad_bottom, size_t pad_right) {
    pool(w, 0, include_pad, pad_bottom, pad_right);
}
