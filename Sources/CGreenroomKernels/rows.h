// The kernels for vectors of V bytes, in terms of what kernels.c defines for each instruction set: VEC, the
// vector; OP(name), an intrinsic; NAME(name), a function of the set; SHORTER, the table for rows that are
// shorter than a vector.
//
// Intrinsics that widen, narrow and interleave work within each 16 bytes of a vector. `spread` deals the
// vector's groups of four bytes out to these lanes, so that interleaving twice returns them in order;
// `gather` undoes what narrowing twice has done, and `halves` and `pairs` what narrowing two vectors to
// one has.
//
// The last vector of a row ends with the row, and may overlap the one before.

#define FOR_VECTORS(x, step, width) \
    for (int x = 0; x < (width) && (x = x < (width) - (step) ? x : (width) - (step), 1); x += (step))

static inline VEC NAME(load)(const void *from) {
    VEC vector;
    __builtin_memcpy(&vector, from, V);
    return vector;
}

static inline void NAME(store)(void *to, VEC vector) { __builtin_memcpy(to, &vector, V); }

// The lower half to one place, the upper half to another.
static inline void NAME(store_halves)(uint8_t *lower, uint8_t *upper, VEC vector) {
    __builtin_memcpy(lower, &vector, V / 2);
    __builtin_memcpy(upper, (const char *)&vector + V / 2, V / 2);
}

static inline VEC NAME(bytes)(const void *four) {
    int32_t value;
    __builtin_memcpy(&value, four, 4);
    return OP(set1_epi32)(value);
}

// Words of luma, from weights and pixels minus 128, and words of chroma minus 128, less one, of the opposite
// sign, from pixels and weights.
#ifdef HAS_DOT_PRODUCT

static inline VEC NAME(luma_words)(VEC w, VEC a, VEC b, int bias) {
    VEC from = OP(set1_epi32)(bias);
    return OP(packs_epi32)(OP(srai_epi32)(OP(dpbusd_epi32)(from, w, a), 8),
                           OP(srai_epi32)(OP(dpbusd_epi32)(from, w, b), 8));
}

static inline VEC NAME(chroma_words)(VEC a, VEC b, VEC w) {
    VEC from = OP(set1_epi32)(-129);
    return OP(packs_epi32)(OP(srai_epi32)(OP(dpbusd_epi32)(from, a, w), 8),
                           OP(srai_epi32)(OP(dpbusd_epi32)(from, b, w), 8));
}

#else

static inline VEC NAME(luma_words)(VEC w, VEC a, VEC b, int bias) {
    VEC sums = OP(hadd_epi16)(OP(maddubs_epi16)(w, a), OP(maddubs_epi16)(w, b));
    return OP(srli_epi16)(OP(add_epi16)(sums, OP(set1_epi16)((int16_t)bias)), 8);
}

static inline VEC NAME(chroma_words)(VEC a, VEC b, VEC w) {
    VEC sums = OP(hadd_epi16)(OP(maddubs_epi16)(a, w), OP(maddubs_epi16)(b, w));
    return OP(srai_epi16)(OP(adds_epi16)(sums, OP(set1_epi16)(-129)), 8);
}

#endif

static void NAME(luma)(const uint8_t *pixels, uint8_t *y, int width,
                       const struct greenroom_from_rgb *weights) {
    if (width < V) return SHORTER.luma(pixels, y, width, weights);
    VEC w = NAME(bytes)(weights->y), half = OP(set1_epi8)(-128);
    FOR_VECTORS(x, V, width) {
        VEC p[4];
        for (int i = 0; i < 4; i++) p[i] = NAME(load)(pixels + 4 * x + i * V) ^ half;
        VEC low = NAME(luma_words)(w, p[0], p[1], weights->y_bias);
        VEC high = NAME(luma_words)(w, p[2], p[3], weights->y_bias);
        NAME(store)(y + x, NAME(gather)(OP(packus_epi16)(low, high)));
    }
}

static void NAME(chroma)(const uint8_t *upper, const uint8_t *lower, uint8_t *u, uint8_t *v, int width,
                         const struct greenroom_from_rgb *weights) {
    if (width < V) return SHORTER.chroma(upper, lower, u, v, width, weights);
    VEC u_weights = NAME(bytes)(weights->u), v_weights = NAME(bytes)(weights->v);
    FOR_VECTORS(x, V / 2, width / 2) {
        VEC p[4], mean[2];
        for (int i = 0; i < 4; i++)
            p[i] = OP(avg_epu8)(NAME(load)(upper + 8 * x + i * V), NAME(load)(lower + 8 * x + i * V));
        for (int i = 0; i < 2; i++)
            mean[i] = OP(avg_epu8)(NAME(even)(p[2 * i], p[2 * i + 1]), NAME(odd)(p[2 * i], p[2 * i + 1]));
        VEC u_words = NAME(chroma_words)(mean[0], mean[1], u_weights);
        VEC v_words = NAME(chroma_words)(mean[0], mean[1], v_weights);
        VEC result = NAME(pairs)(OP(packs_epi16)(u_words, v_words)) ^ OP(set1_epi8)(127);
        NAME(store_halves)(u + x, v + x, result);
    }
    if (width % 2 == 0) return;
    int last = width - 1;
    SHORTER.chroma(upper + 4 * last, lower + 4 * last, u + last / 2, v + last / 2, 1, weights);
}

// Samples of luma, in the upper bytes of words, times a weight.
static inline VEC NAME(luma_low)(VEC y, VEC weight) {
    return OP(mulhi_epu16)(OP(unpacklo_epi8)((VEC){0}, y), weight);
}

static inline VEC NAME(luma_high)(VEC y, VEC weight) {
    return OP(mulhi_epu16)(OP(unpackhi_epi8)((VEC){0}, y), weight);
}

// Samples of U or V minus 128, in the upper bytes of words.
static inline VEC NAME(chroma_samples)(const uint8_t *samples) {
    return OP(slli_epi16)(NAME(widen)(samples), 8) ^ OP(set1_epi16)(-32768);
}

static inline VEC NAME(levels)(VEC low, VEC high) {
    return OP(packus_epi16)(OP(srai_epi16)(low, 5), OP(srai_epi16)(high, 5));
}

// Levels of a row of luma, low and high, plus what each two of them share.
static inline VEC NAME(sums)(VEC low, VEC high, VEC shared) {
    return NAME(levels)(
        OP(add_epi16)(low, OP(unpacklo_epi16)(shared, shared)),
        OP(add_epi16)(high, OP(unpackhi_epi16)(shared, shared)));
}

// V pixels.
static inline void NAME(store_pixels)(VEC y, VEC u, VEC v, uint8_t *pixels,
                                      const struct greenroom_to_rgb *w) {
    VEC y_ = OP(set1_epi16)((int16_t)w->y), bias = OP(set1_epi16)(w->bias);
    VEC blue_u = OP(set1_epi16)(w->blue_u), green_u = OP(set1_epi16)(w->green_u);
    VEC green_v = OP(set1_epi16)(w->green_v), red_v = OP(set1_epi16)(w->red_v);
    y = NAME(spread)(y), u = NAME(spread)(u), v = NAME(spread)(v);
    VEC low = OP(add_epi16)(NAME(luma_low)(y, y_), bias);
    VEC high = OP(add_epi16)(NAME(luma_high)(y, y_), bias);
    VEC both = OP(add_epi16)(OP(mulhi_epi16)(u, green_u), OP(mulhi_epi16)(v, green_v));
    VEC blue = NAME(sums)(low, high, OP(mulhi_epi16)(u, blue_u)), green = NAME(sums)(low, high, both);
    VEC red = NAME(sums)(low, high, OP(mulhi_epi16)(v, red_v)), alpha = OP(set1_epi8)(-1);
    VEC lower[2] = {OP(unpacklo_epi8)(blue, green), OP(unpackhi_epi8)(blue, green)};
    VEC upper[2] = {OP(unpacklo_epi8)(red, alpha), OP(unpackhi_epi8)(red, alpha)};
    for (int i = 0; i < 2; i++) {
        NAME(store)(pixels + 2 * i * V, OP(unpacklo_epi16)(lower[i], upper[i]));
        NAME(store)(pixels + (2 * i + 1) * V, OP(unpackhi_epi16)(lower[i], upper[i]));
    }
}

static void NAME(pixels)(const uint8_t *y, const uint8_t *u, const uint8_t *v, uint8_t *restrict pixels,
                         int width, const struct greenroom_to_rgb *weights) {
    if (width < V) return SHORTER.pixels(y, u, v, pixels, width, weights);
    int even = width & ~1;
    FOR_VECTORS(x, V, even) {
        VEC u_ = NAME(chroma_samples)(u + x / 2), v_ = NAME(chroma_samples)(v + x / 2);
        NAME(store_pixels)(NAME(load)(y + x), u_, v_, pixels + 4 * x, weights);
    }
    if (width % 2) SHORTER.pixels(y + even, u + even / 2, v + even / 2, pixels + 4 * even, 1, weights);
}

static void NAME(pixels_of_pairs)(const uint8_t *y, const uint8_t *u, const uint8_t *v,
                                  uint8_t *restrict pixels, int width,
                                  const struct greenroom_to_rgb *weights) {
    if (width < V) return SHORTER.pixels_of_pairs(y, u, v, pixels, width, weights);
    int even = width & ~1, u_first = u < v;
    FOR_VECTORS(x, V, even) {
        VEC both = NAME(load)((u_first ? u : v) + x) ^ OP(set1_epi8)(-128);
        VEC first = OP(slli_epi16)(both, 8), second = both & OP(set1_epi16)(-256);
        VEC u_ = u_first ? first : second, v_ = u_first ? second : first;
        NAME(store_pixels)(NAME(load)(y + x), u_, v_, pixels + 4 * x, weights);
    }
    if (width % 2) SHORTER.pixels_of_pairs(y + even, u + even, v + even, pixels + 4 * even, 1, weights);
}

static void NAME(range)(const uint8_t *y, uint8_t *result, int width, const struct greenroom_recolor *w) {
    if (width < V) return SHORTER.range(y, result, width, w);
    VEC y_ = OP(set1_epi16)((int16_t)w->y), bias = OP(set1_epi16)(w->y_bias);
    FOR_VECTORS(x, V, width) {
        VEC luma = NAME(load)(y + x);
        NAME(store)(result + x, NAME(levels)(OP(add_epi16)(NAME(luma_low)(luma, y_), bias),
                                             OP(add_epi16)(NAME(luma_high)(luma, y_), bias)));
    }
}

static void NAME(matrix)(const uint8_t *y, const uint8_t *u, const uint8_t *v, uint8_t *result, int width,
                         const struct greenroom_recolor *w) {
    if (width < V) return SHORTER.matrix(y, u, v, result, width, w);
    VEC y_ = OP(set1_epi16)((int16_t)w->y), bias = OP(set1_epi16)(w->y_bias);
    VEC y_u = OP(set1_epi16)(w->y_u), y_v = OP(set1_epi16)(w->y_v);
    int even = width & ~1;
    FOR_VECTORS(x, V, even) {
        VEC luma = NAME(load)(y + x);
        VEC shared = OP(add_epi16)(OP(mulhi_epi16)(NAME(chroma_samples)(u + x / 2), y_u),
                                   OP(mulhi_epi16)(NAME(chroma_samples)(v + x / 2), y_v));
        NAME(store)(result + x, NAME(sums)(NAME(luma_low)(luma, y_), NAME(luma_high)(luma, y_),
                                           OP(add_epi16)(shared, bias)));
    }
    if (width % 2) SHORTER.matrix(y + even, u + even / 2, v + even / 2, result + even, 1, w);
}

static void NAME(recolor)(const uint8_t *u, const uint8_t *v, uint8_t *u_result, uint8_t *v_result,
                          int count, const struct greenroom_recolor *w) {
    if (count < V / 2) return SHORTER.recolor(u, v, u_result, v_result, count, w);
    VEC u_u = OP(set1_epi16)(w->u_u), u_v = OP(set1_epi16)(w->u_v), v_u = OP(set1_epi16)(w->v_u);
    VEC v_v = OP(set1_epi16)(w->v_v), bias = OP(set1_epi16)(w->uv_bias);
    FOR_VECTORS(x, V / 2, count) {
        VEC u_ = NAME(chroma_samples)(u + x), v_ = NAME(chroma_samples)(v + x);
        VEC u_sum = OP(add_epi16)(OP(mulhi_epi16)(u_, u_u), OP(mulhi_epi16)(v_, u_v));
        VEC v_sum = OP(add_epi16)(OP(mulhi_epi16)(u_, v_u), OP(mulhi_epi16)(v_, v_v));
        VEC result = NAME(levels)(OP(add_epi16)(u_sum, bias), OP(add_epi16)(v_sum, bias));
        NAME(store_halves)(u_result + x, v_result + x, NAME(halves)(result));
    }
}

// Sums of taps are relative to 128, so that those of white with its overshoot fit in 16 bits.
#define SUM_FROM(rounding) OP(set1_epi16)((rounding) - (128 << 7))

static inline VEC NAME(sum_levels)(VEC low, VEC high) {
    return OP(packs_epi16)(OP(srai_epi16)(low, 7), OP(srai_epi16)(high, 7)) ^ OP(set1_epi8)(-128);
}

static inline __attribute__((always_inline)) VEC NAME(blended)(
    const uint8_t *const *rows, const int8_t *weights, int taps, int x) {
    VEC low = SUM_FROM(63), high = low;
    for (int i = 0; i < taps; i += 2) {
        int16_t two;
        __builtin_memcpy(&two, weights + i, 2);
        VEC a = NAME(load)(rows[i] + x), b = NAME(load)(rows[i + 1] + x), w = OP(set1_epi16)(two);
        low = OP(add_epi16)(low, OP(maddubs_epi16)(OP(unpacklo_epi8)(a, b), w));
        high = OP(add_epi16)(high, OP(maddubs_epi16)(OP(unpackhi_epi8)(a, b), w));
    }
    return NAME(sum_levels)(low, high);
}

static inline __attribute__((always_inline)) void NAME(blend_taps)(
    const uint8_t *const *rows, const int8_t *weights, int taps, uint8_t *restrict result, int width) {
    for (int x = 0; x <= width - V; x += V) NAME(store)(result + x, NAME(blended)(rows, weights, taps, x));
    if (width % V) NAME(store)(result + width - V, NAME(blended)(rows, weights, taps, width - V));
}

// Few enough taps to stay in registers: no other code has the address of the copies.
static inline __attribute__((always_inline)) void NAME(blend_few)(
    const uint8_t *const *rows, const int8_t *weights, int taps, uint8_t *restrict result, int width) {
    const uint8_t *own_rows[4];
    int8_t own_weights[4];
    for (int i = 0; i < taps; i++) own_rows[i] = rows[i], own_weights[i] = weights[i];
    NAME(blend_taps)(own_rows, own_weights, taps, result, width);
}

static void NAME(blend)(const uint8_t *const *rows, const int8_t *weights, int taps, uint8_t *result,
                        int width) {
    if (width < V) return SHORTER.blend(rows, weights, taps, result, width);
    if (taps == 2) return NAME(blend_few)(rows, weights, 2, result, width);
    if (taps == 4) return NAME(blend_few)(rows, weights, 4, result, width);
    NAME(blend_taps)(rows, weights, taps, result, width);
}

// The sums of V / 2 results.
static inline __attribute__((always_inline)) VEC NAME(scale_sums)(
    const uint8_t *row, struct greenroom_taps columns, int first, int terms) {
    VEC sum = SUM_FROM(64);
    int groups = (columns.count + 63) / 64 * 128 / WINDOW;
    for (int i = 0; i < terms; i++) {
        int at = i * groups + 2 * first / WINDOW;
        VEC picks = NAME(load)(columns.picks + WINDOW * at);
        VEC factors = NAME(load)(columns.factors + WINDOW * at);
        VEC samples = NAME(pick)(row, columns.windows + at, picks);
        sum = OP(add_epi16)(sum, OP(maddubs_epi16)(samples, factors));
    }
    return sum;
}

#define WINDOWS_OF_HALF (V / WINDOW)

// The results as far as whole vectors go, if the windows of `halves` halves of a vector repeat: they stay in
// registers. Without negative weights the sums fit in 16 bits as they are, and a rounding product shifts them.
// Returns how many results it made.
static inline __attribute__((always_inline)) int NAME(scale_periods)(
    const uint8_t *row, uint8_t *restrict result, const struct greenroom_taps *columns, int terms,
    int halves) {
    if (columns->count < halves * V) return 0;
    VEC picks[3], factors[3];
    int32_t windows[3 * WINDOWS_OF_HALF];
    int groups = (columns->count + 63) / 64 * 128 / WINDOW;
    for (int half = 0; half < halves; half++) {
        for (int i = 0; i < terms; i++) {
            int at = i * groups + half * WINDOWS_OF_HALF, own = half * terms + i;
            picks[own] = NAME(load)(columns->picks + WINDOW * at);
            factors[own] = NAME(load)(columns->factors + WINDOW * at);
            for (int j = 0; j < WINDOWS_OF_HALF; j++)
                windows[own * WINDOWS_OF_HALF + j] = columns->windows[at + j];
        }
    }
    ptrdiff_t advance = (ptrdiff_t)columns->advance * (halves * V / 2 / columns->period);
    int x = 0;
    for (; x <= columns->count - halves * V; x += halves * V, row += 2 * advance) {
        for (int vector = 0; vector < halves; vector++) {
            VEC sums[2];
            for (int part = 0; part < 2; part++) {
                int half = 2 * vector + part, own = half % halves * terms;
                for (int i = 0; i < terms; i++) {
                    VEC samples = NAME(pick)(row + half / halves * advance,
                                             windows + (own + i) * WINDOWS_OF_HALF, picks[own + i]);
                    VEC term = OP(maddubs_epi16)(samples, factors[own + i]);
                    sums[part] = i == 0 ? term : OP(add_epi16)(sums[part], term);
                }
                sums[part] = OP(mulhrs_epi16)(sums[part], OP(set1_epi16)(256));
            }
            NAME(store)(result + x + vector * V, NAME(halves)(OP(packus_epi16)(sums[0], sums[1])));
        }
    }
    return x;
}

static inline __attribute__((always_inline)) int NAME(scale_repeated)(
    const uint8_t *row, uint8_t *restrict result, const struct greenroom_taps *columns, int terms) {
    if (columns->period == 0 || terms > 3) return 0;
    if (V / 2 % columns->period == 0) return NAME(scale_periods)(row, result, columns, terms, 1);
    if (terms == 1 && 3 * V / 2 % columns->period == 0)
        return NAME(scale_periods)(row, result, columns, 1, 3);
    return 0;
}

static inline __attribute__((always_inline)) void NAME(scale_terms)(
    const uint8_t *row, uint8_t *restrict result, const struct greenroom_taps *from, int terms) {
    struct greenroom_taps columns = *from;
    int x = NAME(scale_repeated)(row, result, from, terms);
    if (x == columns.count) return;
    VEC last[2] = {{0}, {0}};
    // The last vector overlaps the one before.
    for (x = x < V ? 0 : x - V; x < columns.count; x += V) {
        VEC low = NAME(scale_sums)(row, columns, x, terms);
        VEC high = NAME(scale_sums)(row, columns, x + V / 2, terms);
        last[0] = last[1];
        last[1] = NAME(halves)(NAME(sum_levels)(low, high));
        if (x + V <= columns.count) NAME(store)(result + x, last[1]);
    }
    if (columns.count < V) __builtin_memcpy(result, last + 1, (size_t)columns.count);
    else NAME(store)(result + columns.count - V, NAME(load)((const uint8_t *)last + V + columns.count - x));
}

static void NAME(scale)(const uint8_t *row, uint8_t *result, const struct greenroom_taps *columns) {
    if (columns->terms == 1) return NAME(scale_terms)(row, result, columns, 1);
    if (columns->terms == 2) return NAME(scale_terms)(row, result, columns, 2);
    if (columns->terms == 3) return NAME(scale_terms)(row, result, columns, 3);
    NAME(scale_terms)(row, result, columns, columns->terms);
}

#ifndef TABLE_PARTS

// 16 entries in each lane. All but the first of each half of the table are the difference to the part
// before: adding up the parts that a sample reaches leaves the entry of the last.
#define TABLE_PARTS 16

static inline VEC NAME(table_part)(const uint8_t *table, int index) {
    VEC part = NAME(load_lanes)(table + 16 * index);
    return index % 8 == 0 ? part : part ^ NAME(load_lanes)(table + 16 * (index - 1));
}

// A shuffle by a negative index gives 0: of the other half, and of parts beyond the sample.
static inline VEC NAME(entries)(VEC samples, const VEC *parts) {
    VEC result = {0};
    for (int half = 0; half < 2; half++) {
        VEC index = half ? samples ^ OP(set1_epi8)(-128) : samples;
        for (int i = 0; i < 8; i++) {
            result ^= OP(shuffle_epi8)(parts[8 * half + i], index);
            index = OP(subs_epi8)(index, OP(set1_epi8)(16));
        }
    }
    return result;
}

#endif

static void NAME(replace)(uint8_t *row, int count, const uint8_t *table) {
    if (count < V) return SHORTER.replace(row, count, table);
    VEC parts[TABLE_PARTS];
    for (int i = 0; i < TABLE_PARTS; i++) parts[i] = NAME(table_part)(table, i);
    // Read before the vector that it overlaps is replaced.
    VEC last = NAME(load)(row + count - V);
    for (int x = 0; x < count - V; x += V)
        NAME(store)(row + x, NAME(entries)(NAME(load)(row + x), parts));
    NAME(store)(row + count - V, NAME(entries)(last, parts));
}

const struct greenroom_kernels NAME(greenroom_kernels) = {
    NAME_TEXT,    WINDOW,        NAME(luma),  NAME(chroma), NAME(pixels), NAME(pixels_of_pairs), NAME(range),
    NAME(matrix), NAME(recolor), NAME(blend), NAME(scale),  NAME(replace)};

#undef V
#undef WINDOW
#undef VEC
#undef OP
#undef NAME
#undef NAME_TEXT
#undef SHORTER
#undef HAS_DOT_PRODUCT
#undef TABLE_PARTS
#undef WINDOWS_OF_HALF
