import { PageHead } from '../ui/page-head.tsx'

export function Lists() {
  return <PageHead title="Lists" />
}
