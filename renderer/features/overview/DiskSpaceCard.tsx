import type { DriveSpace } from '../../../shared/status/free-space.ts'
import type { FolderStatus } from '../../../shared/status/status.ts'
import {
  freeSpaceSentences,
  freeWords,
  missingFolderSentence,
} from '../../../shared/words/free-space-words.ts'
import { folderWords } from '../../../shared/words/words.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { Icon } from '../../components/Icon.tsx'
import { noBreakUnits } from '../../components/no-break-units.ts'
import { TruncatedName } from '../../components/TruncatedName.tsx'
import type { Place } from '../../navigation.ts'
import './tonight.css'

type Props = {
  readonly driveSpace: readonly DriveSpace[]
  readonly folders: readonly FolderStatus[]
  readonly goTo: (place: Place) => void
}

function SpaceBar({ space, safeBytes }: Pick<DriveSpace, 'space' | 'safeBytes'>) {
  if (space === null || space.totalBytes <= 0) return <span className="disk-bar" aria-hidden="true" />
  const usedBytes = Math.max(0, space.totalBytes - space.freeBytes)
  // Sparse or compressed files can be larger than the used space of the drive.
  const shownSafeBytes = Math.min(safeBytes ?? 0, usedBytes)
  const shares = [
    { className: 'disk-safe', bytes: shownSafeBytes },
    { className: 'disk-other', bytes: usedBytes - shownSafeBytes },
    { className: 'disk-free', bytes: Math.min(space.freeBytes, space.totalBytes) },
  ]
  return (
    <span className="disk-bar" aria-hidden="true">
      {shares
        .filter(({ bytes }) => bytes > 0)
        .map(({ className, bytes }) => (
          <span key={className} className={className} style={{ flexGrow: bytes / space.totalBytes }} />
        ))}
    </span>
  )
}

/** The free space of each recording drive, and when the space runs out. */
export function DiskSpaceCard({ driveSpace, folders, goTo }: Props) {
  // The drive of a missing folder is unknown, so `driveSpace` usually lacks the folder. Users still look for it here.
  const missingFolders = folders.filter(
    ({ path, state }) => state === 'offline' && !driveSpace.some((drive) => drive.folders.includes(path)),
  )
  const hasSafeBytes = driveSpace.some(({ safeBytes }) => safeBytes !== null && safeBytes > 0)
  return (
    <Card
      title="Disk space"
      aside={
        hasSafeBytes && (
          <Button look="quiet" size="small" onPress={() => goTo({ screen: 'recordings', standing: 'safe' })}>
            Show safe recordings
          </Button>
        )
      }
    >
      {driveSpace.length === 0 && missingFolders.length === 0 ? (
        <p className="quiet">Checking the drives…</p>
      ) : (
        <ul className="disk-drives">
          {driveSpace.map((drive) => (
            <li key={drive.name} className="disk-drive">
              <span className="truncate" title={drive.folders.join('\n')}>
                {drive.name}
              </span>
              <span className="disk-free-words">{freeWords(drive)}</span>
              <SpaceBar {...drive} />
              <p className={drive.low ? 'disk-words tone-warn' : 'disk-words quiet'}>
                {drive.low && <Icon name="triangle" size={16} />}
                <span>{noBreakUnits(freeSpaceSentences(drive))}</span>
              </p>
            </li>
          ))}
          {missingFolders.map(({ path }) => (
            <li key={path} className="disk-drive">
              <TruncatedName name={path} />
              <span className="disk-free-words">{folderWords.offline.word}</span>
              <span className="disk-bar" aria-hidden="true" />
              <p className="disk-words quiet">{missingFolderSentence}</p>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
