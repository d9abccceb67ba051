import { PageHead } from '../ui/page-head.tsx'

export function Inbox() {
  return <PageHead title="Inbox" />
}
