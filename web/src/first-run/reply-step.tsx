import type { FirstRun } from '@patchbay/contract/app/first-run.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import type { Server } from '../ui/curl.ts'
import { OwnCertificate } from '../ui/own-certificate.tsx'
import { ShellCode } from '../ui/shell-code.tsx'
import { postMessage } from './commands.ts'
import { SaidLine } from './said.tsx'
import { Step } from './step.tsx'
import { TryHere } from './try-here.tsx'
import { firstRunWords as words } from './words.ts'

type Props = { steps: FirstRun; server: Server; apiKey: string | undefined }

export function ReplyStep({ steps, server, apiKey }: Props) {
  const body = steps.taught?.question ?? words.questionExample
  const command = postMessage({ server, apiKey, sid: 'demo-2', body })
  return (
    <Step steps={steps} name="reply" at={steps.reply?.at}>
      {steps.reply ? (
        <SaidLine said={steps.reply} direction="to" />
      ) : (
        <>
          <p className="muted">{words.replySays}</p>
          <CodeBlock text={command} label={words.copyCommand}>
            <ShellCode text={command} />
          </CodeBlock>
          <OwnCertificate server={server} />
          <TryHere body={body} />
        </>
      )}
    </Step>
  )
}
