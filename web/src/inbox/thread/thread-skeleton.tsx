import { Loading, Skeleton } from '../../ui/skeleton.tsx'

/** Bubbles in their places, while the first page is read. */
export function ThreadSkeleton() {
  return (
    <div className="thread">
      <Loading>
        <div className="thread-skeleton">
          <Skeleton width="46%" height={38} />
          <Skeleton width="58%" height={60} />
          <Skeleton width="38%" height={38} />
          <Skeleton width="52%" height={38} />
        </div>
      </Loading>
    </div>
  )
}
