import { handOver } from '../panel.ts'
import { words } from '../words/ar.ts'

handOver(words)
