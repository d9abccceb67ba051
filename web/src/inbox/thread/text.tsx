import { useState } from 'react'
import { inboxWords as words } from '../../words/inbox.ts'
import { foldText } from './fold.ts'
import { splitLinks } from './links.ts'
import { saySize } from './say-size.ts'

/** What somebody wrote: plain text in its own direction; addresses can be opened; very long ones are folded. */
export function Text({ body }: { body: string }) {
  const [isWhole, setWhole] = useState(false)
  const folded = foldText(body)
  const shown = folded === undefined || isWhole ? body : `${folded}…`
  return (
    <>
      <div className="text" dir="auto">
        {splitLinks(shown).map(({ text, href }, index) =>
          href === undefined ? (
            text
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text never move
            <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
              {text}
            </a>
          ),
        )}
      </div>
      {folded !== undefined && (
        <button type="button" className="fold" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? words.showLess : words.showAllText(saySize(new TextEncoder().encode(body).length))}
        </button>
      )}
    </>
  )
}
