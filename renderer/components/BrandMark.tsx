export function BrandMark({ size = 22 }: { readonly size?: number }) {
  return (
    <svg className="brand-mark" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <path
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
        d="M4 3v18M20 3v18M12 15V4M8.5 7.2 12 3.7l3.5 3.5M4 19.5c2.7-2.4 5.3 2.4 8 0s5.3 2.4 8 0"
      />
    </svg>
  )
}
