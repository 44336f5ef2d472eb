import { type RefObject, useEffect } from 'react'
import type { FolderStatus, RecordingOutline } from '../../../shared/status/status.ts'
import { Button } from '../../components/Button.tsx'
import { Select } from '../../components/Choices.tsx'
import { TextField } from '../../components/Fields.tsx'
import { SearchBox } from '../../components/SearchBox.tsx'
import { useShortcut } from '../../data/shortcuts.ts'
import { dayOrderIssue } from '../../data/typed-day.ts'
import { dateChoices, type Filters, isFiltered } from './filters.ts'
import { StandingChips } from './StandingChips.tsx'

type Props = {
  readonly search: RefObject<HTMLInputElement | null>
  readonly filters: Filters
  readonly onChange: (filters: Filters) => void
  readonly onClear: () => void
  readonly folders: readonly FolderStatus[]
  /**
   * The number of recordings with each standing that match the other filters. Until the list is loaded, all filters are
   * ignored. Null if unknown.
   */
  readonly counts: RecordingOutline['standings'] | null
}

/**
 * Ctrl+F or Cmd+F always focuses the search. `/` does so too, except in a text field or while a dialog or menu is open.
 */
const useSearchShortcuts = (search: RefObject<HTMLInputElement | null>) => {
  useShortcut({ key: '/' }, () => {
    search.current?.focus()
    search.current?.select()
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'f' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      search.current?.focus()
      search.current?.select()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [search])
}

export function FilterBar({ search, filters, onChange, onClear, folders, counts }: Props) {
  useSearchShortcuts(search)
  const folderChoices = [
    { id: '', word: 'All folders' },
    ...folders.map((folder) => ({ id: folder.path, word: folder.path })),
  ]
  return (
    <search className="filter-bar">
      <SearchBox
        label="Search by name, path or session ID"
        placeholder="Name, path or ID"
        input={search}
        value={filters.text}
        onChange={(text) => onChange({ ...filters, text })}
      />
      <Select
        hideLabel
        label="Folder"
        choices={folderChoices}
        value={filters.folder}
        onChange={(folder) => onChange({ ...filters, folder })}
      />
      <Select
        hideLabel
        label="Found"
        choices={dateChoices}
        value={filters.date}
        onChange={(date) => onChange({ ...filters, date })}
      />
      {filters.date === 'one-night' && (
        <span className="row filter-dates">
          <TextField
            type="date"
            label="Evening of"
            value={filters.from}
            onChange={(from) => onChange({ ...filters, from })}
          />
        </span>
      )}
      {filters.date === 'between' && (
        <span className="row filter-dates">
          <TextField
            type="date"
            label="From"
            value={filters.from}
            onChange={(from) => onChange({ ...filters, from })}
          />
          <TextField
            type="date"
            label="To"
            value={filters.to}
            onChange={(to) => onChange({ ...filters, to })}
            error={dayOrderIssue(filters.from, filters.to)}
          />
        </span>
      )}
      <StandingChips
        counts={counts}
        chosenStanding={filters.standing}
        onChange={(standing) => onChange({ ...filters, standing })}
      />
      {filters.problem !== null && (
        <span className="filter-problem">
          Only recordings with <code>{filters.problem}</code>
        </span>
      )}
      {filters.queuedFrom !== null && <span className="filter-problem">Only recordings at risk</span>}
      {isFiltered(filters) && (
        <Button look="quiet" onPress={onClear}>
          Clear filters
        </Button>
      )}
    </search>
  )
}
