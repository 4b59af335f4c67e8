// The packed matrix product that carries convolutions (implicit: rows are read where they lie) and dense layers.
// Included by kernels_impl.h only.
//
// A tile is MR rows x NV vectors of columns held in registers; one step of k reads NV vectors of a panel and MR
// scalars. MR_MAX x NV + NV + 1 registers fit the instruction set. Rows of a tile are `rs` floats apart, so a tile
// needs one pointer per four rows. Few rows leave the multipliers waiting on their own sums: then KU steps of k
// run on independent sums.

SK_INLINE void tile(const int MR, const int NV, const int KU, const float *a, size_t rs, const size_t *taps,
                    size_t tap_count, size_t run, const float *b, const sk_epilogue *e, size_t column, float *c,
                    size_t cs, size_t valid) {
    vf acc[4][MR_MAX][2];
#pragma clang loop unroll(full)
    for (int u = 0; u < KU; u++)
#pragma clang loop unroll(full)
        for (int i = 0; i < MR; i++)
#pragma clang loop unroll(full)
            for (int v = 0; v < NV; v++) acc[u][i][v] = splat(0.0f);
    const size_t rs3 = 3 * rs;
    for (size_t t = 0; t < tap_count; t++) {
        const float *p0 = a + taps[t], *p1 = p0 + 4 * rs, *p2 = p0 + 8 * rs, *p3 = p0 + 12 * rs;
        size_t k = run;
#define SK_ROW(i) ((i) / 4 == 0 ? p0 : (i) / 4 == 1 ? p1 : (i) / 4 == 2 ? p2 : p3)[((i) % 4 == 3 ? rs3 : (size_t)((i) % 4) * rs) + u]
#define SK_STEP(U)                                                                       \
    do {                                                                                 \
        _Pragma("clang loop unroll(full)") for (int u = 0; u < (U); u++) {               \
            vf w[2];                                                                     \
            _Pragma("clang loop unroll(full)") for (int v = 0; v < NV; v++) w[v] = load(b + (u * NV + v) * VW); \
            _Pragma("clang loop unroll(full)") for (int i = 0; i < MR; i++) {            \
                vf x = splat(SK_ROW(i));                                                 \
                _Pragma("clang loop unroll(full)") for (int v = 0; v < NV; v++) acc[u][i][v] += x * w[v]; \
            }                                                                            \
        }                                                                                \
        b += (U) * NV * VW;                                                              \
        p0 += (U); p1 += (U); p2 += (U); p3 += (U);                                      \
        __asm__ volatile("" : "+r"(p0), "+r"(p1), "+r"(p2), "+r"(p3));                   \
    } while (0)
        for (; KU > 1 && k >= (size_t)KU; k -= KU) SK_STEP(KU);
        for (; k > 0; k--) SK_STEP(1);
    }
    vf lo = splat(e->lo), hi = splat(e->hi);
    int whole = valid == (size_t)NV * VW;
#pragma clang loop unroll(full)
    for (int v = 0; v < NV; v++) {
        size_t left = valid > (size_t)v * VW ? valid - (size_t)v * VW : 0;
        if (left > VW) left = VW;
        vf bias = splat(0.0f);
        if (e->bias) bias = whole ? load(e->bias + column + v * VW) : load_some(e->bias + column + v * VW, left);
#pragma clang loop unroll(full)
        for (int i = 0; i < MR; i++) {
            vf s = acc[0][i][v];
#pragma clang loop unroll(full)
            for (int u = 1; u < KU; u++) s += acc[u][i][v];
            s += bias;
            size_t at = (size_t)i * cs + (size_t)v * VW;
            if (e->residual) s += whole ? load(e->residual + at) : load_some(e->residual + at, left);
            s = at_most(at_least(s, lo), hi);
            if (whole) store(c + at, s);
            else if (left) store_some(c + at, s, left);
        }
    }
}

#define SK_TILE(MR, NV, KU)                                                                                          \
    static __attribute__((noinline)) void tile_##MR##_##NV(const float *a, size_t rs, const size_t *taps,            \
                                                           size_t tap_count, size_t run, const float *b,             \
                                                           const sk_epilogue *e, size_t column, float *c, size_t cs, \
                                                           size_t valid) {                                           \
        tile(MR, NV, KU, a, rs, taps, tap_count, run, b, e, column, c, cs, valid);                                   \
    }
#define SK_TILES(MR, KU) SK_TILE(MR, 1, KU) SK_TILE(MR, 2, KU)
SK_TILES(1, 4) SK_TILES(2, 4) SK_TILES(3, 2) SK_TILES(4, 1)
#if MR_MAX >= 6
SK_TILES(5, 1) SK_TILES(6, 1)
#endif
#if MR_MAX >= 14
SK_TILES(7, 1) SK_TILES(8, 1) SK_TILES(9, 1) SK_TILES(10, 1) SK_TILES(11, 1) SK_TILES(12, 1) SK_TILES(13, 1) SK_TILES(14, 1)
#endif

typedef void (*tile_fn)(const float *, size_t, const size_t *, size_t, size_t, const float *, const sk_epilogue *,
                        size_t, float *, size_t, size_t);
static const tile_fn tile_table[2][MR_MAX + 1] = {
#if MR_MAX >= 14
    {0, tile_1_1, tile_2_1, tile_3_1, tile_4_1, tile_5_1, tile_6_1, tile_7_1, tile_8_1, tile_9_1, tile_10_1, tile_11_1, tile_12_1, tile_13_1, tile_14_1},
    {0, tile_1_2, tile_2_2, tile_3_2, tile_4_2, tile_5_2, tile_6_2, tile_7_2, tile_8_2, tile_9_2, tile_10_2, tile_11_2, tile_12_2, tile_13_2, tile_14_2},
#elif MR_MAX >= 6
    {0, tile_1_1, tile_2_1, tile_3_1, tile_4_1, tile_5_1, tile_6_1},
    {0, tile_1_2, tile_2_2, tile_3_2, tile_4_2, tile_5_2, tile_6_2},
#else
    {0, tile_1_1, tile_2_1, tile_3_1, tile_4_1},
    {0, tile_1_2, tile_2_2, tile_3_2, tile_4_2},
#endif
};

#define NR (2 * VW)
// The last panel is one vector wide when one vector is enough.
SK_INLINE size_t panel_vectors(size_t columns, size_t first) { return columns - first <= VW ? 1 : 2; }

static size_t K(packed_count)(size_t k, size_t n) {
    size_t vectors = 0;
    for (size_t j = 0; j < n; j += NR) vectors += panel_vectors(n, j);
    return vectors * VW * k;
}

static void K(pack)(const float *b, size_t k_stride, size_t n_stride, size_t k, size_t n, float *packed) {
    for (size_t j = 0; j < n; j += NR) {
        size_t width = panel_vectors(n, j) * VW;
        for (size_t i = 0; i < k; i++)
            for (size_t c = 0; c < width; c++)
                *packed++ = j + c < n ? b[i * k_stride + (j + c) * n_stride] : 0.0f;
    }
}

// `rows` rows, `rs` apart, against one panel. Rows are cut into tiles of nearly equal height.
SK_INLINE void panel_rows(const float *a, size_t rs, size_t rows, const size_t *taps, size_t tap_count, size_t run,
                          const float *b, size_t vectors, const sk_epilogue *e, size_t column, float *c, size_t cs,
                          size_t valid) {
    const tile_fn *table = tile_table[vectors - 1];
    sk_epilogue local = *e;
    size_t tiles = (rows + MR_MAX - 1) / MR_MAX;
    while (rows > 0) {
        size_t mr = (rows + tiles - 1) / tiles;
        table[mr](a, rs, taps, tap_count, run, b, &local, column, c, cs, valid);
        a += mr * rs;
        c += mr * cs;
        if (local.residual) local.residual += mr * cs;
        rows -= mr;
        tiles--;
    }
}

// Input bytes that stay in the second-level cache while every panel passes over them.
#define SK_BLOCK_FLOATS ((size_t)131072)

static void K(conv)(const sk_conv *p) {
    const size_t depth = p->tap_count * p->run;
    const size_t lines = p->images * p->height;
    // A block is whole output lines, or a part of one line when a line alone is too much.
    size_t line_floats = p->height > 1 || p->images > 1 ? p->y_stride : p->width * p->x_stride;
    if (line_floats == 0) line_floats = 1;
    size_t block_lines = SK_BLOCK_FLOATS / line_floats, block_width = p->width;
    if (block_lines == 0) {
        block_lines = 1;
        block_width = SK_BLOCK_FLOATS / (p->x_stride ? p->x_stride : 1) / MR_MAX * MR_MAX;
        if (block_width < MR_MAX) block_width = MR_MAX;
    }
    for (size_t g = 0; g < p->groups; g++)
        for (size_t y0 = 0; y0 < lines; y0 += block_lines) {
            size_t y1 = y0 + block_lines < lines ? y0 + block_lines : lines;
            for (size_t x0 = 0; x0 < p->width; x0 += block_width) {
                size_t xs = x0 + block_width < p->width ? block_width : p->width - x0;
                const float *b = p->packed + g * p->group_packed_stride;
                for (size_t j = 0; j < p->columns; j += NR) {
                    size_t vectors = panel_vectors(p->columns, j);
                    size_t valid = p->columns - j < vectors * VW ? p->columns - j : vectors * VW;
                    size_t column = g * p->columns + j;
                    for (size_t y = y0; y < y1; y++) {
                        const float *a = p->input + (y / p->height) * p->image_stride + (y % p->height) * p->y_stride +
                                         x0 * p->x_stride + g * p->group_input_stride;
                        size_t at = (y * p->width + x0) * p->output_stride + column;
                        sk_epilogue e = p->epilogue;
                        if (e.residual) e.residual += at;
                        panel_rows(a, p->x_stride, xs, p->taps, p->tap_count, p->run, b, vectors, &e, column,
                                   p->output + at, p->output_stride, valid);
                    }
                    b += vectors * VW * depth;
                }
                if (p->epilogue.post != SK_IDENTITY)
                    for (size_t y = y0; y < y1; y++) {
                        float *row = p->output + (y * p->width + x0) * p->output_stride + g * p->columns;
                        if (p->groups == 1) {
                            K(unary)(p->epilogue.post, p->epilogue.post_a, p->epilogue.post_b, row, row, xs * p->columns);
                        } else {
                            for (size_t x = 0; x < xs; x++, row += p->output_stride)
                                K(unary)(p->epilogue.post, p->epilogue.post_a, p->epilogue.post_b, row, row, p->columns);
                        }
                    }
            }
        }
}

static void K(apply_epilogue)(const sk_epilogue *e, float *rows, size_t count, size_t columns, size_t stride) {
    const float *residual = e->residual;
    vf lo = splat(e->lo), hi = splat(e->hi);
    for (size_t r = 0; r < count; r++, rows += stride) {
        for (size_t c = 0; c < columns; c += VW) {
            size_t n = columns - c < VW ? columns - c : VW;
            vf s = n == VW ? load(rows + c) : load_some(rows + c, n);
            if (e->bias) s += n == VW ? load(e->bias + c) : load_some(e->bias + c, n);
            if (residual) s += n == VW ? load(residual + c) : load_some(residual + c, n);
            s = at_most(at_least(s, lo), hi);
            if (n == VW) store(rows + c, s);
            else store_some(rows + c, s, n);
        }
        if (residual) residual += stride;
        if (e->post != SK_IDENTITY) K(unary)(e->post, e->post_a, e->post_b, rows, rows, columns);
    }
}
