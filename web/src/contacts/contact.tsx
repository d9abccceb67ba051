import { PageHead } from '../ui/page-head.tsx'

export function Contact() {
  return <PageHead title="Contact" />
}
