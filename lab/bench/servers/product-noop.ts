import { newId } from '../../../server/src/platform/ids.ts'
import { serveWith } from './serve-with.ts'

// Everything that the product does around a message, and nothing with the message itself.
await serveWith(async () => newId('msg'))
