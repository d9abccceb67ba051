import { handOver } from '../panel.ts'
import { words } from '../words/en.ts'

handOver(words)
