import { formatClockSeconds } from '../../../shared/words/format.ts'
import { systemClock } from '../../agent/platform/system-clock.ts'
import { onEndingSignal } from '../ending-signals.ts'
import { withJournal } from '../journal-commands.ts'
import { jsonText, printJson, printLine } from '../terminal.ts'
import { lookAt, type Watched } from './watch-snapshot.ts'
import { plainLines, type Screen, viewLines } from './watch-view.ts'

const LOOK_MS = 1_000
const USUAL_COLUMNS = 80
const USUAL_ROWS = 24

/** A screen of its own, so that nothing of what was there is lost and a new size garbles nothing. */
const ENTER = '\u001b[?1049h\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?1049l'
const HOME = '\u001b[H'
const REST_OF_LINE = '\u001b[K'
const REST_OF_SCREEN = '\u001b[J'

/** What the keys q, Q, Escape, Ctrl-C and Ctrl-D send in a terminal that is not asked to wait for a line. */
const ENDINGS = new Set(['q', 'Q', '\u001b', '\u0003', '\u0004'])

type Teller = { readonly tell: (watched: Watched) => void; readonly end: () => void }

const inTerminal = (out: NodeJS.WriteStream, environment: NodeJS.ProcessEnv): Teller => {
  const screen = (): Screen => ({
    columns: out.columns || USUAL_COLUMNS,
    rows: out.rows || USUAL_ROWS,
    colour: !environment.NO_COLOR && environment.TERM !== 'dumb',
  })
  let last: Watched | null = null
  const draw = () => {
    if (last === null) return
    const lines = viewLines(last, systemClock.wallMs(), screen())
    out.write(`${HOME}${lines.map((line) => `${line}${REST_OF_LINE}`).join('\n')}${REST_OF_SCREEN}`)
  }
  out.write(ENTER)
  out.on('resize', draw)
  return {
    tell: (watched) => {
      last = watched
      draw()
    },
    end: () => {
      out.off('resize', draw)
      out.write(LEAVE)
      // What was seen last stays to be read.
      if (last !== null)
        out.write(`${viewLines(last, systemClock.wallMs(), screen()).slice(0, -2).join('\n')}\n`)
    },
  }
}

const inLines = (): Teller => {
  let told: ReadonlyMap<string, string> = new Map()
  return {
    tell: (watched) => {
      const now = plainLines(watched)
      const at = formatClockSeconds(new Date(systemClock.wallMs()).toISOString())
      for (const [about, line] of now) if (told.get(about) !== line) printLine(`${at}  ${line}`)
      told = now
    },
    end: () => {},
  }
}

const inObjects = (): Teller => {
  let told = ''
  return {
    tell: ({ station, moving, waiting }) => {
      const now = { station, recordings: [...moving, ...waiting] }
      const text = jsonText(now)
      if (text !== told) printJson(now)
      told = text
    },
    end: () => {},
  }
}

/** Gives how to stop listening. Where nobody types nothing is listened to. */
const onEndingKey = (end: () => void): (() => void) => {
  const { stdin } = process
  if (!stdin.isTTY) return () => {}
  const typed = (text: Buffer) => {
    if (ENDINGS.has(text.toString())) end()
  }
  stdin.setRawMode(true)
  stdin.on('data', typed)
  stdin.resume()
  return () => {
    stdin.off('data', typed)
    stdin.setRawMode(false)
    stdin.pause()
  }
}

/** Until somebody ends it. The journal is opened for each look: whoever works on it may put another in its place. */
export const watchStatus = (dataFolder: string, json: boolean): Promise<void> => {
  const look = () => withJournal(dataFolder, lookAt)
  // A folder without a journal is told at once, and not watched.
  const first = look()
  const { stdout } = process
  const teller = json ? inObjects() : stdout.isTTY ? inTerminal(stdout, process.env) : inLines()
  teller.tell(first)
  return new Promise((resolve) => {
    const end = () => {
      clearInterval(ticker)
      stopKeys()
      stopSignals()
      stdout.off('error', end)
      teller.end()
      resolve()
    }
    const ticker = setInterval(() => {
      try {
        teller.tell(look())
      } catch {
        // It is being set aside and rebuilt, or its drive is away for a moment: the next look tells.
      }
    }, LOOK_MS)
    const stopKeys = onEndingKey(end)
    const stopSignals = onEndingSignal(end)
    // Whoever read the lines has gone: `sluice status --watch | head`.
    stdout.on('error', end)
  })
}
