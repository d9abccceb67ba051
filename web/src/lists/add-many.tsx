import { useNavigate } from '@tanstack/react-router'
import FileText from 'lucide-react/icons/file-text'
import UsersRound from 'lucide-react/icons/users-round'
import { manyWords as words } from '../contacts/import/words.ts'
import { useMay } from '../data/use-may.ts'
import { Button } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'

/** Two ways to put many on a list: choose them among the contacts, or import a file. */
export function AddMany({ listId }: { listId: string }) {
  const navigate = useNavigate()
  const { manage } = useMay()
  const search = { to: listId }
  return (
    <Menu
      label={words.addMany}
      items={[
        { label: words.pick, icon: UsersRound, run: () => void navigate({ to: '/contacts', search }) },
        ...(manage
          ? [{ label: words.fromFile, icon: FileText, run: () => void navigate({ to: '/contacts/import', search }) }]
          : []),
      ]}
      trigger={(props) => <Button {...props}>{words.addMany}</Button>}
    />
  )
}
