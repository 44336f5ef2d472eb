import { systemClock } from '../../../shared/clock/clock.ts'
import { formatClockSeconds } from '../../../shared/words/format.ts'
import { takeWatchSnapshot, type WatchSnapshot } from '../../agent/status/watch-snapshot.ts'
import { onEndingSignal } from '../ending-signals.ts'
import { findConditions, readJournalOrAgent } from '../running-agent.ts'
import { jsonText, printJson, printLine } from '../terminal.ts'
import { closingText, plainLines, type Screen, viewLines } from './watch-view.ts'

const REFRESH_INTERVAL_MS = 1_000
const DEFAULT_COLUMNS = 80
const DEFAULT_ROWS = 24

/** The alternate screen: resizing does not garble it, and leaving it restores the old content of the terminal. */
const ENTER = '\u001b[?1049h\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const REST_OF_LINE = '\u001b[K'
const REST_OF_SCREEN = '\u001b[J'

/** q, Q, Escape, Ctrl-C and Ctrl-D as a terminal sends them in raw mode. */
const QUIT_KEYS = new Set(['q', 'Q', '\u001b', '\u0003', '\u0004'])

type Output = { readonly show: (snapshot: WatchSnapshot) => void; readonly end: () => void }

const terminalOutput = (out: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): Output => {
  const screen = (): Screen => ({
    columns: out.columns || DEFAULT_COLUMNS,
    rows: out.rows || DEFAULT_ROWS,
    hasColour: !environment.NO_COLOR && environment.TERM !== 'dumb',
  })
  let lastSnapshot: WatchSnapshot | null = null
  const draw = () => {
    if (lastSnapshot === null) return
    const lines = viewLines(lastSnapshot, systemClock.wallMs(), screen())
    out.write(`${HOME}${lines.map((line) => `${line}${REST_OF_LINE}`).join('\n')}${REST_OF_SCREEN}`)
  }
  out.write(ENTER)
  out.on('resize', draw)
  return {
    show: (snapshot) => {
      lastSnapshot = snapshot
      draw()
    },
    end: () => {
      out.off('resize', draw)
      out.write(LEAVE)
      // Print the last view again on the normal screen, where it stays.
      if (lastSnapshot !== null)
        out.write(`${closingText(lastSnapshot, systemClock.wallMs(), screen())}
`)
    },
  }
}

const lineOutput = (): Output => {
  let lastShown: ReadonlyMap<string, string> = new Map()
  return {
    show: (snapshot) => {
      const lines = plainLines(snapshot)
      const at = formatClockSeconds(new Date(systemClock.wallMs()).toISOString())
      for (const [subject, line] of lines) if (lastShown.get(subject) !== line) printLine(`${at}  ${line}`)
      lastShown = lines
    },
    end: () => {},
  }
}

const jsonOutput = (): Output => {
  let lastShown = ''
  return {
    show: ({ station, inProgress, waiting }) => {
      const content = { station, recordings: [...inProgress, ...waiting] }
      const text = jsonText(content)
      if (text !== lastShown) printJson(content)
      lastShown = text
    },
    end: () => {},
  }
}

/** Calls `end` on a quit key. Returns a function that removes the listener. Does nothing if stdin is not a terminal. */
const onQuitKey = (end: () => void): (() => void) => {
  const { stdin } = process
  if (!stdin.isTTY) return () => {}
  const onKey = (text: Buffer) => {
    if (QUIT_KEYS.has(text.toString())) end()
  }
  stdin.setRawMode(true)
  stdin.on('data', onKey)
  stdin.resume()
  return () => {
    stdin.off('data', onKey)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

/** Runs until the user quits. Each refresh opens the journal again, because a running agent may replace the file. */
export const watchStatus = async (dataFolder: string, json: boolean): Promise<void> => {
  const read = async () => {
    const conditions = await findConditions(dataFolder)
    return readJournalOrAgent(
      dataFolder,
      (journal) => takeWatchSnapshot(journal, conditions),
      (call) => call('getWatchSnapshot', undefined) as Promise<WatchSnapshot>,
    )
  }
  // Read before `terminalOutput` changes the screen, because this fails without a journal.
  const firstSnapshot = await read()
  const { stdout } = process
  const output = json ? jsonOutput() : stdout.isTTY ? terminalOutput(stdout, process.env) : lineOutput()
  output.show(firstSnapshot)
  await new Promise<void>((resolve) => {
    const end = () => {
      isEnded = true
      clearInterval(ticker)
      removeKeyListener()
      removeSignalListeners()
      stdout.off('error', end)
      output.end()
      resolve()
    }
    let isReading = false
    let isEnded = false
    const refresh = async () => {
      if (isReading) return
      isReading = true
      try {
        const snapshot = await read()
        if (!isEnded) output.show(snapshot)
      } catch {
        // The journal may be unavailable for a while. The next refresh retries.
      }
      isReading = false
    }
    const ticker = setInterval(() => void refresh(), REFRESH_INTERVAL_MS)
    const removeKeyListener = onQuitKey(end)
    const removeSignalListeners = onEndingSignal(end)
    // The reader of the pipe has closed it, as in `sluice status --watch | head`.
    stdout.on('error', end)
  })
}
