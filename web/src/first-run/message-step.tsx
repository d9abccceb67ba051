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

const hello = 'Is anyone there?'

export function MessageStep({ steps, server, apiKey }: Props) {
  const command = postMessage({ server, apiKey, sid: 'demo-1', body: hello })
  return (
    <Step steps={steps} name="message" at={steps.message?.at}>
      {steps.message ? (
        <SaidLine said={steps.message} direction="from" />
      ) : (
        <>
          <p className="muted">{words.messageSays}</p>
          <CodeBlock text={command} label={words.copyCommand}>
            <ShellCode text={command} />
          </CodeBlock>
          <OwnCertificate server={server} />
          <TryHere body={hello} />
        </>
      )}
    </Step>
  )
}
