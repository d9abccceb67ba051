import { handOver } from '../panel.ts'
import { words } from '../words/de.ts'

handOver(words)
