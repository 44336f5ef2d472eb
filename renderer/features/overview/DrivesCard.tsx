import type { DriveSafety } from '../../../shared/status/drive-safety.ts'
import { unplugDetail, unplugTitle } from '../../../shared/words/unplug-words.ts'
import { Card } from '../../components/Card.tsx'
import { Icon } from '../../components/Icon.tsx'

/** Shows for each removable drive whether the user can unplug it now, and if not, why. */
export function DrivesCard({ drives }: { readonly drives: readonly DriveSafety[] }) {
  return (
    <Card title="Cards and drives">
      <ul className="drives">
        {drives.map((drive) => (
          <li key={drive.name}>
            <p className={`drive-title tone-${drive.safeToUnplug ? 'good' : 'quiet'}`}>
              <Icon name={drive.safeToUnplug ? 'check-circle' : 'clock'} size={18} />
              <strong>{unplugTitle(drive)}</strong>
            </p>
            <p className="quiet">{unplugDetail(drive)}</p>
          </li>
        ))}
      </ul>
    </Card>
  )
}
