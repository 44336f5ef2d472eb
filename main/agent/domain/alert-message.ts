import type { Status } from '../../../shared/status/status.ts'
import { plural } from '../../../shared/words/format.ts'
import { fullHeadline, ownerWords } from '../../../shared/words/words.ts'
import type { Need } from './attention.ts'

export type AlertedNeed = Need & { readonly since: string }

export type AlertFacts = {
  readonly id: string
  readonly event: 'begins' | 'over' | 'test'
  readonly status: Status
  readonly newNeeds: readonly AlertedNeed[]
  readonly resolvedNeeds: readonly AlertedNeed[]
  /** All reported needs that are not resolved yet, including the new ones. */
  readonly openNeeds: readonly AlertedNeed[]
}

/** A longer message would be hard to read, and the window shows everything. */
const MAX_LINES = 10
const AMBER = '#b45309'
const GREEN = '#15803d'
const BLUE = '#1d4ed8'

/** Slack expands `<!channel>` even inside a name, and a site or folder can have any name. */
const withoutMarkup = (text: string): string => text.replaceAll('<', '‹').replaceAll('>', '›')

const needLine = ({ sentence, next, owner, recordings }: AlertedNeed): string =>
  [
    recordings === 0 ? '' : `${plural(recordings, 'recording')}: `,
    `${sentence} ${next} (${ownerWords[owner].label})`,
  ].join('')

const truncate = (lines: readonly string[]): readonly string[] =>
  lines.length <= MAX_LINES
    ? lines
    : [...lines.slice(0, MAX_LINES), `and ${plural(lines.length - MAX_LINES, 'more problem')}`]

const titleOf = ({ event, status, openNeeds }: AlertFacts): string => {
  const { name } = status.station
  if (event === 'test') return `${name}: this is a test`
  if (event === 'begins') return `${name} needs attention`
  return openNeeds.length > 0 ? `${name} still needs attention` : `${name} no longer needs attention`
}

const colourOf = ({ event, openNeeds }: AlertFacts): string => {
  if (event === 'test') return BLUE
  return event === 'over' && openNeeds.length === 0 ? GREEN : AMBER
}

/** A TextBlock would garble `take_01_[b]`, because it parses Markdown. A TextRun does not. */
const plainText = (text: string, style: Readonly<Record<string, string>> = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
})

/** A card for Teams. Slack reads `fallback`, `color` and `text` of the same attachment. */
const attachmentOf = (title: string, headline: string, lines: readonly string[], colour: string) => ({
  contentType: 'application/vnd.microsoft.card.adaptive',
  contentUrl: null,
  content: {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      plainText(title, { weight: 'Bolder', size: 'Medium' }),
      ...[headline, ...lines].map((text) => plainText(text)),
    ],
  },
  fallback: title,
  color: colour,
  text: lines.join('\n'),
})

/**
 * One body for Slack (`text`, `attachments`), Teams (`attachments`, or a MessageCard) and programs that read JSON
 * (`sluice`). Each receiver ignores the fields it does not know.
 */
export const alertBody = (facts: AlertFacts): string => {
  const { id, event, status, newNeeds, resolvedNeeds, openNeeds } = facts
  const { station } = status
  const title = withoutMarkup(titleOf(facts))
  const headline = withoutMarkup(fullHeadline(station))
  const lines = truncate([
    ...newNeeds.map((need) => `• ${withoutMarkup(needLine(need))}`),
    ...resolvedNeeds.map((need) => `• Resolved: ${withoutMarkup(need.sentence)}`),
  ])
  const text = [`${title}. ${headline}`, ...lines].join('\n')
  return JSON.stringify({
    text,
    // Slack would format many file names.
    mrkdwn: false,
    type: 'message',
    attachments: [attachmentOf(title, headline, lines, colourOf(facts))],
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    summary: title,
    title,
    themeColor: colourOf(facts).slice(1),
    sluice: {
      id,
      event,
      at: status.at,
      station: station.name,
      sites: [...new Set(status.folders.map(({ site }) => site))],
      state: station.state,
      headline: station.headline,
      detail: station.detail,
      needs_attention: openNeeds.length,
      begins: newNeeds,
      ends: resolvedNeeds,
    },
  })
}

/** The idempotency key lets a receiver drop a repeated delivery. */
export const alertPost = (url: string, id: string, body: string) => ({
  url,
  method: 'POST' as const,
  headers: { 'idempotency-key': id },
  body: { type: 'application/json', text: body },
})
