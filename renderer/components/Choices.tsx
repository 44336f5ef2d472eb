import {
  Button as AriaButton,
  Select as AriaSelect,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Radio,
  RadioGroup,
  SelectValue,
  ToggleButton,
  ToggleButtonGroup,
} from 'react-aria-components'
import { Icon } from './Icon.tsx'
import { useLocked } from './locked.ts'

export type Choice<T extends string> = { readonly id: T; readonly word: string; readonly help?: string }

type Props<T extends string> = {
  readonly label: string
  readonly choices: readonly Choice<T>[]
  readonly value: T
  readonly onChange: (value: T) => void
  /** Hides the label visually, for toolbars. */
  readonly hideLabel?: boolean
}

export function Select<T extends string>({ label, choices, value, onChange, hideLabel = false }: Props<T>) {
  const isDisabled = useLocked()
  return (
    <AriaSelect
      className="field select"
      isDisabled={isDisabled}
      value={value}
      onChange={(key) => onChange(key as T)}
      {...(hideLabel ? { 'aria-label': label } : {})}
    >
      {!hideLabel && <Label className="field-label">{label}</Label>}
      <AriaButton className="input select-button">
        <SelectValue className="truncate" />
        <Icon name="down" size={14} />
      </AriaButton>
      <Popover className="popover" offset={4}>
        <ListBox className="menu">
          {choices.map((choice) => (
            <ListBoxItem key={choice.id} id={choice.id} className="menu-item" textValue={choice.word}>
              {choice.word}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  )
}

/** A few choices, all visible at the same time. */
export function Segments<T extends string>({ label, choices, value, onChange }: Props<T>) {
  const isDisabled = useLocked()
  return (
    <ToggleButtonGroup
      aria-label={label}
      isDisabled={isDisabled}
      className="segments"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const [key] = keys
        if (key !== undefined) onChange(key as T)
      }}
    >
      {choices.map((choice) => (
        <ToggleButton key={choice.id} id={choice.id} className="segment">
          {choice.word}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  )
}

export function Radios<T extends string>({ label, choices, value, onChange }: Props<T>) {
  const isDisabled = useLocked()
  return (
    <RadioGroup
      aria-label={label}
      className="radios"
      value={value}
      isDisabled={isDisabled}
      onChange={(key) => onChange(key as T)}
    >
      {choices.map((choice) => (
        <Radio key={choice.id} value={choice.id} className="radio">
          <span className="radio-dot" />
          <span className="switch-words">
            <span>{choice.word}</span>
            {choice.help !== undefined && <span className="field-help">{choice.help}</span>}
          </span>
        </Radio>
      ))}
    </RadioGroup>
  )
}
