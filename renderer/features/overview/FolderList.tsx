import type { Nights } from '../../../shared/status/night-figures.ts'
import type { FolderStatus } from '../../../shared/status/status.ts'
import { formatCount, plural } from '../../../shared/words/format.ts'
import { Button } from '../../components/Button.tsx'
import { Card } from '../../components/Card.tsx'
import { SevenNights } from '../../components/SevenNights.tsx'
import { FolderMark } from '../../components/StateMark.tsx'
import { TruncatedName } from '../../components/TruncatedName.tsx'
import type { Place } from '../../navigation.ts'

type Props = {
  readonly folders: readonly FolderStatus[]
  readonly nights: Nights | null
  readonly goTo: (place: Place) => void
}

export function FolderList({ folders, nights, goTo }: Props) {
  return (
    <Card
      title="Folders"
      aside={
        <Button look="quiet" size="small" onPress={() => goTo({ screen: 'folders' })}>
          Manage
        </Button>
      }
    >
      {folders.length === 0 ? (
        <p className="quiet">No folder is watched, so nothing is uploaded. Add one under Folders.</p>
      ) : (
        <ul className="folder-lines">
          {folders.map((folder) => (
            <li key={folder.path} className="folder-line">
              <TruncatedName name={folder.path} />
              <FolderMark folder={folder} />
              <span className="quiet small">
                {folder.problem === null
                  ? `${plural(folder.recordings, 'recording')}${folder.waiting > 0 ? `, ${formatCount(folder.waiting)} to upload` : ''}`
                  : folder.problem.sentence}
              </span>
              {nights === null ? (
                <span className="seven" />
              ) : (
                <SevenNights nights={nights.folders.find(({ path }) => path === folder.path)?.nights ?? []} />
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}
