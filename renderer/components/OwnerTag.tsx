import { type Owner, ownerWords } from '../../shared/words/words.ts'
import { Icon, type IconName } from './Icon.tsx'

const icons: Readonly<Record<Owner, IconName>> = {
  technician: 'person',
  admin: 'general',
  service: 'support',
  nobody: 'clock',
}

/** Shows who has to act. Only the tag "For you" has a solid background, because the user must see it first. */
export function OwnerTag({ owner }: { readonly owner: Owner }) {
  return (
    <span className={`owner owner-${owner}`}>
      <Icon name={icons[owner]} size={12} />
      {ownerWords[owner].label}
    </span>
  )
}
