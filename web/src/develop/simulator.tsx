import { PageHead } from '../ui/page-head.tsx'

export function Simulator() {
  return <PageHead title="Simulator" />
}
