import { PageHead } from '../ui/page-head.tsx'

export function Contacts() {
  return <PageHead title="Contacts" />
}
