import { Select } from '../../components/Choices.tsx'
import { TextField } from '../../components/Fields.tsx'
import { dayOrderIssue } from '../../data/typed-day.ts'
import { type SessionFilters, statusChoices } from './session-filters.ts'

type Props = { readonly filters: SessionFilters; readonly onChange: (filters: SessionFilters) => void }

export function SessionFilterBar({ filters, onChange }: Props) {
  return (
    <search className="session-filters">
      <TextField
        label="Site"
        placeholder="All sites"
        value={filters.site}
        onChange={(site) => onChange({ ...filters, site })}
      />
      <Select
        label="Status"
        choices={statusChoices}
        value={filters.status}
        onChange={(status) => onChange({ ...filters, status })}
      />
      <TextField
        type="date"
        label="Created from"
        value={filters.from}
        onChange={(from) => onChange({ ...filters, from })}
      />
      <TextField
        type="date"
        label="Created until"
        value={filters.to}
        onChange={(to) => onChange({ ...filters, to })}
        error={dayOrderIssue(filters.from, filters.to)}
      />
    </search>
  )
}
