import '../../ui/delivery-error.css'
import Clock from 'lucide-react/icons/clock'
import FileText from 'lucide-react/icons/file-text'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import UserRound from 'lucide-react/icons/user-round'
import { connection } from '../../data/live.ts'
import { useStore } from '../../data/store.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import type { UnsentReply } from '../compose/unsent-items.ts'
import { useWriteAgain } from '../compose/use-write-again.ts'
import { useStores } from '../data/stores.ts'
import { inboxWords as words } from '../words.ts'
import { Text } from './text.tsx'

/** A reply that the server has not acknowledged, from the moment of Enter on. */
export function UnsentBubble({ item }: { item: UnsentReply }) {
  const isRefused = item.state === 'refused'
  const isConnected = useStore(connection).state === 'connected'
  return (
    <article className={classes('bubble out person rises', isRefused && 'failed')} data-anchor="">
      {item.file && (
        <div className="file">
          <FileText className="i" />
          <bdi className="strong cut grow">{item.file.name}</bdi>
        </div>
      )}
      {item.body !== '' && (
        <div className="bubble-box">
          <Text body={item.body} />
        </div>
      )}
      {isRefused && <RefusalNote item={item} />}
      <div className="receipt">
        <span className="receipt-by">
          <UserRound className="i" />
          {words.you}
        </span>
        {!isRefused && (
          <span className="dot receipt-delivery">
            <Clock className="i" />
            {item.state === 'sending' && isConnected ? words.sending : words.waitsToSend}
          </span>
        )}
      </div>
    </article>
  )
}

function RefusalNote({ item }: { item: UnsentReply }) {
  const { queue } = useStores()
  const writeAgain = useWriteAgain()
  const edit = () => {
    writeAgain(item)
    queue.drop(item.clientId)
  }
  return (
    <div className="delivery-error" role="status">
      <TriangleAlert className="i" />
      <div>
        <b>{words.refused}</b> {item.refusal}
      </div>
      <div className="delivery-error-acts">
        <Button look="quiet" size="sm" onClick={edit}>
          {words.editAgain}
        </Button>
        <Button look="fail" size="sm" onClick={() => queue.tryNow()}>
          {words.tryAgain}
        </Button>
      </div>
    </div>
  )
}
