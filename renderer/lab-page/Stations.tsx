import { Button as LinkButton } from 'react-aria-components'
import { formatBytes, formatCount, formatMoment, plural } from '../../shared/words/format.ts'
import { Banner } from '../components/Banner.tsx'
import { Button } from '../components/Button.tsx'
import { LoadingRows, Placeholder } from '../components/Placeholder.tsx'
import { Screen } from '../components/Screen.tsx'
import { useNow } from '../data/use-now.ts'
import '../features/sessions/sessions.css'
import type { StationList } from './data/answers.ts'
import { goTo } from './data/place.ts'
import { useSignedIn } from './data/SignedIn.tsx'
import { type LabFilters, noFilters } from './sessions/session-query.ts'

type Props = { readonly onFilter: (filters: LabFilters) => void }

export function Stations({ onFilter }: Props) {
  const { stations } = useSignedIn()
  const showSite = (site: string) => {
    onFilter({ ...noFilters, site })
    goTo({ screen: 'sessions', sessionId: null })
  }
  const renderContent = () => {
    if (stations.data === null && stations.error !== null)
      return (
        <Placeholder
          icon="offline"
          title="The stations are unavailable"
          text={stations.error}
          action={<Button onPress={stations.reload}>Try again</Button>}
        />
      )
    if (stations.data === null) return <LoadingRows rows={6} label="Loading" />
    if (stations.data.data.length === 0)
      return (
        <Placeholder
          icon="monitoring"
          title="No station has uploaded yet"
          text="A station shows up here with its first upload."
        />
      )
    return <StationTable stations={stations.data} onShowSite={showSite} />
  }
  return (
    <Screen
      fillsWindow
      title="Stations"
      intro="Each site and device that has sessions on this server, the latest activity first."
    >
      {stations.data?.has_more === true && (
        <Banner tone="quiet">{`Only the ${plural(stations.data.data.length, 'station')} with the latest activity are shown.`}</Banner>
      )}
      <div className="session-list station-list">{renderContent()}</div>
    </Screen>
  )
}

type TableProps = { readonly stations: StationList; readonly onShowSite: (site: string) => void }

function StationTable({ stations, onShowSite }: TableProps) {
  const now = useNow()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard.
    <section className="list-frame" tabIndex={0} aria-label="List of stations">
      <table className="table station-table">
        <thead>
          <tr>
            <th scope="col">Site</th>
            <th scope="col">Device</th>
            <th scope="col" className="number station-moment">
              Last upload
            </th>
            <th scope="col" className="number station-moment station-wide">
              Newest session
            </th>
            <th scope="col" className="number station-figure station-wide">
              Sessions
            </th>
            <th scope="col" className="number station-figure">
              Size
            </th>
          </tr>
        </thead>
        <tbody>
          {stations.data.map((station) => (
            <tr key={`${station.site}\0${station.device ?? ''}`}>
              <td>
                <LinkButton className="link-button truncate" onPress={() => onShowSite(station.site)}>
                  <bdi>{station.site}</bdi>
                </LinkButton>
              </td>
              <td className="truncate" title={station.device}>
                {station.device === undefined ? (
                  <span className="quiet">–</span>
                ) : (
                  <bdi>{station.device}</bdi>
                )}
              </td>
              <td className="number">
                {station.last_upload_at === undefined ? (
                  <span className="quiet">Never</span>
                ) : (
                  formatMoment(station.last_upload_at, now)
                )}
              </td>
              <td className="number quiet station-wide">{formatMoment(station.last_session_at, now)}</td>
              <td className="number station-figure station-wide">{formatCount(station.sessions)}</td>
              <td className="number station-figure">{formatBytes(station.bytes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
