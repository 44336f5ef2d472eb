import { Select } from '../../components/Choices.tsx'
import { TextField } from '../../components/Fields.tsx'
import { dayOrderIssue } from '../../data/typed-day.ts'
import { type SessionFilters, statusChoices } from './session-filters.ts'

type StatusAndDays = Pick<SessionFilters, 'status' | 'from' | 'to'>
type Props = {
  readonly filters: StatusAndDays
  readonly onChange: (change: Partial<StatusAndDays>) => void
}

export function StatusAndDayFields({ filters, onChange }: Props) {
  return (
    <>
      <Select
        label="Status"
        choices={statusChoices}
        value={filters.status}
        onChange={(status) => onChange({ status })}
      />
      <TextField
        type="date"
        label="Created from"
        value={filters.from}
        onChange={(from) => onChange({ from })}
      />
      <TextField
        type="date"
        label="Created until"
        value={filters.to}
        onChange={(to) => onChange({ to })}
        error={dayOrderIssue(filters.from, filters.to)}
      />
    </>
  )
}
