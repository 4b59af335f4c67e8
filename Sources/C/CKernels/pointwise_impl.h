// Elementwise operations, reductions and softmax. Included by kernels_impl.h only.

#define MAP(EXPR)                                                             \
    do {                                                                      \
        size_t i = 0;                                                         \
        for (; i + VW <= count; i += VW) { vf x = load(in + i); store(out + i, (EXPR)); } \
        if (i < count) { vf x = load_some(in + i, count - i); store_some(out + i, (EXPR), count - i); } \
    } while (0)

static void K(unary)(int op, float a, float b, const float *in, float *out, size_t count) {
    switch (op) {
    case SK_IDENTITY: if (in != out) memmove(out, in, count * sizeof(float)); break;
    case SK_EXP: MAP(vexp(x)); break;
    case SK_LOG: MAP(vlog(x)); break;
    case SK_SQRT: MAP(__builtin_elementwise_sqrt(x)); break;
    case SK_ABS: MAP(__builtin_elementwise_abs(x)); break;
    case SK_NEG: MAP(-x); break;
    case SK_SIGMOID: MAP(vsigmoid(x)); break;
    case SK_TANH: MAP(vtanh(x)); break;
    case SK_ERF: MAP(verf(x)); break;
    case SK_GELU: MAP(0.5f * x * (1.0f + verf(x * 0.70710678118654752f))); break;
    case SK_GELU_TANH: MAP(0.5f * x * (1.0f + vtanh(0.7978845608028654f * (x + 0.044715f * x * x * x)))); break;
    case SK_SILU: MAP(x * vsigmoid(x)); break;
    case SK_SOFTPLUS: MAP(at_least(x, splat(0.0f)) + vlog(1.0f + vexp(-__builtin_elementwise_abs(x)))); break;
    case SK_RECIPROCAL: MAP(1.0f / x); break;
    case SK_FLOOR: MAP(__builtin_elementwise_floor(x)); break;
    case SK_CEIL: MAP(__builtin_elementwise_ceil(x)); break;
    case SK_ROUND: MAP(__builtin_elementwise_roundeven(x)); break;
    case SK_SIGN: MAP(choose(x > 0.0f, splat(1.0f), choose(x < 0.0f, splat(-1.0f), x))); break;
    case SK_SIN: MAP(lanes(x, a, lane_sin)); break;
    case SK_COS: MAP(lanes(x, a, lane_cos)); break;
    case SK_SQUARE: MAP(x * x); break;
    case SK_NOT: MAP(choose(x == 0.0f, splat(1.0f), splat(0.0f))); break;
    case SK_LEAKY_RELU: MAP(choose(x < 0.0f, a * x, x)); break;
    case SK_ELU: MAP(choose(x < 0.0f, a * (vexp(x) - 1.0f), x)); break;
    case SK_HARD_SIGMOID: MAP(vclamp01(a * x + b)); break;
    case SK_HARD_SWISH: MAP(x * vclamp01(x * (1.0f / 6.0f) + 0.5f)); break;
    case SK_CLIP: MAP(at_most(at_least(x, splat(a)), splat(b))); break;
    case SK_AFFINE: MAP(a * x + b); break;
    case SK_POW_SCALAR: MAP(lanes(x, a, lane_pow)); break;
    default: break;
    }
}

SK_INLINE vf vpow(vf x, vf y) {
    float s[VW] __attribute__((aligned(64))), t[VW] __attribute__((aligned(64)));
    store(s, x);
    store(t, y);
    for (int i = 0; i < VW; i++) s[i] = powf(s[i], t[i]);
    return load(s);
}
SK_INLINE vf truth(vi mask) { return choose(mask, splat(1.0f), splat(0.0f)); }

// One innermost run: sa and sb say whether a side repeats one value.
#define ZIP(EXPR)                                                                                   \
    do {                                                                                            \
        size_t i = 0;                                                                               \
        vf x = splat(a[0]), y = splat(b[0]);                                                        \
        for (; i + VW <= count; i += VW) {                                                          \
            if (sa) x = load(a + i);                                                                \
            if (sb) y = load(b + i);                                                                \
            store(out + i, (EXPR));                                                                 \
        }                                                                                           \
        if (i < count) {                                                                            \
            if (sa) x = load_some(a + i, count - i);                                                \
            if (sb) y = load_some(b + i, count - i);                                                \
            store_some(out + i, (EXPR), count - i);                                                 \
        }                                                                                           \
    } while (0)

static void zip_run(int op, const float *a, size_t sa, const float *b, size_t sb, float *out, size_t count) {
    switch (op) {
    case SK_ADD: ZIP(x + y); break;
    case SK_SUB: ZIP(x - y); break;
    case SK_MUL: ZIP(x * y); break;
    case SK_DIV: ZIP(x / y); break;
    case SK_MAX: ZIP(choose(x > y, x, choose(x == x, y, x))); break;
    case SK_MIN: ZIP(choose(x < y, x, choose(x == x, y, x))); break;
    case SK_POW: ZIP(vpow(x, y)); break;
    case SK_PRELU: ZIP(choose(x < 0.0f, x * y, x)); break;
    case SK_GREATER: ZIP(truth(x > y)); break;
    case SK_GREATER_EQUAL: ZIP(truth(x >= y)); break;
    case SK_LESS: ZIP(truth(x < y)); break;
    case SK_LESS_EQUAL: ZIP(truth(x <= y)); break;
    case SK_EQUAL: ZIP(truth(x == y)); break;
    case SK_AND: ZIP(truth((x != 0.0f) & (y != 0.0f))); break;
    case SK_OR: ZIP(truth((x != 0.0f) | (y != 0.0f))); break;
    default: break;
    }
}

static void K(binary)(const sk_binary *p) {
    size_t last = p->rank - 1, inner = p->dims[last], rows = 1;
    for (size_t d = 0; d < last; d++) rows *= p->dims[d];
    size_t at[SK_MAX_RANK] = {0};
    const float *a = p->a, *b = p->b;
    float *out = p->output;
    for (size_t r = 0; r < rows; r++, out += inner) {
        zip_run(p->op, a, p->a_strides[last], b, p->b_strides[last], out, inner);
        for (size_t d = last; d-- > 0;) {
            a += p->a_strides[d];
            b += p->b_strides[d];
            if (++at[d] < p->dims[d]) break;
            a -= p->a_strides[d] * p->dims[d];
            b -= p->b_strides[d] * p->dims[d];
            at[d] = 0;
        }
    }
}

SK_INLINE vf fold(int op, vf acc, vf x) {
    switch (op) {
    case SK_REDUCE_SUM: case SK_REDUCE_MEAN: return acc + x;
    case SK_REDUCE_MAX: return choose((acc > x) | (acc != acc), acc, x);
    case SK_REDUCE_MIN: return choose((acc < x) | (acc != acc), acc, x);
    case SK_REDUCE_L1: return acc + __builtin_elementwise_abs(x);
    case SK_REDUCE_PROD: return acc * x;
    default: return acc + x * x;
    }
}
SK_INLINE float fold1(int op, float acc, float x) {
    switch (op) {
    case SK_REDUCE_SUM: case SK_REDUCE_MEAN: return acc + x;
    case SK_REDUCE_MAX: return (acc > x || acc != acc) ? acc : x;
    case SK_REDUCE_MIN: return (acc < x || acc != acc) ? acc : x;
    case SK_REDUCE_L1: return acc + fabsf(x);
    case SK_REDUCE_PROD: return acc * x;
    default: return acc + x * x;
    }
}
SK_INLINE float merge1(int op, float acc, float x) {
    return fold1(op == SK_REDUCE_L1 || op == SK_REDUCE_L2 || op == SK_REDUCE_SUM_SQUARE ? SK_REDUCE_SUM : op, acc, x);
}

SK_INLINE void reduce_op(const int op, const float *in, size_t outer, size_t axis, size_t inner, float *out) {
    const float start = op == SK_REDUCE_MAX ? -INFINITY : op == SK_REDUCE_MIN ? INFINITY : op == SK_REDUCE_PROD ? 1.0f : 0.0f;
    const float scale = op == SK_REDUCE_MEAN ? 1.0f / (float)axis : 1.0f;
    for (size_t o = 0; o < outer; o++, in += axis * inner, out += inner) {
        if (inner == 1) {
            size_t i = 0;
            float s = start;
            if (axis >= 2 * VW) {
                vf v0 = splat(start), v1 = splat(start);
                for (; i + 2 * VW <= axis; i += 2 * VW) {
                    v0 = fold(op, v0, load(in + i));
                    v1 = fold(op, v1, load(in + i + VW));
                }
                float t[2 * VW] __attribute__((aligned(64)));
                store(t, v0);
                store(t + VW, v1);
                for (int k = 0; k < 2 * VW; k++) s = merge1(op, s, t[k]);
            }
            for (; i < axis; i++) s = fold1(op, s, in[i]);
            out[0] = (op == SK_REDUCE_L2 ? sqrtf(s) : s) * scale;
            continue;
        }
        size_t c = 0;
        for (; c + VW <= inner; c += VW) {
            vf v = splat(start);
            for (size_t i = 0; i < axis; i++) v = fold(op, v, load(in + i * inner + c));
            store(out + c, (op == SK_REDUCE_L2 ? __builtin_elementwise_sqrt(v) : v) * scale);
        }
        for (; c < inner; c++) {
            float s = start;
            for (size_t i = 0; i < axis; i++) s = fold1(op, s, in[i * inner + c]);
            out[c] = (op == SK_REDUCE_L2 ? sqrtf(s) : s) * scale;
        }
    }
}
// [outer, 2] -> [outer]: real and imaginary part to power, one pass.
SK_INLINE void reduce_pairs(const int op, const float *in, size_t outer, float *out) {
    for (size_t o = 0; o < outer; o++) {
        float s = fold1(op, fold1(op, 0.0f, in[2 * o]), in[2 * o + 1]);
        out[o] = op == SK_REDUCE_L2 ? sqrtf(s) : s;
    }
}

static void K(reduce)(int op, const float *in, size_t outer, size_t axis, size_t inner, float *out) {
    if (axis == 2 && inner == 1) {
        switch (op) {
        case SK_REDUCE_SUM: reduce_pairs(SK_REDUCE_SUM, in, outer, out); return;
        case SK_REDUCE_L2: reduce_pairs(SK_REDUCE_L2, in, outer, out); return;
        case SK_REDUCE_SUM_SQUARE: reduce_pairs(SK_REDUCE_SUM_SQUARE, in, outer, out); return;
        default: break;
        }
    }
    switch (op) {
    case SK_REDUCE_SUM: reduce_op(SK_REDUCE_SUM, in, outer, axis, inner, out); break;
    case SK_REDUCE_MEAN: reduce_op(SK_REDUCE_MEAN, in, outer, axis, inner, out); break;
    case SK_REDUCE_MAX: reduce_op(SK_REDUCE_MAX, in, outer, axis, inner, out); break;
    case SK_REDUCE_MIN: reduce_op(SK_REDUCE_MIN, in, outer, axis, inner, out); break;
    case SK_REDUCE_L1: reduce_op(SK_REDUCE_L1, in, outer, axis, inner, out); break;
    case SK_REDUCE_L2: reduce_op(SK_REDUCE_L2, in, outer, axis, inner, out); break;
    case SK_REDUCE_SUM_SQUARE: reduce_op(SK_REDUCE_SUM_SQUARE, in, outer, axis, inner, out); break;
    case SK_REDUCE_PROD: reduce_op(SK_REDUCE_PROD, in, outer, axis, inner, out); break;
    default: break;
    }
}

static void K(softmax)(const float *in, size_t outer, size_t axis, size_t inner, int logarithm, float *out) {
    for (size_t o = 0; o < outer; o++, in += axis * inner, out += axis * inner)
        for (size_t c = 0; c < inner; c++) {
            const float *x = in + c;
            float *y = out + c;
            float top = -INFINITY, sum = 0;
            for (size_t i = 0; i < axis; i++) top = x[i * inner] > top ? x[i * inner] : top;
            if (inner == 1) {
                K(unary)(SK_AFFINE, 1.0f, -top, x, y, axis);
                if (logarithm) {
                    size_t i = 0;
                    vf s = splat(0.0f);
                    for (; i + VW <= axis; i += VW) s += vexp(load(y + i));
                    for (int k = 0; k < VW; k++) sum += s[k];
                    for (; i < axis; i++) sum += expf(y[i]);
                    K(unary)(SK_AFFINE, 1.0f, -logf(sum), y, y, axis);
                } else {
                    K(unary)(SK_EXP, 0, 0, y, y, axis);
                    for (size_t i = 0; i < axis; i++) sum += y[i];
                    K(unary)(SK_AFFINE, 1.0f / sum, 0.0f, y, y, axis);
                }
                continue;
            }
            for (size_t i = 0; i < axis; i++) sum += expf(x[i * inner] - top);
            float shift = top + logf(sum);
            for (size_t i = 0; i < axis; i++)
                y[i * inner] = logarithm ? x[i * inner] - shift : expf(x[i * inner] - top) / sum;
        }
}
