// Winograd F(2 x 2, 3 x 3) and F(4 x 4, 3 x 3) on channels-last images. Lavin and Gray, "Fast Algorithms for
// Convolutional Neural Networks" (2015). Included by kernels_impl.h only.

// One row (or column) of the input transform: B^T d.
SK_INLINE void input_line(const int m, const vf *d, vf *o) {
    if (m == 2) {
        o[0] = d[0] - d[2];
        o[1] = d[1] + d[2];
        o[2] = d[2] - d[1];
        o[3] = d[1] - d[3];
    } else {
        vf s = d[4] - 4.0f * d[2], t = d[3] - 4.0f * d[1], u = d[4] - d[2], w = 2.0f * (d[3] - d[1]);
        o[0] = 4.0f * d[0] - 5.0f * d[2] + d[4];
        o[1] = s + t;
        o[2] = s - t;
        o[3] = u + w;
        o[4] = u - w;
        o[5] = 4.0f * d[1] - 5.0f * d[3] + d[5];
    }
}
// One row (or column) of the output transform: A^T y.
SK_INLINE void output_line(const int m, const vf *y, vf *o) {
    if (m == 2) {
        o[0] = y[0] + y[1] + y[2];
        o[1] = y[1] - y[2] - y[3];
    } else {
        vf s = y[1] + y[2], d = y[1] - y[2], p = y[3] + y[4], q = y[3] - y[4];
        o[0] = y[0] + s + p;
        o[1] = d + 2.0f * q;
        o[2] = s + 4.0f * p;
        o[3] = d + 8.0f * q + y[5];
    }
}

SK_INLINE void input_tile(const int m, const sk_winograd *p, size_t image, ptrdiff_t y, ptrdiff_t x, float *v, size_t step) {
    enum { MAX = 6 };
    const int n = m + 2;
    const size_t channels = p->channels;
    const float *base = p->input + image * p->height * p->width * channels;
    int inside = y >= 0 && x >= 0 && y + n <= (ptrdiff_t)p->height && x + n <= (ptrdiff_t)p->width;
    for (size_t c = 0; c < channels; c += VW) {
        vf t[MAX][MAX];
#pragma clang loop unroll(full)
        for (int j = 0; j < n; j++) {
            vf d[MAX], o[MAX];
#pragma clang loop unroll(full)
            for (int i = 0; i < n; i++) {
                if (inside || (y + i >= 0 && y + i < (ptrdiff_t)p->height && x + j >= 0 && x + j < (ptrdiff_t)p->width))
                    d[i] = load(base + ((size_t)(y + i) * p->width + (size_t)(x + j)) * channels + c);
                else
                    d[i] = splat(0.0f);
            }
            input_line(m, d, o);
#pragma clang loop unroll(full)
            for (int i = 0; i < n; i++) t[i][j] = o[i];
        }
#pragma clang loop unroll(full)
        for (int i = 0; i < n; i++) {
            vf o[MAX];
            input_line(m, t[i], o);
#pragma clang loop unroll(full)
            for (int j = 0; j < n; j++) store(v + (size_t)(i * n + j) * step + c, o[j]);
        }
    }
}

SK_INLINE void output_tile(const int m, const sk_winograd *p, size_t image, size_t y, size_t x, const float *v, size_t step) {
    enum { MAX = 6 };
    const int n = m + 2;
    const size_t columns = p->columns;
    const sk_epilogue *e = &p->epilogue;
    const vf lo = splat(e->lo), hi = splat(e->hi);
    size_t rows = p->out_height - y < (size_t)m ? p->out_height - y : (size_t)m;
    size_t cols = p->out_width - x < (size_t)m ? p->out_width - x : (size_t)m;
    size_t first = ((image * p->out_height + y) * p->out_width + x) * columns;
    for (size_t c = 0; c < columns; c += VW) {
        vf t[4][MAX];
#pragma clang loop unroll(full)
        for (int j = 0; j < n; j++) {
            vf d[MAX], o[4];
#pragma clang loop unroll(full)
            for (int i = 0; i < n; i++) d[i] = load(v + (size_t)(i * n + j) * step + c);
            output_line(m, d, o);
#pragma clang loop unroll(full)
            for (int i = 0; i < m; i++) t[i][j] = o[i];
        }
        vf bias = e->bias ? load(e->bias + c) : splat(0.0f);
#pragma clang loop unroll(full)
        for (int i = 0; i < m; i++) {
            if ((size_t)i >= rows) break;
            vf o[4];
            output_line(m, t[i], o);
#pragma clang loop unroll(full)
            for (int j = 0; j < m; j++) {
                if ((size_t)j >= cols) break;
                size_t at = first + ((size_t)i * p->out_width + (size_t)j) * columns + c;
                vf s = o[j] + bias;
                if (e->residual) s += load(e->residual + at);
                store(p->output + at, at_most(at_least(s, lo), hi));
            }
        }
    }
    if (e->post != SK_IDENTITY)
        for (size_t i = 0; i < rows; i++) {
            float *row = p->output + first + i * p->out_width * columns;
            K(unary)(e->post, e->post_a, e->post_b, row, row, cols * columns);
        }
}

SK_INLINE void winograd(const int m, const sk_winograd *p) {
    const size_t n2 = (size_t)(m + 2) * (size_t)(m + 2);
    const size_t across = (p->out_width + m - 1) / m, down = (p->out_height + m - 1) / m;
    const size_t total = p->images * down * across;
    const size_t matrix = K(packed_count)(p->channels, p->columns);
    const size_t zero_tap = 0;
    const sk_epilogue plain = {.lo = -INFINITY, .hi = INFINITY};
    float *v = p->scratch, *y = p->scratch + n2 * p->tile_block * p->channels;
    const size_t v_step = p->tile_block * p->channels, y_step = p->tile_block * p->columns;
    for (size_t t0 = 0; t0 < total; t0 += p->tile_block) {
        size_t count = total - t0 < p->tile_block ? total - t0 : p->tile_block;
        for (size_t i = 0; i < count; i++) {
            size_t t = t0 + i, image = t / (down * across), r = t % (down * across);
            input_tile(m, p, image, (ptrdiff_t)(r / across) * m - (ptrdiff_t)p->pad_top,
                       (ptrdiff_t)(r % across) * m - (ptrdiff_t)p->pad_left, v + i * p->channels, v_step);
        }
        for (size_t q = 0; q < n2; q++) {
            const float *b = p->packed + q * matrix;
            for (size_t j = 0; j < p->columns; j += NR) {
                size_t vectors = panel_vectors(p->columns, j);
                panel_rows(v + q * v_step, p->channels, count, &zero_tap, 1, p->channels, b, vectors, &plain, j,
                           y + q * y_step + j, p->columns, vectors * VW);
                b += vectors * VW * p->channels;
            }
        }
        for (size_t i = 0; i < count; i++) {
            size_t t = t0 + i, image = t / (down * across), r = t % (down * across);
            output_tile(m, p, image, r / across * m, r % across * m, y + i * p->columns, y_step);
        }
    }
}
static void K(winograd)(const sk_winograd *p) {
    if (p->m == 2) winograd(2, p);
    else winograd(4, p);
}
