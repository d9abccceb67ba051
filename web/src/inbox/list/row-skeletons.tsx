import { Loading, Skeleton } from '../../ui/skeleton.tsx'

const widths = [
  [70, 80],
  [52, 62],
  [84, 94],
  [60, 74],
  [46, 88],
  [66, 58],
] as const

/** Rows with the final height, so that nothing jumps. */
export function RowSkeletons() {
  return (
    <div className="convos">
      <Loading>
        {widths.map(([who, said]) => (
          <div className="convo" key={who}>
            <span className="avatar skeleton" />
            <Skeleton width={`${who}%`} />
            <Skeleton width={34} />
            <Skeleton width={`${said}%`} />
          </div>
        ))}
      </Loading>
    </div>
  )
}
