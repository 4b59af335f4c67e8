// Short-time Fourier transform of real frames. VW frames are transformed together, one per vector lane, so the
// butterflies are plain vector code. A real frame of length n is a complex one of n / 2 (even samples real, odd
// imaginary), decimation in time, radix 2, loaded in bit-reversed order. Included by kernels_impl.h only.

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
            for (size_t k = 0; k < h; k++) {
                size_t r = 0;
                for (int b = 0; b < bits; b++) r |= ((k >> b) & 1) << (bits - 1 - b);
                float even[VW] __attribute__((aligned(64))), odd[VW] __attribute__((aligned(64)));
                for (size_t l = 0; l < VW; l++) {
                    size_t f = f0 + (l < lanes_used ? l : lanes_used - 1);
                    even[l] = signal[f * p->hop + 2 * k];
                    odd[l] = signal[f * p->hop + 2 * k + 1];
                }
                store(re + r * VW, load(even) * p->window[2 * k]);
                store(im + r * VW, load(odd) * p->window[2 * k + 1]);
            }
            for (size_t half = 1; half < h; half *= 2) {
                size_t step = n / (2 * half);          // twiddle exp(-2 pi i j / (2 half)) = tw[j * step]
                for (size_t j = 0; j < half; j++) {
                    vf wr = splat(tw[2 * j * step]), wi = splat(tw[2 * j * step + 1]);
                    for (size_t i = j; i < h; i += 2 * half) {
                        float *r0 = re + i * VW, *i0 = im + i * VW, *r1 = r0 + half * VW, *i1 = i0 + half * VW;
                        vf ar = load(r1), ai = load(i1);
                        vf br = ar * wr - ai * wi, bi = ar * wi + ai * wr;
                        vf cr = load(r0), ci = load(i0);
                        store(r0, cr + br);
                        store(i0, ci + bi);
                        store(r1, cr - br);
                        store(i1, ci - bi);
                    }
                }
            }
            float *out = p->output + (row * p->frames + f0) * p->bins * 2;
            for (size_t k = 0; k < p->bins; k++) {
                size_t a = k % h, b = (h - k % h) % h;
                vf zr = load(re + a * VW), zi = load(im + a * VW), yr = load(re + b * VW), yi = -load(im + b * VW);
                float c = k == h ? -1.0f : tw[2 * k], s = k == h ? 0.0f : tw[2 * k + 1];
                vf er = 0.5f * (zr + yr), ei = 0.5f * (zi + yi), dr = 0.5f * (zr - yr), di = 0.5f * (zi - yi);
                // X = E - i w D, w = c + i s.
                vf xr = er + (s * dr + c * di), xi = ei - (c * dr - s * di);
                float tr[VW] __attribute__((aligned(64))), ti[VW] __attribute__((aligned(64)));
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
