import PanelRight from 'lucide-react/icons/panel-right'
import RotateCw from 'lucide-react/icons/rotate-cw'
import Undo2 from 'lucide-react/icons/undo-2'
import UserRound from 'lucide-react/icons/user-round'
import { useEffect } from 'react'
import { offerCommands } from '../palette.ts'
import { inboxWords as words } from '../words/inbox.ts'
import { useActions } from './data/use-actions.ts'
import { hasButton, press } from './panes.ts'
import { switchSides } from './switch-sides.ts'

/** What the palette offers for the open conversation. */
export function useCommands(openId: string | undefined, toggleContact: () => void): void {
  const actions = useActions(openId ?? '')
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
      { ...{ id: 'contact', label: words.keys.contact, group, press: ']', icon: PanelRight }, run: toggleContact },
    ])
  }, [openId, actions, toggleContact])
}
