import { handOver } from '../panel.ts'
import { words } from '../words/fr.ts'

handOver(words)
