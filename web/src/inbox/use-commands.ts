import AlarmClock from 'lucide-react/icons/alarm-clock'
import Check from 'lucide-react/icons/check'
import Lock from 'lucide-react/icons/lock'
import MessageSquareText from 'lucide-react/icons/message-square-text'
import PanelRight from 'lucide-react/icons/panel-right'
import RotateCw from 'lucide-react/icons/rotate-cw'
import Undo2 from 'lucide-react/icons/undo-2'
import UserRound from 'lucide-react/icons/user-round'
import { useEffect } from 'react'
import { offerCommands } from '../commands/palette.ts'
import { writeIn } from './compose/compose-mode.ts'
import { useActions } from './data/use-actions.ts'
import { hasButton, press } from './panes.ts'
import { switchSides } from './switch-sides.ts'
import { savedRepliesOpen } from './team/saved-open.ts'
import { useCloseOrReopen } from './team/use-close.ts'
import { teamWords } from './team/words.ts'
import { inboxWords as words } from './words.ts'

/** What the palette offers for the open conversation. */
export function useCommands(openId: string | undefined, toggleContact: () => void): void {
  const actions = useActions(openId ?? '')
  const closeOrReopen = useCloseOrReopen(openId)
  useEffect(() => {
    if (openId === undefined) return
    const group = words.commands.group
    return offerCommands([
      {
        ...{ id: 'again', label: words.keys.again, group, press: 'Shift+r', icon: RotateCw },
        isUseful: () => hasButton('[data-again]'),
        run: () => press('[data-again]'),
      },
      {
        ...{ id: 'sides', label: words.keys.takeOver, group, press: 't', icon: UserRound },
        run: () => switchSides(openId, actions),
      },
      {
        ...{ id: 'answer', label: words.commands.handBackAndAnswer, group, icon: Undo2 },
        run: () => void actions.handBackAndAnswer(),
      },
      { ...{ id: 'close', label: words.keys.close, group, press: 'e', icon: Check }, run: closeOrReopen },
      {
        ...{ id: 'assign', label: words.keys.assign, group, press: 'a', icon: UserRound },
        run: () => press('[data-assign]'),
      },
      {
        ...{ id: 'snooze', label: words.keys.snooze, group, press: 'h', icon: AlarmClock },
        run: () => press('[data-snooze]'),
      },
      {
        ...{ id: 'note', label: words.keys.note, group, press: 'n', icon: Lock },
        run: () => writeIn(openId, 'note'),
      },
      { ...{ id: 'contact', label: words.keys.contact, group, press: ']', icon: PanelRight }, run: toggleContact },
    ])
  }, [openId, actions, toggleContact, closeOrReopen])
  useEffect(
    () =>
      offerCommands([
        {
          ...{ id: 'saved', label: teamWords.savedReplies, group: words.title, icon: MessageSquareText },
          run: () => savedRepliesOpen.set(true),
        },
      ]),
    [],
  )
}
