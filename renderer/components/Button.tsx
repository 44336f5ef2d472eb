import type { ReactNode } from 'react'
import { Button as AriaButton, Tooltip, TooltipTrigger } from 'react-aria-components'
import { Icon, type IconName } from './Icon.tsx'
import { useLocked } from './locked.ts'

export type ButtonLook = 'plain' | 'primary' | 'quiet' | 'danger'

type Props = {
  readonly children?: ReactNode
  /** The accessible name and tooltip of a button that shows only an icon. */
  readonly label?: string
  readonly icon?: IconName
  /** An icon after the text. */
  readonly endIcon?: IconName
  readonly look?: ButtonLook
  readonly size?: 'normal' | 'small'
  readonly busy?: boolean
  readonly isDisabled?: boolean
  readonly autoFocus?: boolean
  readonly type?: 'button' | 'submit'
  readonly onPress?: () => void
}

export function Button(props: Props) {
  const {
    children,
    label,
    icon,
    endIcon,
    look = 'plain',
    size = 'normal',
    busy = false,
    onPress,
    ...rest
  } = props
  const isLocked = useLocked()
  const button = (
    <AriaButton
      {...rest}
      isDisabled={isLocked || (rest.isDisabled ?? false)}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...(onPress === undefined ? {} : { onPress })}
      isPending={busy}
      className={`button button-${look} button-${size} ${children === undefined ? 'button-bare' : ''}`}
    >
      {icon !== undefined && <Icon name={icon} size={size === 'small' ? 14 : 16} />}
      {children}
      {endIcon !== undefined && <Icon name={endIcon} size={size === 'small' ? 14 : 16} />}
    </AriaButton>
  )
  // A close button needs no tooltip. An open tooltip would catch the Escape meant for the dialog.
  if (label === undefined || icon === 'close') return button
  return (
    <TooltipTrigger delay={600}>
      {button}
      <Tooltip className="tooltip" offset={6}>
        {label}
      </Tooltip>
    </TooltipTrigger>
  )
}
