import './button.css'
import { isMac } from './platform.ts'

/** A key in the notation of `keys.ts`, as it stands on the keyboard. Not read out: the list of keys names them all. */
export function Kbd({ press, className }: { press: string; className?: string }) {
  return (
    <span className={className} aria-hidden="true">
      {press.split(' ').map((each) => (
        <kbd key={each}>{capOf(each)}</kbd>
      ))}
    </span>
  )
}

function capOf(press: string): string {
  return press
    .split('+')
    .map((part) => caps[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    .join(' ')
}

const caps: Record<string, string> = {
  Mod: isMac ? '⌘' : 'Ctrl',
  Shift: '⇧',
  Enter: '↵',
  Escape: 'Esc',
  ArrowUp: '↑',
  ArrowDown: '↓',
}
