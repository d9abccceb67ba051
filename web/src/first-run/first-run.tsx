import { PageHead } from '../ui/page-head.tsx'

export function FirstRun() {
  return <PageHead title="First steps" />
}
