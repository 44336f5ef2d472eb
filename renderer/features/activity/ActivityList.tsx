import { formatCount, formatDay } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { Segments, Select } from '../../components/Choices.tsx'
import { TextField } from '../../components/Fields.tsx'
import { NewestFirstList } from '../../components/NewestFirstList.tsx'
import { LoadingRows, Placeholder } from '../../components/Placeholder.tsx'
import { SearchBox } from '../../components/SearchBox.tsx'
import { ask } from '../../data/ask.ts'
import { useSavedState } from '../../data/SavedView.tsx'
import { dayOrderIssue } from '../../data/typed-day.ts'
import { useDebounced } from '../../data/use-debounced.ts'
import { useNow } from '../../data/use-now.ts'
import { MAX_ENTRIES, useOlderPages } from '../../data/use-older-pages.ts'
import { useRefreshTick } from '../../data/use-refresh-tick.ts'
import type { Place } from '../../navigation.ts'
import { ActivityRow } from './ActivityRow.tsx'
import {
  type ActivityFilters,
  activityQuery,
  groupChoices,
  noActivityFilters,
  timeChoices,
} from './activity-filters.ts'

const PAGE_ROWS = 100
const REFRESH_MS = 2_000
const TYPING_PAUSE_MS = 200
const ROW_HEIGHT = 37

export function ActivityList({ goTo }: { readonly goTo: (place: Place) => void }) {
  const [filters, setFilters] = useSavedState<ActivityFilters>('activity.filters', () => noActivityFilters)
  const text = useDebounced(filters.text, TYPING_PAUSE_MS)
  const now = useNow()
  const query = activityQuery({ ...filters, text }, new Date(now))
  const tick = useRefreshTick(REFRESH_MS)
  const pages = useOlderPages(
    JSON.stringify(query),
    tick,
    async (before) => {
      const { entries, older } = await ask('listActivity', { ...query, before, limit: PAGE_ROWS })
      return { items: entries, older }
    },
    ({ id }) => id,
  )
  const isFiltered = JSON.stringify(filters) !== JSON.stringify(noActivityFilters)

  const renderContent = () => {
    const { items, error, hasOlder, isFull, loadOlder } = pages
    if (items === null && error !== null)
      return (
        <Placeholder
          icon="offline"
          title="The activity is unavailable"
          text={error}
          action={<Button onPress={pages.reload}>Try again</Button>}
        />
      )
    if (items === null || (items.length === 0 && hasOlder)) return <LoadingRows rows={8} label="Loading" />
    if (items.length === 0 && isFiltered)
      return (
        <Placeholder
          icon="search"
          title="Nothing matches"
          text="Change or clear the filters."
          action={<Button onPress={() => setFilters(noActivityFilters)}>Clear filters</Button>}
        />
      )
    if (items.length === 0)
      return (
        <Placeholder
          icon="clock"
          title="Nothing has happened yet"
          text="Recordings and problems show up here."
        />
      )
    return (
      <NewestFirstList
        label="Activity, newest first"
        entries={items}
        idOf={({ id }) => id}
        dayOf={({ at }) => formatDay(at, now)}
        rowHeight={ROW_HEIGHT}
        foot={
          hasOlder
            ? 'Loading older entries…'
            : isFull
              ? `Only the newest ${formatCount(MAX_ENTRIES)} entries. Choose a time to see older ones.`
              : 'No older entries.'
        }
        onNearEnd={loadOlder}
      >
        {(entry) => (
          <ActivityRow entry={entry} onOpen={(recordingId) => goTo({ screen: 'recordings', recordingId })} />
        )}
      </NewestFirstList>
    )
  }

  return (
    <>
      <search className="activity-filters">
        <SearchBox
          label="Search the activity"
          placeholder="Name, words or request ID"
          value={filters.text}
          onChange={(typed) => setFilters({ ...filters, text: typed })}
        />
        <Segments
          label="Kind"
          choices={groupChoices}
          value={filters.group}
          onChange={(group) => setFilters({ ...filters, group })}
        />
        <Select
          hideLabel
          label="Time"
          choices={timeChoices}
          value={filters.time}
          onChange={(time) => setFilters({ ...filters, time })}
        />
        {filters.time === 'between' && (
          <span className="row">
            <TextField
              type="date"
              label="From"
              value={filters.from}
              onChange={(from) => setFilters({ ...filters, from })}
            />
            <TextField
              type="date"
              label="To"
              value={filters.to}
              onChange={(to) => setFilters({ ...filters, to })}
              error={dayOrderIssue(filters.from, filters.to)}
            />
          </span>
        )}
      </search>
      {renderContent()}
    </>
  )
}
