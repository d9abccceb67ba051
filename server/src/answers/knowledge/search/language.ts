import { plainText } from '../../../platform/text/plain-text.ts'

/** The languages that we recognize, and in which the bot has texts of its own. */
export type Language = 'en' | 'de' | 'es' | 'fr' | 'pt' | 'it' | 'nl'

/** Whether a text is in English; undefined when it is too short to tell. */
export function isEnglish(text: string): boolean | undefined {
  const guessed = guessLanguage(text)
  return guessed === undefined ? undefined : guessed === 'en'
}

/** The language of a text by its script and its function words; `other` when it cannot be one of ours. */
export function guessLanguage(text: string): Language | 'other' | undefined {
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  if (latin < letters / 2) return 'other'
  const words = plainText(text).split(' ')
  const counts = languages.map((language) => ({
    language,
    count: words.filter((word) => functionWords[language].has(word)).length,
  }))
  const [first, second] = counts.sort((a, b) => b.count - a.count)
  if (first && first.count > (second?.count ?? 0)) return first.language
  // No function words, or as many of two languages. English has such letters only in names.
  return /[äöüßñáéíóúàèìòùâêîôûãõçø¿¡]/iu.test(text) ? 'other' : undefined
}

/** Words of high frequency. One that two languages share is listed for both, unless it is common in one alone. */
const functionWords = {
  en: listOf(`the a an and or of to in on at is are was were be do does did have has had i you my your we our it its me
    can could will would should may what when where which who how why if this that these those there not no for with
    from by about any get got want need im ive dont doesnt cant please some much many long take`),
  de: listOf(`der die das den dem ein eine einen einem einer und oder von zu zum zur in im an am auf ist sind war bin ich
    sie ihr ihre mein meine meinen wir es mir mich kann konnen wird werden wurde was wann wo welche wer wie warum wenn
    dieser diese nicht kein keine fur mit aus bei uber bitte viel lange habe hat haben auch noch gibt ihnen euch`),
  es: listOf(`el la los las un una unos unas y o de del a al en es son era ser estar esta estan hay yo usted ustedes mi mis
    su sus lo le les me se te puedo puede pueden que cuando donde cual quien como por para con sin si no este esta eso
    cuanto cuanta cuantos tengo tiene tienen quiero mas muy algo porque hacer`),
  fr: listOf(`le la les un une des et ou de du au aux en est sont etait je vous votre vos mon ma mes nous notre il elle on
    me se ce cette ces que qui quand ou quel quelle comment pourquoi si ne pas pour avec sans sur dans peux peut puis
    avez ai combien est-ce plus tres faire j l d c qu n s`),
  pt: listOf(`o a os as um uma e ou de do da dos das em no na nos nas ao eu voce voces meu minha meus seu sua nosso isso
    este esta posso pode podem que quando onde qual quem como por para com sem se nao quanto quanta tenho tem quero mais
    muito fazer sao esta estao pelo pela`),
  it: listOf(`il lo la i gli le un uno una e o di del della dei delle al alla in nel nella su sul da dal io voi vostro mio
    mia mie miei nostro mi si ci vi posso puo possono che quando dove quale chi come perche per con senza se non questo
    questa quanto quanta ho ha avete hanno sono sia piu molto fare c e`),
  nl: listOf(`de het een en of van te naar in op aan is zijn was ik u jij jullie mijn uw wij ons kan kunnen zal wordt wat
    wanneer waar welke wie hoe waarom als deze dit dat niet geen voor met uit bij over heb heeft hebben veel lang ook er`),
} satisfies Record<Language, Set<string>>

const languages = Object.keys(functionWords) as Language[] // the keys are those of the record above

function listOf(words: string): Set<string> {
  return new Set(words.split(/\s+/))
}
