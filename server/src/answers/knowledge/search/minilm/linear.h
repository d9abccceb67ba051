// A layer's weights applied to every token: nine tenths of the time is spent here.
#pragma once
#include "lanes.h"

// A row of `weight` for each output.
typedef struct {
  const f16 *weight;
  const f16 *bias;
} Linear;

// Four rows of weights as 32-bit floats: four of the first row, four of the second and so on, as `apply_rows` reads them.
static inline void widen_rows(const f16 *weight, f32 *rows, int inputs) {
  for (int k = 0; k < inputs; k += 4)
    for (int row = 0; row < 4; row++) wasm_v128_store(rows + 4 * k + 4 * row, load_halves(weight + row * inputs + k));
}

// Every weight that is loaded serves so many tokens. Measured on arm64 in turns: four take 0.85 of the time of two; their sixteen
// sums and what is added to them fit into its 32 registers.
enum { tokens_at_once = 4 };

// Four outputs of so many tokens. Inlined, so that both loops over `tokens` are unrolled and the sums stay in registers.
static inline __attribute__((always_inline)) void apply_rows(
    const f32 *x, const f32 *rows, v128_t bias, f32 *y, int inputs, int outputs, int tokens) {
  v128_t sums[tokens_at_once][4];
  for (int t = 0; t < tokens; t++)
    for (int row = 0; row < 4; row++) sums[t][row] = wasm_f32x4_const_splat(0);
  for (int k = 0; k < inputs; k += 4) {
    v128_t weights[4];
    for (int row = 0; row < 4; row++) weights[row] = wasm_v128_load(rows + 4 * k + 4 * row);
    for (int t = 0; t < tokens; t++) {
      v128_t value = wasm_v128_load(x + t * inputs + k);
      for (int row = 0; row < 4; row++) sums[t][row] = multiply_add(value, weights[row], sums[t][row]);
    }
  }
  for (int t = 0; t < tokens; t++) {
    v128_t all = sums_of(sums[t][0], sums[t][1], sums[t][2], sums[t][3]);
    wasm_v128_store(y + t * outputs, wasm_f32x4_add(all, bias));
  }
}

// y[t] = weight · x[t] + bias. Weights stay 16-bit floats in memory: widening four rows into `rows`, which the nearest cache
// holds, costs less than reading twice as many bytes. Inlined, so that `inputs` is a constant in the innermost loop.
static inline __attribute__((always_inline)) void apply(
    Linear linear, const f32 *x, f32 *y, f32 *rows, int tokens, int inputs, int outputs) {
  for (int n = 0; n < outputs; n += 4) {
    widen_rows(linear.weight + n * inputs, rows, inputs);
    v128_t bias = load_halves(linear.bias + n);
    int t = 0;
    for (; t + tokens_at_once <= tokens; t += tokens_at_once)
      apply_rows(x + t * inputs, rows, bias, y + t * outputs + n, inputs, outputs, tokens_at_once);
    for (; t + 2 <= tokens; t += 2) apply_rows(x + t * inputs, rows, bias, y + t * outputs + n, inputs, outputs, 2);
    if (t < tokens) apply_rows(x + t * inputs, rows, bias, y + t * outputs + n, inputs, outputs, 1);
  }
}
