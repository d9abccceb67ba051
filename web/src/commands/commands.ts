import { type ComponentType, useEffect, useRef } from 'react'
import { createStore } from '../data/store.ts'
import { keyWords } from './words.ts'

/**
 * Something that can be done, registered by the component that does it: by its keys, which the list of keys names, and from
 * the palette.
 */
export type Command = {
  id: string
  label: string
  /** Its heading in the list of keys. */
  group: string
  /**
   * A letter or sign ("j", "?", "/", "Shift+r"), two of them one after the other ("g i"), or a combination with Ctrl, on a
   * Mac ⌘ ("Mod+k").
   */
  keys?: string
  /** How the palette offers it; without this it does not. */
  palette?: {
    group: string
    /** The label in the palette, where it is called otherwise there. */
    label?: string
    /** Further words that find it. */
    also?: string
    icon?: ComponentType<{ className?: string }>
  }
  run: () => void
}

/** What the components that are shown have registered, in the order in which they did. */
export const registeredCommands = createStore<readonly (readonly Command[])[]>([])

/** Registers commands while the component is shown. Of two with the same keys the one registered last is run. */
export function useCommands(commands: readonly Command[]): void {
  const latest = useRef(commands)
  latest.current = commands
  const shape = JSON.stringify(commands.map(({ palette, ...told }) => [told, { ...palette, icon: undefined }]))
  // biome-ignore lint/correctness/useExhaustiveDependencies: `shape` stands for the commands; what they do is read when they are run
  useEffect(() => {
    if (latest.current.length === 0) return
    const mine = latest.current.map((command, index) => ({ ...command, run: () => latest.current[index]?.run() }))
    registeredCommands.set([...registeredCommands.get(), mine])
    return () => registeredCommands.set(registeredCommands.get().filter((each) => each !== mine))
  }, [shape])
}

const onEveryScreen: string[] = [keyWords.everywhere, keyWords.goTo]

/** Commands by their heading: those of the screen first, then those of every screen. */
export function groupCommands(commands: readonly Command[]): [group: string, commands: Command[]][] {
  const groups = [...Map.groupBy(commands, ({ group }) => group)]
  return groups.sort(([one], [other]) => onEveryScreen.indexOf(one) - onEveryScreen.indexOf(other))
}
