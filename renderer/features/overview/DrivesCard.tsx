import type { DriveSafety } from '../../../shared/status/status.ts'
import { unplugDetail, unplugTitle } from '../../../shared/words/unplug-words.ts'
import { Card } from '../../components/Card.tsx'
import { Icon } from '../../components/Icon.tsx'

/** Windows does not show which drives are removable: every letter but the system's can be a card. */
const CARD_LETTER = /^(?!c)[a-z]:\\?$/i

/** A built-in disk is never unplugged, so it is not listed. */
export const mayBeUnplugged = ({ name, removable }: DriveSafety): boolean =>
  removable || CARD_LETTER.test(name)

/** Cards and sticks that can be unplugged, or why not yet. */
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
