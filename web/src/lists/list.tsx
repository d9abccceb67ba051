import { PageHead } from '../ui/page-head.tsx'

export function List() {
  return <PageHead title="List" />
}
