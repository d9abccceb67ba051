import './keys-list.css'
import { type Key, keysNow, letterKeys } from '../commands/keys.ts'
import { keyWords as words } from '../commands/words.ts'
import { useStore } from '../data/store.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { keysListOpen } from './use-global-keys.ts'

/** The keys that work now: of the screen first, then those of every screen. */
export function KeysList() {
  const isOff = useStore(letterKeys) === 'off'
  const groups = Map.groupBy(keysNow(), ({ group }) => group)
  const ofScreen = [...groups].filter(([group]) => !onEveryScreen.includes(group))
  const others = onEveryScreen.map((group) => [group, groups.get(group) ?? []] as const)
  return (
    <Dialog title={words.title} onClose={() => keysListOpen.set(false)}>
      {isOff && <p className="muted">{words.off}</p>}
      {[...ofScreen, ...others].map(([group, keys]) => (
        <KeyGroup key={group} group={group} keys={keys} />
      ))}
    </Dialog>
  )
}

const onEveryScreen: string[] = [words.everywhere, words.goTo]

function KeyGroup({ group, keys }: { group: string; keys: readonly Key[] }) {
  return (
    <section className="keys-group" aria-label={group}>
      <h3>{group}</h3>
      <dl>
        {keys.map(({ press, does }) => (
          <div key={press}>
            <dt>{does}</dt>
            <dd>
              <span className="sr">{press}</span>
              <Kbd press={press} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
