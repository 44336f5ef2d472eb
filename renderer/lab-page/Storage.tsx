import { formatBytes, formatCount, plural } from '../../shared/words/format.ts'
import { Banner } from '../components/Banner.tsx'
import { Card } from '../components/Card.tsx'
import { ProgressBar } from '../components/ProgressBar.tsx'
import { Screen } from '../components/Screen.tsx'
import type { Account, Station } from './data/answers.ts'
import { useSignedIn } from './data/SignedIn.tsx'

/** The page warns when an organisation uses this share of a limit. */
const ALMOST_FULL = 0.9

type SiteUsage = { readonly site: string; readonly bytes: number; readonly sessions: number }

/** Adds up the stations of each site. The largest site comes first. */
const usageBySite = (stations: readonly Station[]): readonly SiteUsage[] => {
  const sites = new Map<string, SiteUsage>()
  for (const { site, bytes, sessions } of stations) {
    const sum = sites.get(site) ?? { site, bytes: 0, sessions: 0 }
    sites.set(site, { site, bytes: sum.bytes + bytes, sessions: sum.sessions + sessions })
  }
  return [...sites.values()].sort((a, b) => b.bytes - a.bytes || a.site.localeCompare(b.site))
}

export function Storage() {
  const { account, stations } = useSignedIn()
  const sites = usageBySite(stations.data?.data ?? [])
  return (
    <Screen title="Storage" intro={`What ${account.organisation} stores on this server.`}>
      <UsageCard account={account} />
      {sites.length > 0 && (
        <Card title="By site">
          <ul className="site-usage">
            {sites.map(({ site, bytes, sessions }) => (
              <li key={site} className="site-usage-row">
                <bdi className="truncate" title={site}>
                  {site}
                </bdi>
                <span className="quiet number">{plural(sessions, 'session')}</span>
                <span className="number">{formatBytes(bytes)}</span>
                <ProgressBar
                  label={`Share of ${site}`}
                  value={account.used.bytes === 0 ? 0 : bytes / account.used.bytes}
                />
              </li>
            ))}
          </ul>
          {stations.data?.has_more === true && (
            <p className="quiet small">Stations without recent activity are not included.</p>
          )}
        </Card>
      )}
    </Screen>
  )
}

function UsageCard({ account: { used, limit } }: { readonly account: Account }) {
  return (
    <Card title="In use">
      <div className="usage">
        <UsageFigure
          figure={formatBytes(used.bytes)}
          limit={limit.bytes === null ? null : formatBytes(limit.bytes)}
          label="Storage in use"
          share={limit.bytes === null ? null : used.bytes / Math.max(1, limit.bytes)}
          freeWords={limit.bytes === null ? '' : `${formatBytes(Math.max(0, limit.bytes - used.bytes))} free`}
        />
        <UsageFigure
          figure={plural(used.sessions, 'session')}
          limit={limit.sessions === null ? null : formatCount(limit.sessions)}
          label="Sessions in use"
          share={limit.sessions === null ? null : used.sessions / Math.max(1, limit.sessions)}
          freeWords={
            limit.sessions === null ? '' : `${formatCount(Math.max(0, limit.sessions - used.sessions))} left`
          }
        />
      </div>
      <p className="quiet small">Includes the full size of uploads that are not complete yet.</p>
    </Card>
  )
}

type FigureProps = {
  readonly figure: string
  readonly limit: string | null
  readonly label: string
  readonly share: number | null
  readonly freeWords: string
}

function UsageFigure({ figure, limit, label, share, freeWords }: FigureProps) {
  return (
    <div className="stack">
      <p>
        <span className="usage-figure">{figure}</span>
        <span className="quiet">{limit === null ? ' · no limit' : ` of ${limit}`}</span>
      </p>
      {share !== null && <ProgressBar label={label} value={share} />}
      {share !== null && share < ALMOST_FULL && <p className="quiet small">{freeWords}</p>}
      {share !== null && share >= ALMOST_FULL && (
        <Banner tone="warn">{`${freeWords}. The server refuses new sessions beyond the limit.`}</Banner>
      )}
    </div>
  )
}
