import type { ReactNode } from 'react'
import { Icon, type IconName } from './Icon.tsx'

type Props = {
  readonly icon: IconName
  readonly title: string
  readonly text: string
  readonly action?: ReactNode
}

/** Shown instead of empty, unavailable or failed content. */
export function Placeholder({ icon, title, text, action }: Props) {
  return (
    <div className="placeholder">
      <span className="placeholder-icon">
        <Icon name={icon} size={28} />
      </span>
      <p className="placeholder-title">{title}</p>
      <p className="quiet">{text}</p>
      {action}
    </div>
  )
}

/** Placeholder rows of the final size, so that nothing jumps when the data arrives. */
export function LoadingRows({ rows, label }: { readonly rows: number; readonly label: string }) {
  return (
    <div className="loading-rows" role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: rows }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: identical bars have no other identity.
        <span key={index} className="loading-row" />
      ))}
    </div>
  )
}
