/** Two jacks and the cable between them. */
export function Mark({ size }: { size: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 28 28"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.4"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <circle cx="7" cy="8.5" r="4.3" />
      <circle cx="21" cy="8.5" r="4.3" />
      <path className="mark-cable" d="M7 8.5v4.8c0 4.2 3.1 7.6 7 7.6s7-3.4 7-7.6V8.5" />
    </svg>
  )
}
