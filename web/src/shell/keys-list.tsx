import './keys-list.css'
import { type Command, groupCommands, registeredCommands } from '../commands/commands.ts'
import { letterKeys } from '../commands/keys.ts'
import { keyWords as words } from '../commands/words.ts'
import { useStore } from '../data/store.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { keysListOpen } from './use-global-commands.ts'

/** The keys that work now: of the screen first, then those of every screen. */
export function KeysList() {
  const isOff = useStore(letterKeys) === 'off'
  const registered = useStore(registeredCommands)
  const groups = groupCommands(registered.flat().filter(({ keys }) => keys !== undefined))
  return (
    <Dialog title={words.title} onClose={() => keysListOpen.set(false)}>
      {isOff && <p className="muted">{words.off}</p>}
      {groups.map(([group, commands]) => (
        <KeyGroup key={group} group={group} commands={commands} />
      ))}
    </Dialog>
  )
}

function KeyGroup({ group, commands }: { group: string; commands: readonly Command[] }) {
  return (
    <section className="keys-group" aria-label={group}>
      <h3>{group}</h3>
      <dl>
        {commands.map(({ keys = '', label }) => (
          <div key={keys}>
            <dt>{label}</dt>
            <dd>
              <span className="sr">{keys}</span>
              <Kbd press={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
