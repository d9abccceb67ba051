import { serve } from '../child.ts'
import { type HonestOrder, type HonestReady, openHonest, type Streams } from './client.ts'
import type { HonestLog } from './log.ts'

serve<HonestOrder, HonestReady, Streams, HonestLog>(openHonest)
