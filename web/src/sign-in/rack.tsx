import '../ui/channel.css'

const columns = [108, 186, 264, 342, 420, 498, 576, 654]
const rows = [250, 330, 560, 640]

/** Jacks in, jacks out, and what is plugged: decoration, hidden on narrow screens. */
export function Rack() {
  return (
    <div className="sign-in-right" aria-hidden="true">
      <svg viewBox="0 0 760 900" preserveAspectRatio="xMidYMid slice" fill="none" role="presentation">
        {rows.flatMap((y) => columns.map((x) => <Jack key={`${x} ${y}`} x={x} y={y} />))}
        <path className="sign-in-groove" d="M60 200H700M60 380H700M60 510H700M60 690H700" />
        <Cable className="channel-1" from={[108, 250]} to={[264, 560]} path="M108 250C108 442.2 264 405 264 560" />
        <Cable className="channel-2" from={[186, 330]} to={[186, 640]} path="M186 330C220 522.2 220 485 186 640" />
        <Cable className="ours" from={[342, 250]} to={[342, 560]} path="M342 250C308 442.2 308 405 342 560" />
        <Cable className="channel-3" from={[498, 330]} to={[420, 560]} path="M498 330C498 472.6 420 445 420 560" />
        <Cable className="channel-4" from={[576, 250]} to={[576, 640]} path="M576 250C610 491.8 610 445 576 640" />
        <text x="93" y="186">
          In
        </text>
        <text x="93" y="496">
          Out
        </text>
      </svg>
    </div>
  )
}

function Jack({ x, y }: { x: number; y: number }) {
  return (
    <>
      <circle className="sign-in-ring" cx={x} cy={y} r="15" />
      <circle className="sign-in-hole" cx={x} cy={y} r="5.5" />
    </>
  )
}

type Point = readonly [x: number, y: number]

function Cable({ className, from, to, path }: { className: string; from: Point; to: Point; path: string }) {
  return (
    <g className={`sign-in-cable ${className}`}>
      <path d={path} />
      <circle cx={from[0]} cy={from[1]} r="10" />
      <circle cx={to[0]} cy={to[1]} r="10" />
    </g>
  )
}
