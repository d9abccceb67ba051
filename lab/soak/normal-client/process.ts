import { serve } from '../child.ts'
import { type ClientOrder, type ClientReady, openNormalClient, type Streams } from './client.ts'
import type { ClientLog } from './log.ts'

serve<ClientOrder, ClientReady, Streams, ClientLog>(openNormalClient)
