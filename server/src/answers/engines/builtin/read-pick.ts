import { plainText } from '../../../platform/text/plain-text.ts'

/**
 * Which of the offered questions a text picks, from 0 on: by number ("2", "number two", "the second one"), by its
 * words, or by a yes when only one was offered. `none`: it rejects all of them.
 */
export function readPick(text: string, offered: string[]): number | 'none' | undefined {
  const plain = plainText(text)
  if (plain === '' || plain.length > longest) return undefined
  const byWords = offered.findIndex((question) => plainText(question) === plain)
  if (byWords !== -1) return byWords
  const words = plain.split(' ').filter((word) => !fillers.has(word))
  const pick = (words.length > 1 ? words.filter((word) => word !== 'one') : words).join(' ') // "the second one"
  if (refusals.has(plain) || refusals.has(pick)) return 'none'
  if (offered.length === 1 && agreements.has(pick)) return 0
  const index = pick === 'last' ? offered.length - 1 : ordinals.findIndex((names) => names.has(pick))
  return index >= 0 && index < offered.length ? index : undefined
}

/** The limit of a stored question in characters, and so of any text that could pick one. */
const longest = 512

/** The words for each number, in the languages that we know. */
const ordinals = [
  '1 1st one first eins erste ersten erstes uno primera primero primer un une premiere premier primeira primeiro prima primo',
  '2 2nd two second zwei zweite zweiten zweites dos segunda segundo deux deuxieme seconde dois duas due seconda secondo',
  '3 3rd three third drei dritte dritten drittes tres tercera tercero trois troisieme terceira terceiro tre terza terzo',
].map((names) => new Set(names.split(' ')))

const fillers = new Set(
  `the number no nr nummer num numero option choice answer question please pls i mean meant want its it is that think
  die der das den frage antwort bitte ich meine la el lo le los opcion pregunta quiero por favor y numéro s il vous plait
  question a o opcao pergunta quero il domanda opzione vorrei e ok okay`.split(/\s+/),
)
const agreements = new Set('yes yeah yep yup sure correct exactly right ja genau si claro oui sim certo'.split(' '))
const refusals = new Set(
  `no, nope, none, none of these, none of them, none of those, neither, nein, nee, keine, keine davon, keins,
  nichts davon, ninguna, ninguno, ninguna de estas, non, aucune, aucun, nao, nenhuma, nenhum, nessuna, nessuno,
  something else, etwas anderes, otra cosa, autre chose, outra coisa`.split(/,\s+/),
)
