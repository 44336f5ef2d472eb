import type { RefObject } from 'react'
import { Button as AriaButton, Input, SearchField } from 'react-aria-components'
import { Icon } from './Icon.tsx'

type Props = {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly input?: RefObject<HTMLInputElement | null>
  readonly autoFocus?: boolean
}

export function SearchBox({ label, placeholder, value, onChange, input, autoFocus = false }: Props) {
  return (
    <SearchField
      className="search"
      aria-label={label}
      value={value}
      onChange={onChange}
      autoFocus={autoFocus}
    >
      <Icon name="search" />
      <Input {...(input === undefined ? {} : { ref: input })} className="input" placeholder={placeholder} />
      {value !== '' && (
        <AriaButton className="search-clear" aria-label="Clear the search">
          <Icon name="close" size={14} />
        </AriaButton>
      )}
    </SearchField>
  )
}
