import './segments-line.css'
import { Fragment } from 'react'
import { classes } from '../../ui/classes.ts'
import { makePlain } from './plain-signs.ts'
import { saySegments } from './say-segments.ts'
import { segmentWords as words } from './segment-words.ts'

type Props = { text: string; onPlain: (text: string) => void }

/** Below a text that is paid for by segments: how much of them it takes, and what makes it take more. */
export function SegmentsLine({ text, onPlain }: Props) {
  const { units, room, segments, because, without, typographic } = saySegments(text)
  const costsMore = without !== undefined
  return (
    <div className="segments-line">
      <span>
        <b>{units}</b> {words.of(room)}
      </span>
      <span role="status" className={classes(costsMore && 'segments-line-more')}>
        {words.segments(segments)}
      </span>
      {because.length > 0 && (
        <span>
          {!costsMore && words.unicode} {words.because} <Signs signs={because} />.{' '}
          {costsMore && words.without(because.length, without)}
        </span>
      )}
      {typographic.length > 0 && (
        <button type="button" className="link" onClick={() => onPlain(makePlain(text))}>
          {words.makePlain(typographic, because.length)}
        </button>
      )}
    </div>
  )
}

/** So many are named. */
const mostNamed = 3

function Signs({ signs }: { signs: readonly string[] }) {
  const named = signs.length > mostNamed ? signs.slice(0, mostNamed) : signs
  const parts = words.list([...named.keys()].map(String).concat(named.length < signs.length ? ['more'] : []))
  return parts.map(({ type, value }, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the words between them are the same
    <Fragment key={place}>
      {type === 'literal' ? (
        value
      ) : value === 'more' ? (
        words.more(signs.length - named.length)
      ) : (
        <b title={words.nameOf(named[Number(value)] ?? '')}>{named[Number(value)]}</b>
      )}
    </Fragment>
  ))
}
