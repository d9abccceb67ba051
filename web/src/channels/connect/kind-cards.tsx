import './connect.css'
import { channelKinds } from '@patchbay/contract/channels.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { CustomMark, KindMark, kindNames } from '../../ui/channel.tsx'
import { channelsQuery } from '../data/queries.ts'
import { kindWords } from './kind-words.ts'
import { connectWords as words } from './words.ts'

/** What can be connected: a card a kind, and what speaks with our API. */
export function KindCards() {
  const { data } = useQuery(channelsQuery)
  return (
    <ul className="kind-cards">
      {channelKinds.map((kind) => (
        <li key={kind}>
          <Link to="/channels/new" search={{ kind }}>
            <KindMark kind={kind} colour={8} />
            <span>
              <b className="strong">{kindNames[kind]}</b>
              <span className="muted">
                {kindWords[kind].needs} {data?.unreachable.includes(kind) && words.noAddressHere}
              </span>
            </span>
            <span className="small faint kind-cards-takes">{kindWords[kind].takes}</span>
            <ChevronRight className="i" />
          </Link>
        </li>
      ))}
      <li>
        <Link to="/settings/webhook">
          <CustomMark colour={4} />
          <span>
            <b className="strong">{words.custom}</b>
            <span className="muted">{words.customNeeds}</span>
          </span>
          <span className="small faint kind-cards-takes">{words.customTakes}</span>
          <ChevronRight className="i" />
        </Link>
      </li>
    </ul>
  )
}
