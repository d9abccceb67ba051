import { readFileSync } from 'node:fs'

/** The tokens of a text, with those that mark its beginning and its end; what is too long is cut off. */
export type Tokenize = (text: string) => number[]

/**
 * WordPiece as BERT has it: words and punctuation in lower case and without accents, words in the longest pieces that the
 * vocabulary knows. The library has the same inside, but gives vectors only, not tokens.
 */
export function openTokenizer(tokenizerPath: string, maxTokens: number): Tokenize {
  const file = JSON.parse(readFileSync(tokenizerPath, 'utf8')) as TokenizerFile
  if (!isKnownKind(file)) throw new Error('the tokenizer of the model is of another kind')
  const pieces = new Map(Object.entries(file.model.vocab))
  const marks = new Map(file.added_tokens.map(({ content, id }) => [content, id]))
  const [unknown, start, end] = [marks.get('[UNK]'), marks.get('[CLS]'), marks.get('[SEP]')]
  if (unknown === undefined || start === undefined || end === undefined) throw new Error('the tokenizer has no marks')
  const markPattern = new RegExp(`(${[...marks.keys()].map(RegExp.escape).join('|')})`)
  return (text) => {
    const tokens: number[] = []
    for (const part of text.split(markPattern)) {
      const mark = marks.get(part)
      if (mark !== undefined) tokens.push(mark)
      else for (const word of wordsOf(part)) tokens.push(...(piecesOf(word, pieces) ?? [unknown]))
    }
    return [start, ...tokens.slice(0, maxTokens - 2), end]
  }
}

type TokenizerFile = {
  added_tokens: { id: number; content: string; normalized: boolean }[]
  normalizer: { type: string; clean_text: boolean; handle_chinese_chars: boolean; lowercase: boolean }
  pre_tokenizer: { type: string }
  model: { vocab: Record<string, number>; continuing_subword_prefix?: string; max_input_chars_per_word?: number }
}

/** What the code below assumes. With another file the library embeds. */
function isKnownKind({ normalizer, pre_tokenizer, model, added_tokens }: TokenizerFile): boolean {
  const { type, clean_text, handle_chinese_chars, lowercase } = normalizer
  return (
    [type, pre_tokenizer.type].join() === 'BertNormalizer,BertPreTokenizer' &&
    [clean_text, handle_chinese_chars, lowercase].every((isOn) => isOn) &&
    model.continuing_subword_prefix === '##' &&
    model.max_input_chars_per_word === longestWord &&
    added_tokens.every(({ normalized }) => !normalized)
  )
}

/** In characters: a longer one is unknown as a whole. */
const longestWord = 100

const neverSeen = /[\0\ufffd]|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}]/gu
/** The ranges of the library, which has one of them wrong (2B920 for 2B820). */
const ideograph =
  /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu
const wordOrSign = /[!-/:-@[-`{-~\p{P}]|[^\s!-/:-@[-`{-~\p{P}]+/gu

function wordsOf(text: string): string[] {
  const plain = text
    .replace(neverSeen, '')
    .replace(ideograph, ' $& ')
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replaceAll('Σ', 'σ') // in JavaScript it becomes another letter at the end of a word, in the library it does not
    .toLowerCase()
  return plain.match(wordOrSign) ?? []
}

/** Undefined: no pieces of the vocabulary make this word. */
function piecesOf(word: string, pieces: ReadonlyMap<string, number>): number[] | undefined {
  const letters = Array.from(word)
  if (letters.length > longestWord) return undefined
  const found: number[] = []
  let from = 0
  while (from < letters.length) {
    let to = letters.length
    const piece = () => (from > 0 ? '##' : '') + letters.slice(from, to).join('')
    while (to > from && !pieces.has(piece())) to--
    const id = pieces.get(piece())
    if (id === undefined || to === from) return undefined
    found.push(id)
    from = to
  }
  return found
}
