// Arithmetic on four 32-bit floats at once: a v128_t has four lanes.
#pragma once
#include <wasm_simd128.h>

typedef float f32;
// A float of 16 bits, as the file of weights has them. C has no such type here: only its bits are carried.
typedef short f16;

// a * b + c. Relaxed: one instruction where the processor has it, which halves the work; elsewhere two, with one more rounding.
static inline v128_t multiply_add(v128_t a, v128_t b, v128_t c) {
  return wasm_f32x4_relaxed_madd(a, b, c);
}

// Four 16-bit floats, each sign-extended to 32 bits, as 32-bit floats. Exponent and fraction move to their places; then the
// exponent, whose bias is 15 in the short format and 127 in the long one, is corrected by a multiplication, which is right for
// the smallest numbers too. There are no infinities among weights.
static inline v128_t widen(v128_t halves) {
  v128_t moved = wasm_v128_and(wasm_i32x4_shl(halves, 13), wasm_i32x4_const_splat((int)0x8fffffff));
  return wasm_f32x4_mul(moved, wasm_f32x4_const_splat(0x1p112f));
}

static inline v128_t load_halves(const f16 *from) {
  return widen(wasm_i32x4_load16x4(from));
}

static inline f32 sum_of(v128_t a) {
  v128_t pairs = wasm_f32x4_add(a, wasm_i32x4_shuffle(a, a, 2, 3, 0, 1));
  return wasm_f32x4_extract_lane(pairs, 0) + wasm_f32x4_extract_lane(pairs, 1);
}

static inline f32 largest_of(v128_t a) {
  v128_t pairs = wasm_f32x4_pmax(a, wasm_i32x4_shuffle(a, a, 2, 3, 0, 1));
  f32 first = wasm_f32x4_extract_lane(pairs, 0), second = wasm_f32x4_extract_lane(pairs, 1);
  return first > second ? first : second;
}

// The sum of each of four vectors, in one: with fewer steps than four times `sum_of`.
static inline v128_t sums_of(v128_t a, v128_t b, v128_t c, v128_t d) {
  v128_t ab = wasm_f32x4_add(wasm_i32x4_shuffle(a, b, 0, 4, 1, 5), wasm_i32x4_shuffle(a, b, 2, 6, 3, 7));
  v128_t cd = wasm_f32x4_add(wasm_i32x4_shuffle(c, d, 0, 4, 1, 5), wasm_i32x4_shuffle(c, d, 2, 6, 3, 7));
  return wasm_f32x4_add(wasm_i32x4_shuffle(ab, cd, 0, 1, 4, 5), wasm_i32x4_shuffle(ab, cd, 2, 3, 6, 7));
}

// e^x of numbers that are not positive: x = n ln 2 + rest, e^rest by its series, 2^n by writing the exponent.
static inline v128_t exp_of(v128_t x) {
  x = wasm_f32x4_pmax(x, wasm_f32x4_const_splat(-87.0f)); // below, 2^n has no exponent; e^-87 is nothing beside a sum of one
  v128_t n = wasm_f32x4_nearest(wasm_f32x4_mul(x, wasm_f32x4_const_splat(1.44269504f)));
  v128_t rest = multiply_add(n, wasm_f32x4_const_splat(-0.693359375f), x); // ln 2 in two parts, the first exact
  rest = multiply_add(n, wasm_f32x4_const_splat(2.12194440e-4f), rest);
  v128_t series = wasm_f32x4_const_splat(1.0f / 720);
  series = multiply_add(series, rest, wasm_f32x4_const_splat(1.0f / 120));
  series = multiply_add(series, rest, wasm_f32x4_const_splat(1.0f / 24));
  series = multiply_add(series, rest, wasm_f32x4_const_splat(1.0f / 6));
  series = multiply_add(series, rest, wasm_f32x4_const_splat(0.5f));
  series = multiply_add(series, rest, wasm_f32x4_const_splat(1.0f));
  series = multiply_add(series, rest, wasm_f32x4_const_splat(1.0f));
  v128_t exponent = wasm_i32x4_add(wasm_i32x4_trunc_sat_f32x4(n), wasm_i32x4_const_splat(127));
  return wasm_f32x4_mul(series, wasm_i32x4_shl(exponent, 23));
}

// x (1 + erf(x / √2)) / 2. The error function by Abramowitz and Stegun, 7.1.26, which is exact to 1.5e-7.
static inline v128_t gelu_of(v128_t x) {
  v128_t one = wasm_f32x4_const_splat(1.0f);
  v128_t z = wasm_f32x4_mul(x, wasm_f32x4_const_splat(0.70710678f));
  v128_t size = wasm_f32x4_abs(z);
  v128_t t = wasm_f32x4_div(one, multiply_add(size, wasm_f32x4_const_splat(0.3275911f), one));
  v128_t series = wasm_f32x4_const_splat(1.061405429f);
  series = multiply_add(series, t, wasm_f32x4_const_splat(-1.453152027f));
  series = multiply_add(series, t, wasm_f32x4_const_splat(1.421413741f));
  series = multiply_add(series, t, wasm_f32x4_const_splat(-0.284496736f));
  series = multiply_add(series, t, wasm_f32x4_const_splat(0.254829592f));
  v128_t tail = wasm_f32x4_mul(wasm_f32x4_mul(series, t), exp_of(wasm_f32x4_neg(wasm_f32x4_mul(z, z))));
  v128_t sign = wasm_v128_and(z, wasm_i32x4_const_splat((int)0x80000000));
  v128_t erf = wasm_v128_or(wasm_f32x4_sub(one, tail), sign);
  return wasm_f32x4_mul(wasm_f32x4_mul(x, wasm_f32x4_const_splat(0.5f)), wasm_f32x4_add(one, erf));
}
