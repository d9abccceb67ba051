import { Fragment, useState } from 'react'
import { inboxWords as words } from '../words.ts'
import { foldText } from './fold.ts'
import { formatSize } from './format-size.ts'
import { splitLinks } from './links.ts'
import { splitLongWords } from './long-words.ts'

/** What somebody wrote: plain text in its own direction; addresses can be opened; very long ones are folded. */
export function Text({ body }: { body: string }) {
  const [isWhole, setWhole] = useState(false)
  const folded = foldText(body)
  const shown = folded === undefined || isWhole ? body : `${folded}…`
  return (
    <>
      <div className="bubble-text" dir="auto">
        {splitLinks(shown).map(({ text, href }, index) =>
          href === undefined ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
            <Words key={index} text={text} />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
            <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
              {text}
            </a>
          ),
        )}
      </div>
      {folded !== undefined && (
        <button type="button" className="bubble-fold" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? words.showLess : words.showAllText(formatSize(new TextEncoder().encode(body).length))}
        </button>
      )}
    </>
  )
}

function Words({ text }: { text: string }) {
  const pieces = splitLongWords(text)
  if (pieces.length === 1) return text
  return pieces.map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
    <Fragment key={index}>
      {piece}
      <wbr />
    </Fragment>
  ))
}
