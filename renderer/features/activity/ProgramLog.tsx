import { useEffect, useState } from 'react'
import type { LogLevel, LogLine, LogSource } from '../../../shared/ipc/program-log.ts'
import { formatClockSeconds, formatCount, formatDay } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { Segments, Select } from '../../components/Choices.tsx'
import { NewestFirstList } from '../../components/NewestFirstList.tsx'
import { LoadingRows, Placeholder } from '../../components/Placeholder.tsx'
import { SearchBox } from '../../components/SearchBox.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import { useSavedState } from '../../data/SavedView.tsx'
import { useCopy } from '../../data/use-copy.ts'
import { useDebounced } from '../../data/use-debounced.ts'
import { useNow } from '../../data/use-now.ts'
import { MAX_ENTRIES, useOlderPages } from '../../data/use-older-pages.ts'

const PAGE_LINES = 200
const REFRESH_MS = 3_000
const TYPING_PAUSE_MS = 200
const LINE_HEIGHT = 29

const levelChoices = [
  { id: 'all', word: 'All' },
  { id: 'trouble', word: 'Warnings' },
  { id: 'error', word: 'Errors' },
] as const
type LevelChoice = (typeof levelChoices)[number]['id']
const levelsOf: Readonly<Record<LevelChoice, LogLevel[]>> = {
  all: [],
  trouble: ['warn', 'error'],
  error: ['error'],
}

const sourceChoices = [
  { id: 'all', word: 'All processes' },
  { id: 'agent', word: 'Agent' },
  { id: 'main', word: 'Window' },
] as const
type SourceChoice = (typeof sourceChoices)[number]['id']
const sourcesOf: Readonly<Record<SourceChoice, LogSource[]>> = { all: [], agent: ['agent'], main: ['main'] }

const levelWords: Readonly<Record<LogLevel, string>> = { info: 'Info', warn: 'Warning', error: 'Error' }
const levelTones: Readonly<Record<LogLevel, string>> = { info: 'quiet', warn: 'warn', error: 'warn' }
const sourceWords: Readonly<Record<LogSource, string>> = { agent: 'agent', main: 'window' }

const asText = ({ at, level, source, text }: LogLine): string =>
  [at, level, source, text].filter((part) => part !== null).join(' ')

/** Polls, because no event reports new log lines. */
const useTick = (everyMs: number): number => {
  const [tick, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setTick((value) => value + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return tick
}

function LogRow({ line }: { readonly line: LogLine }) {
  const [isCopied, copy] = useCopy(asText(line))
  const { at, level, source, text } = line
  return (
    <div className="log-row">
      <time className="quiet" {...(at === null ? {} : { dateTime: at })}>
        {at === null ? '' : formatClockSeconds(at)}
      </time>
      <span className={`log-level tone-${levelTones[level]}`}>{levelWords[level]}</span>
      <span className="quiet">{source === null ? '' : sourceWords[source]}</span>
      <code className="log-text selectable">{text}</code>
      <Button
        look="quiet"
        size="small"
        icon={isCopied ? 'check' : 'copy'}
        label={isCopied ? 'Line copied' : 'Copy this line'}
        onPress={copy}
      />
    </div>
  )
}

export function ProgramLog() {
  const { showError } = useNotices()
  const [level, setLevel] = useSavedState<LevelChoice>('log.level', () => 'all')
  const [source, setSource] = useSavedState<SourceChoice>('log.source', () => 'all')
  const [typedText, setTypedText] = useSavedState('log.typed', () => '')
  const text = useDebounced(typedText, TYPING_PAUSE_MS)
  const now = useNow()
  const query = { levels: levelsOf[level], sources: sourcesOf[source], text }
  const pages = useOlderPages(
    JSON.stringify(query),
    useTick(REFRESH_MS),
    async (older) => {
      const page = await ask('listLogLines', { ...query, older, limit: PAGE_LINES })
      return { items: page.lines, older: page.older }
    },
    asText,
  )
  const { items, error, hasOlder, isFull } = pages
  const [isCopied, copyAll] = useCopy((items ?? []).map(asText).toReversed().join('\n'))

  const renderContent = () => {
    if (items === null && error !== null)
      return <Placeholder icon="offline" title="The log is unavailable" text={error} />
    if (items === null || (items.length === 0 && hasOlder)) return <LoadingRows rows={8} label="Loading" />
    if (items.length === 0)
      return (
        <Placeholder
          icon="search"
          title="No line matches"
          text="Change the words, the level or the process."
        />
      )
    return (
      <NewestFirstList
        label="Log lines, newest first"
        entries={items}
        idOf={asText}
        dayOf={({ at }) => (at === null ? 'No time' : formatDay(at, now))}
        rowHeight={LINE_HEIGHT}
        foot={
          hasOlder
            ? 'Loading older lines…'
            : isFull
              ? `Only the newest ${formatCount(MAX_ENTRIES)} lines. Search for words to find older ones.`
              : 'No older lines.'
        }
        onNearEnd={pages.loadOlder}
      >
        {(line) => <LogRow line={line} />}
      </NewestFirstList>
    )
  }

  return (
    <>
      <search className="activity-filters">
        <SearchBox
          label="Search the log"
          placeholder="Words or request ID"
          value={typedText}
          onChange={setTypedText}
        />
        <Segments label="Level" choices={levelChoices} value={level} onChange={setLevel} />
        <Select hideLabel label="Written by" choices={sourceChoices} value={source} onChange={setSource} />
        <Button icon={isCopied ? 'check' : 'copy'} isDisabled={(items ?? []).length === 0} onPress={copyAll}>
          {isCopied ? 'Copied' : 'Copy lines'}
        </Button>
        <Button icon="external" onPress={() => void ask('openFolder', { which: 'logs' }).catch(showError)}>
          Open folder
        </Button>
      </search>
      {renderContent()}
    </>
  )
}
