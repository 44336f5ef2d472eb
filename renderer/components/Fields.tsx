import type { ReactNode } from 'react'
import {
  Switch as AriaSwitch,
  TextField as AriaTextField,
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
} from 'react-aria-components'
import { useLocked } from './locked.ts'

type FieldProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | null | undefined
  readonly help?: string | undefined
  readonly placeholder?: string
  readonly type?: 'text' | 'password' | 'url' | 'date'
  readonly inputMode?: 'text' | 'decimal' | 'numeric' | 'url'
  readonly lines?: number
  readonly width?: 'full' | 'short'
  readonly unit?: string
  /** A button beside the input. */
  readonly action?: ReactNode
  readonly autoFocus?: boolean
  readonly isDisabled?: boolean
  readonly isReadOnly?: boolean
  readonly onBlur?: () => void
  readonly onPaste?: (text: string) => void
}

/** A field with its label and help. An error replaces the help. */
export function TextField(props: FieldProps) {
  const {
    label,
    value,
    onChange,
    error,
    help,
    placeholder = '',
    type = 'text',
    inputMode,
    lines,
    unit,
    action,
  } = props
  const isLocked = useLocked()
  const isInvalid = error !== null && error !== undefined && error !== ''
  return (
    <AriaTextField
      className={`field field-${props.width ?? 'full'}`}
      value={value}
      onChange={onChange}
      isInvalid={isInvalid}
      isDisabled={isLocked || (props.isDisabled ?? false)}
      isReadOnly={props.isReadOnly ?? false}
      autoFocus={props.autoFocus ?? false}
      type={type}
      validationBehavior="aria"
      autoComplete="off"
      spellCheck="false"
      {...(inputMode === undefined ? {} : { inputMode })}
      {...(props.onBlur === undefined ? {} : { onBlur: props.onBlur })}
      {...(props.onPaste === undefined
        ? {}
        : {
            // A one-line input drops line breaks from pasted text, but the caller needs the whole text.
            onPaste: (event) => {
              event.preventDefault()
              props.onPaste?.(event.clipboardData.getData('text'))
            },
          })}
    >
      <Label className="field-label">{label}</Label>
      <div className="field-line">
        {lines === undefined ? (
          <Input className="input" placeholder={placeholder} />
        ) : (
          <TextArea className="input" rows={lines} placeholder={placeholder} />
        )}
        {unit !== undefined && <span className="quiet">{unit}</span>}
        {action}
      </div>
      {help !== undefined && !isInvalid && (
        <Text slot="description" className="field-help">
          {help}
        </Text>
      )}
      <FieldError className="field-error">{error}</FieldError>
    </AriaTextField>
  )
}

type SwitchProps = {
  readonly label: string
  readonly help?: string
  readonly isSelected: boolean
  readonly onChange: (on: boolean) => void
  readonly isDisabled?: boolean
}

export function Switch({ label, help, ...rest }: SwitchProps) {
  const isLocked = useLocked()
  return (
    <AriaSwitch {...rest} isDisabled={isLocked || (rest.isDisabled ?? false)} className="switch">
      <span className="switch-track">
        <span className="switch-thumb" />
      </span>
      <span className="switch-words">
        <span>{label}</span>
        {help !== undefined && <span className="field-help">{help}</span>}
      </span>
    </AriaSwitch>
  )
}
