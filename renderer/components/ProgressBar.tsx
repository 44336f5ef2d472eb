import { ProgressBar as AriaProgressBar } from 'react-aria-components'

type Props = { readonly label: string; readonly value: number; readonly tone?: 'busy' | 'quiet' | 'good' }

export function ProgressBar({ label, value, tone = 'busy' }: Props) {
  const percent = Math.min(100, Math.max(0, value * 100))
  return (
    <AriaProgressBar aria-label={label} value={Math.floor(percent)} className="progress">
      <span className={`progress-fill progress-${tone}`} style={{ width: `${percent}%` }} />
    </AriaProgressBar>
  )
}
