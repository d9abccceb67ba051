import { CopyLine } from '../../ui/copy-line.tsx'
import { isOfThisMachine } from '../../ui/origin.ts'
import { teamWords as words } from './words.ts'

/** A link to give to somebody, by the address of PUBLIC_URL or else by that of this page; with a word where others cannot open it. */
export function ShownLink({ url, what }: { url: string; what: string }) {
  const address = new URL(url, location.origin).href
  return (
    <div className="stack">
      <CopyLine text={address} what={what} whole />
      {isOfThisMachine(address) && <span className="small wait">{words.thisMachineOnly}</span>}
    </div>
  )
}
