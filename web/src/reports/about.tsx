import Info from 'lucide-react/icons/info'
import { IconButton } from '../ui/icon-button.tsx'
import { Popover } from '../ui/popover.tsx'
import { reportWords as words } from './words.ts'

/** What a figure means, beside it. */
export function About({ figure, says }: { figure: string; says: string }) {
  return (
    <Popover
      label={words.how(figure)}
      trigger={(props) => (
        <IconButton {...props} label={words.how(figure)} small className="reports-about">
          <Info className="i i-14" />
        </IconButton>
      )}
    >
      {() => (
        <div className="stack">
          <b className="strong">{figure}</b>
          <p className="muted">{says}</p>
        </div>
      )}
    </Popover>
  )
}
