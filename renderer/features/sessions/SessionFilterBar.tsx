import { TextField } from '../../components/Fields.tsx'
import { StatusAndDayFields } from './StatusAndDayFields.tsx'
import type { SessionFilters } from './session-filters.ts'

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
      <StatusAndDayFields filters={filters} onChange={(change) => onChange({ ...filters, ...change })} />
    </search>
  )
}
