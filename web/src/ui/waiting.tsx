import './surface.css'
import { Loading, Skeleton } from './skeleton.tsx'

/** A skeleton in place of a card or a table. */
export function WaitingBlock({ height }: { height: number }) {
  return (
    <Loading>
      <Skeleton width="100%" height={height} />
    </Loading>
  )
}

/** Skeletons in place of lines that go from edge to edge; widths in percent. */
export function WaitingLines({ widths, height }: { widths: readonly number[]; height: number }) {
  return (
    <Loading>
      {widths.map((width) => (
        <div className="bar" key={width}>
          <Skeleton width={`${width}%`} height={height} />
        </div>
      ))}
    </Loading>
  )
}
