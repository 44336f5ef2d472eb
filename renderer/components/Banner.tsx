import type { ReactNode } from 'react'
import type { Tone } from '../../shared/words/words.ts'
import { Icon, type IconName } from './Icon.tsx'

const icons: Readonly<Record<Tone, IconName>> = {
  good: 'check-circle',
  busy: 'info',
  warn: 'triangle',
  bad: 'octagon',
  quiet: 'info',
}

type Props = { readonly tone: Tone; readonly children: ReactNode; readonly action?: ReactNode }

export function Banner({ tone, children, action }: Props) {
  return (
    <div className={`banner banner-${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      <span className={`tone-${tone}`}>
        <Icon name={icons[tone]} />
      </span>
      <div className="banner-text">{children}</div>
      {action}
    </div>
  )
}
