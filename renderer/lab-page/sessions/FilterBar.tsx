import { Select } from '../../components/Choices.tsx'
import { SearchBox } from '../../components/SearchBox.tsx'
import { StatusAndDayFields } from '../../features/sessions/StatusAndDayFields.tsx'
import { useSignedIn } from '../data/SignedIn.tsx'
import type { LabFilters } from './session-query.ts'

type Props = { readonly filters: LabFilters; readonly onChange: (filters: LabFilters) => void }

export function FilterBar({ filters, onChange }: Props) {
  const { stations } = useSignedIn()
  const stationSites = stations.data?.data.map(({ site }) => site) ?? []
  const sites = [...new Set([...stationSites, ...(filters.site === '' ? [] : [filters.site])])].sort()
  return (
    <search className="lab-filters">
      <div className="field lab-search">
        <span className="field-label" aria-hidden="true">
          Search
        </span>
        <SearchBox
          label="Search sessions"
          placeholder="Name, device, notes or ID"
          value={filters.search}
          onChange={(search) => onChange({ ...filters, search })}
        />
      </div>
      <Select
        label="Site"
        // A site may have any name except an empty one, so '' stands for all sites.
        choices={[{ id: '', word: 'All sites' }, ...sites.map((site) => ({ id: site, word: site }))]}
        value={filters.site}
        onChange={(site) => onChange({ ...filters, site })}
      />
      <StatusAndDayFields filters={filters} onChange={(change) => onChange({ ...filters, ...change })} />
    </search>
  )
}
