// The model MiniLM-L6: from the tokens of a text to its vector. It calls nothing and has no memory of its own: whoever calls
// gives the addresses of the weights (`Model`) and a place to work in (`Scratch`), so that threads can share the weights.
#include "linear.h"

enum { most_tokens = 256, width = 384, wide = 1536, heads = 12, head_width = 32, layers = 6 };

typedef struct {
  const f16 *scale;
  const f16 *shift;
} Norm;

typedef struct {
  Linear query, key, value, joined;
  Norm after_attention;
  Linear widening, narrowing;
  Norm after_widening;
} Layer;

// Written by `weights.ts` in this order: the number of words, then an address for each tensor.
typedef struct {
  int word_count;
  const f16 *words, *positions, *type;
  Norm norm;
  Layer layer[layers];
} Model;

// The first two are read and written by `minilm.ts`: the tokens that go in and the vector that comes out.
typedef struct {
  int tokens[most_tokens];
  f32 vector[width];
  f32 scores[most_tokens];
  f32 rows[4 * wide];
  f32 x[most_tokens * width];
  f32 query[most_tokens * width], key[most_tokens * width], value[most_tokens * width];
  f32 attended[most_tokens * width];
  f32 widened[most_tokens * wide];
} Scratch;

// Each token to mean 0 and variance 1, then scaled and shifted.
static void normalize(f32 *x, Norm norm, int tokens) {
  for (f32 *end = x + tokens * width; x < end; x += width) {
    v128_t sum = wasm_f32x4_const_splat(0), squares = sum;
    for (int i = 0; i < width; i += 4) sum = wasm_f32x4_add(sum, wasm_v128_load(x + i));
    v128_t mean = wasm_f32x4_splat(sum_of(sum) / width);
    for (int i = 0; i < width; i += 4) {
      v128_t off = wasm_f32x4_sub(wasm_v128_load(x + i), mean);
      squares = multiply_add(off, off, squares);
    }
    v128_t factor = wasm_f32x4_splat(1 / __builtin_sqrtf(sum_of(squares) / width + 1e-12f));
    for (int i = 0; i < width; i += 4) {
      v128_t even = wasm_f32x4_mul(wasm_f32x4_sub(wasm_v128_load(x + i), mean), factor);
      wasm_v128_store(x + i, multiply_add(even, load_halves(norm.scale + i), load_halves(norm.shift + i)));
    }
  }
}

static void look_up(const Model *model, Scratch *s, int tokens) {
  for (int t = 0; t < tokens; t++)
    for (int i = 0; i < width; i += 4) {
      v128_t word = load_halves(model->words + s->tokens[t] * width + i);
      v128_t position = load_halves(model->positions + t * width + i);
      wasm_v128_store(s->x + t * width + i, wasm_f32x4_add(wasm_f32x4_add(word, position), load_halves(model->type + i)));
    }
  normalize(s->x, model->norm, tokens);
}

// How much each token counts for one query, as shares of one.
static void weigh(const f32 *query, const f32 *keys, f32 *scores, int tokens) {
  int padded = (tokens + 3) & ~3;
  for (int u = tokens; u < padded; u++) scores[u] = -1e30f; // its share is nothing
  for (int u = 0; u < tokens; u++) {
    v128_t sum = wasm_f32x4_const_splat(0);
    for (int i = 0; i < head_width; i += 4)
      sum = multiply_add(wasm_v128_load(query + i), wasm_v128_load(keys + u * width + i), sum);
    scores[u] = sum_of(sum) * 0.17677669f; // 1 / √32
  }
  v128_t largest = wasm_f32x4_const_splat(-1e30f), total = wasm_f32x4_const_splat(0);
  for (int u = 0; u < padded; u += 4) largest = wasm_f32x4_pmax(largest, wasm_v128_load(scores + u));
  largest = wasm_f32x4_splat(largest_of(largest));
  for (int u = 0; u < padded; u += 4) {
    v128_t share = exp_of(wasm_f32x4_sub(wasm_v128_load(scores + u), largest));
    total = wasm_f32x4_add(total, share);
    wasm_v128_store(scores + u, share);
  }
  v128_t factor = wasm_f32x4_splat(1 / sum_of(total));
  for (int u = 0; u < padded; u += 4) wasm_v128_store(scores + u, wasm_f32x4_mul(wasm_v128_load(scores + u), factor));
}

static void attend(Scratch *s, int tokens) {
  for (int head = 0; head < width; head += head_width)
    for (int t = 0; t < tokens; t++) {
      weigh(s->query + t * width + head, s->key + head, s->scores, tokens);
      v128_t sums[head_width / 4];
      for (int i = 0; i < head_width / 4; i++) sums[i] = wasm_f32x4_const_splat(0);
      for (int u = 0; u < tokens; u++) {
        v128_t share = wasm_v128_load32_splat(s->scores + u);
        for (int i = 0; i < head_width / 4; i++)
          sums[i] = multiply_add(share, wasm_v128_load(s->value + u * width + head + 4 * i), sums[i]);
      }
      for (int i = 0; i < head_width / 4; i++) wasm_v128_store(s->attended + t * width + head + 4 * i, sums[i]);
    }
}

static void add(f32 *x, const f32 *y, int count) {
  for (int i = 0; i < count; i += 4) wasm_v128_store(x + i, wasm_f32x4_add(wasm_v128_load(x + i), wasm_v128_load(y + i)));
}

static void run_layer(const Layer *layer, Scratch *s, int tokens) {
  apply(layer->query, s->x, s->query, s->rows, tokens, width, width);
  apply(layer->key, s->x, s->key, s->rows, tokens, width, width);
  apply(layer->value, s->x, s->value, s->rows, tokens, width, width);
  attend(s, tokens);
  apply(layer->joined, s->attended, s->query, s->rows, tokens, width, width); // the queries are no longer needed
  add(s->x, s->query, tokens * width);
  normalize(s->x, layer->after_attention, tokens);

  apply(layer->widening, s->x, s->widened, s->rows, tokens, width, wide);
  for (int i = 0; i < tokens * wide; i += 4) wasm_v128_store(s->widened + i, gelu_of(wasm_v128_load(s->widened + i)));
  apply(layer->narrowing, s->widened, s->query, s->rows, tokens, wide, width);
  add(s->x, s->query, tokens * width);
  normalize(s->x, layer->after_widening, tokens);
}

// The mean of all tokens, with length one.
static void pool(Scratch *s, int tokens) {
  v128_t squares = wasm_f32x4_const_splat(0);
  for (int i = 0; i < width; i += 4) {
    v128_t sum = wasm_f32x4_const_splat(0);
    for (int t = 0; t < tokens; t++) sum = wasm_f32x4_add(sum, wasm_v128_load(s->x + t * width + i));
    squares = multiply_add(sum, sum, squares);
    wasm_v128_store(s->vector + i, sum);
  }
  v128_t factor = wasm_f32x4_splat(1 / __builtin_sqrtf(sum_of(squares)));
  for (int i = 0; i < width; i += 4) wasm_v128_store(s->vector + i, wasm_f32x4_mul(wasm_v128_load(s->vector + i), factor));
}

__attribute__((export_name("scratch_size"))) unsigned scratch_size(void) { return sizeof(Scratch); }
__attribute__((export_name("model_size"))) unsigned model_size(void) { return sizeof(Model); }

// Embeds the first `tokens` of `s->tokens` into `s->vector`. False: there are too few or too many, or one is no word of the
// model; then nothing else was read or written.
__attribute__((export_name("embed"))) int embed(const Model *model, Scratch *s, int tokens) {
  if (tokens < 1 || tokens > most_tokens) return 0;
  for (int t = 0; t < tokens; t++)
    if (s->tokens[t] < 0 || s->tokens[t] >= model->word_count) return 0;
  look_up(model, s, tokens);
  for (int i = 0; i < layers; i++) run_layer(&model->layer[i], s, tokens);
  pool(s, tokens);
  return 1;
}
