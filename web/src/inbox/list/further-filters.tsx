import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal'
import { lazy, Suspense } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { filters, type View } from '../filters.ts'
import { teamWords as words } from '../team/words.ts'

const Choices = lazy(() => import('./further-choices.tsx').then(({ FurtherChoices }) => ({ default: FurtherChoices })))

/** The button beside the search: closed, snoozed, a channel, a tag. */
export function FurtherFilters({ view }: { view: View }) {
  return (
    <Popover
      label={words.furtherFilters}
      trigger={(props) => (
        <IconButton
          {...props}
          label={words.furtherFilters}
          className={filters.some((each) => each === view) ? undefined : 'on'}
        >
          <SlidersHorizontal className="i" />
        </IconButton>
      )}
    >
      {(close) => (
        <Suspense>
          <Choices view={view} onChosen={close} />
        </Suspense>
      )}
    </Popover>
  )
}
