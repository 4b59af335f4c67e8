// Short-time Fourier transform of real frames. VW frames are transformed together, one per vector lane, so the
// butterflies are plain vector code. A real frame of length n is a complex one of n / 2 (even samples real, odd
// imaginary), decimation in time, radix 2, loaded in bit-reversed order. Included by kernels_impl.h only.

// Two radix-2 stages in one pass over memory: butterflies of distance half, then 2 half.
static void double_stage(float *re, float *im, size_t h, size_t half, size_t n, const float *tw) {
    const size_t d = half * VW;
    for (size_t j = 0; j < half; j++) {
        // Twiddle exp(-2 pi i j / m) = tw[j * n / m].
        const float *w1 = tw + 2 * (j * (n / (2 * half))), *w2 = tw + 2 * (j * (n / (4 * half)));
        const vf w1r = splat(w1[0]), w1i = splat(w1[1]), w2r = splat(w2[0]), w2i = splat(w2[1]);
        for (size_t i = j; i < h; i += 4 * half) {
            float *r = re + i * VW, *m = im + i * VW;
            vf a1r = load(r + d), a1i = load(m + d), a3r = load(r + 3 * d), a3i = load(m + 3 * d);
            vf t1r = a1r * w1r - a1i * w1i, t1i = a1r * w1i + a1i * w1r;
            vf t3r = a3r * w1r - a3i * w1i, t3i = a3r * w1i + a3i * w1r;
            vf a0r = load(r), a0i = load(m), a2r = load(r + 2 * d), a2i = load(m + 2 * d);
            vf b0r = a0r + t1r, b0i = a0i + t1i, b1r = a0r - t1r, b1i = a0i - t1i;
            vf b2r = a2r + t3r, b2i = a2i + t3i, b3r = a2r - t3r, b3i = a2i - t3i;
            vf c2r = b2r * w2r - b2i * w2i, c2i = b2r * w2i + b2i * w2r;
            // The twiddle of the second pair is -i times that of the first.
            vf c3r = b3r * w2i + b3i * w2r, c3i = b3i * w2i - b3r * w2r;
            store(r, b0r + c2r);
            store(m, b0i + c2i);
            store(r + d, b1r + c3r);
            store(m + d, b1i + c3i);
            store(r + 2 * d, b0r - c2r);
            store(m + 2 * d, b0i - c2i);
            store(r + 3 * d, b1r - c3r);
            store(m + 3 * d, b1i - c3i);
        }
    }
}

static void K(stft)(const sk_stft *p) {
    const size_t n = p->length, h = n / 2;
    // Twiddles: h pairs exp(-2 pi i k / n), k < h; the half-size transform uses every second one.
    const float *tw = p->twiddles;
    float *re = p->scratch, *im = p->scratch + h * VW;
    int bits = 0;
    while (((size_t)1 << bits) < h) bits++;
    for (size_t row = 0; row < p->batch; row++) {
        const float *signal = p->signal + row * p->samples;
        for (size_t f0 = 0; f0 < p->frames; f0 += VW) {
            size_t lanes_used = p->frames - f0 < VW ? p->frames - f0 : VW;
            size_t r = 0;
            for (size_t k = 0; k < h; k++) {
                float even[VW] __attribute__((aligned(64))), odd[VW] __attribute__((aligned(64)));
                const float *from = signal + f0 * p->hop + 2 * k;
                for (size_t l = 0; l < VW; l++) {
                    const float *pair = from + (l < lanes_used ? l : lanes_used - 1) * p->hop;
                    even[l] = pair[0];
                    odd[l] = pair[1];
                }
                store(re + r * VW, load(even) * p->window[2 * k]);
                store(im + r * VW, load(odd) * p->window[2 * k + 1]);
                // Next index in bit-reversed order: a carry that runs downwards.
                size_t bit = h >> 1;
                while (r & bit) {
                    r ^= bit;
                    bit >>= 1;
                }
                r |= bit;
            }
            size_t half = 1;
            if (bits % 2 == 1) {
                for (size_t i = 0; i < h; i += 2) {
                    float *r0 = re + i * VW, *i0 = im + i * VW;
                    vf cr = load(r0), ci = load(i0), br = load(r0 + VW), bi = load(i0 + VW);
                    store(r0, cr + br);
                    store(i0, ci + bi);
                    store(r0 + VW, cr - br);
                    store(i0 + VW, ci - bi);
                }
                half = 2;
            }
            for (; half < h; half *= 4) double_stage(re, im, h, half, n, tw);
            const size_t each = p->spectrum == SK_COMPLEX ? 2 * p->bins : p->bins;
            float *out = p->output + (row * p->frames + f0) * each;
            for (size_t k = 0; k < p->bins; k++) {
                size_t a = k % h, b = (h - k % h) % h;
                vf zr = load(re + a * VW), zi = load(im + a * VW), yr = load(re + b * VW), yi = -load(im + b * VW);
                float c = k == h ? -1.0f : tw[2 * k], s = k == h ? 0.0f : tw[2 * k + 1];
                vf er = 0.5f * (zr + yr), ei = 0.5f * (zi + yi), dr = 0.5f * (zr - yr), di = 0.5f * (zi - yi);
                // X = E - i w D, w = c + i s.
                vf xr = er + (s * dr + c * di), xi = ei - (c * dr - s * di);
                float tr[VW] __attribute__((aligned(64))), ti[VW] __attribute__((aligned(64)));
                if (p->spectrum != SK_COMPLEX) {
                    vf power = xr * xr + xi * xi;
                    store(tr, p->spectrum == SK_POWER ? power : __builtin_elementwise_sqrt(power));
                    for (size_t l = 0; l < lanes_used; l++) out[l * p->bins + k] = tr[l];
                    continue;
                }
                store(tr, xr);
                store(ti, xi);
                for (size_t l = 0; l < lanes_used; l++) {
                    out[(l * p->bins + k) * 2] = tr[l];
                    out[(l * p->bins + k) * 2 + 1] = ti[l];
                }
            }
        }
    }
}
