import { handOver } from '../panel.ts'
import { words } from '../words/es.ts'

handOver(words)
