// Vector types and elementary functions, compiled once per instruction set: VW floats per vector.
// Included by kernels_impl.h only.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef float vf __attribute__((ext_vector_type(VW)));
typedef int32_t vi __attribute__((ext_vector_type(VW)));
typedef float vf_any __attribute__((ext_vector_type(VW), aligned(4), may_alias));

#define SK_INLINE static inline __attribute__((always_inline))

SK_INLINE vf load(const float *p) { return *(const vf_any *)p; }
SK_INLINE void store(float *p, vf v) { *(vf_any *)p = v; }
SK_INLINE vf splat(float s) { return (vf)(s); }
// `mask` comes from a comparison. A ternary, so that clamps become one min or max instruction.
SK_INLINE vf choose(vi mask, vf yes, vf no) { return mask ? yes : no; }
// Written as compare and select so that NaN in x stays NaN.
SK_INLINE vf at_least(vf x, vf lo) { return choose(x < lo, lo, x); }
SK_INLINE vf at_most(vf x, vf hi) { return choose(x > hi, hi, x); }

SK_INLINE vf load_some(const float *p, size_t n) {
    float t[VW] __attribute__((aligned(64))) = {0};
    memcpy(t, p, n * sizeof(float));
    return load(t);
}
SK_INLINE void store_some(float *p, vf v, size_t n) {
    float t[VW] __attribute__((aligned(64)));
    store(t, v);
    memcpy(p, t, n * sizeof(float));
}

// exp: x = n ln 2 + r, a degree 6 polynomial in r, 2^n built in the exponent in two halves (results below the
// normal range come out right). Largest relative error 1.2e-7.
SK_INLINE vf vexp(vf x) {
    vf c = at_most(at_least(x, splat(-104.0f)), splat(89.0f));
    vf n = __builtin_elementwise_floor(c * 1.44269504088896341f + 0.5f);
    vf r = c - n * 0.693359375f;
    r = r - n * -2.12194440e-4f;
    vf p = splat(1.9875691500e-4f);
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    vi whole = __builtin_convertvector(choose(n == n, n, splat(0)), vi);
    vi half = whole >> 1;
    vf scale1 = (vf)((half + 127) << 23), scale2 = (vf)((whole - half + 127) << 23);
    return choose(x == x, p * scale1 * scale2, x);
}

// log: x = 2^e m with m in [sqrt 1/2, sqrt 2), a degree 9 polynomial in m - 1.
SK_INLINE vf vlog(vf x) {
    vi tiny = x < 1.17549435e-38f;
    vf s = choose(tiny, x * 8388608.0f, x);
    vi bits = (vi)s;
    vi e = ((bits >> 23) & 0xff) - 126;
    vf m = (vf)((bits & 0x007fffff) | 0x3f000000);
    vi low = m < 0.707106781186547524f;
    vf fe = __builtin_convertvector(e + low, vf) - choose(tiny, splat(23.0f), splat(0.0f));
    m = m + choose(low, m, splat(0.0f)) - 1.0f;
    vf z = m * m;
    vf p = splat(7.0376836292e-2f);
    p = p * m - 1.1514610310e-1f;
    p = p * m + 1.1676998740e-1f;
    p = p * m - 1.2420140846e-1f;
    p = p * m + 1.4249322787e-1f;
    p = p * m - 1.6668057665e-1f;
    p = p * m + 2.0000714765e-1f;
    p = p * m - 2.4999993993e-1f;
    p = p * m + 3.3333331174e-1f;
    p = p * m * z;
    p = p + fe * -2.12194440e-4f - 0.5f * z;
    vf y = m + p + fe * 0.693359375f;
    y = choose(x == splat(INFINITY), x, y);
    y = choose(x == 0.0f, splat(-INFINITY), y);
    return choose(x >= 0.0f, y, splat(NAN));
}

SK_INLINE vf vsigmoid(vf x) { return 1.0f / (1.0f + vexp(-x)); }
SK_INLINE vf vtanh(vf x) {
    // Odd polynomial near 0, where 1 - 2 / (e^2x + 1) would cancel.
    vf z = x * x;
    vf p = splat(-5.70498872745e-3f);
    p = p * z + 2.06390887954e-2f;
    p = p * z - 5.37397155531e-2f;
    p = p * z + 1.33314422036e-1f;
    p = p * z - 3.33332819422e-1f;
    p = p * z * x + x;
    vf q = 1.0f - 2.0f / (vexp(2.0f * x) + 1.0f);
    return choose(__builtin_elementwise_abs(x) < 0.625f, p, q);
}
// erf: Abramowitz and Stegun 7.1.26, absolute error 1.5e-7.
SK_INLINE vf verf(vf x) {
    vf ax = __builtin_elementwise_abs(x);
    vf t = 1.0f / (1.0f + 0.3275911f * ax);
    vf p = splat(1.061405429f);
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    vf y = 1.0f - p * t * vexp(-ax * ax);
    return choose(x < 0.0f, -y, y);
}
SK_INLINE vf vclamp01(vf x) { return at_most(at_least(x, splat(0.0f)), splat(1.0f)); }

SK_INLINE vf lanes(vf x, float a, float (*f)(float, float)) {
    float t[VW] __attribute__((aligned(64)));
    store(t, x);
    for (int i = 0; i < VW; i++) t[i] = f(t[i], a);
    return load(t);
}
static float lane_sin(float x, float a) { (void)a; return sinf(x); }
static float lane_cos(float x, float a) { (void)a; return cosf(x); }
static float lane_pow(float x, float a) { return powf(x, a); }
