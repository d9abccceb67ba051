import type { PostDetail } from '@patchbay/contract/app/webhook.ts'
import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import { useState } from 'react'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { sayCause } from '../../../ui/delivery-error-words.ts'
import { PrettyJson } from '../../../ui/pretty-json.tsx'
import { Seg } from '../../../ui/seg.tsx'
import { useCopy } from '../../../ui/use-copy.ts'
import { curlOf } from './curl.ts'
import { deliveryWords as words } from './words.ts'

const views = ['payload', 'headers', 'answer'] as const

/** What every attempt sends, and what came back. */
export function PostView({ detail }: { detail: PostDetail }) {
  const [view, setView] = useState<(typeof views)[number]>('payload')
  return (
    <div className="stack">
      <div className="row between wrap">
        <Seg
          label={words.view}
          value={view}
          options={views.map((value) => ({ value, label: words.views[value] }))}
          onChange={setView}
        />
        {detail.url !== null && <CopyCurl text={curlOf(detail.url, detail.headers, detail.payload)} />}
      </div>
      {view === 'payload' && <Payload detail={detail} />}
      {view === 'headers' && <Headers detail={detail} />}
      {view === 'answer' && <Answer detail={detail} />}
    </div>
  )
}

function CopyCurl({ text }: { text: string }) {
  const { copied, copy } = useCopy(text)
  return (
    <Button size="sm" look="quiet" onClick={copy}>
      {copied ? <Check className="i i-14 ok" /> : <Copy className="i i-14" />}
      {copied ? words.copied : words.copyCurl}
    </Button>
  )
}

function Payload({ detail: { payload, headers } }: { detail: PostDetail }) {
  const sequence = headers.find(({ name }) => name === 'patchbay-sequence')?.value
  return (
    <>
      <CodeBlock text={payload} label={words.copyPayload} wraps>
        <PrettyJson text={payload} />
      </CodeBlock>
      <p className="small faint">{words.payloadHint(sequence)}</p>
    </>
  )
}

function Headers({ detail: { headers, url } }: { detail: PostDetail }) {
  const text = headers.map(({ name, value }) => `${name}: ${value}`).join('\n')
  return (
    <>
      <CodeBlock text={text} label={words.copyHeaders} wraps>
        {headers.map(({ name, value }) => (
          <span key={name}>
            <span className="code-name">{name}</span>: {value}
            {'\n'}
          </span>
        ))}
      </CodeBlock>
      <p className="small faint">{url === null ? words.noSignature : words.headersHint}</p>
    </>
  )
}

function Answer({ detail: { attempts } }: { detail: PostDetail }) {
  const [last] = attempts
  if (!last) return <p className="muted">{words.noAnswerYet}</p>
  if (!last.fault) return <p className="muted">{words.noAnswerKept}</p>
  const { httpStatus, detail } = last.fault
  return (
    <>
      <p>{sayCause(last.fault)}</p>
      {httpStatus !== null &&
        (detail ? (
          <>
            <CodeBlock text={detail} label={words.copyAnswer} wraps />
            <p className="small faint">{words.answerHint}</p>
          </>
        ) : (
          <p className="muted">{words.answerEmpty}</p>
        ))}
    </>
  )
}
