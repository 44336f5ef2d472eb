import { use } from 'react'
import {
  Button as AriaButton,
  ButtonContext,
  ComboBox,
  ComboBoxStateContext,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Text,
} from 'react-aria-components'
import { settingNames } from '../../../shared/settings/setting-names.ts'
import { Button } from '../../components/Button.tsx'
import { Icon } from '../../components/Icon.tsx'
import { ask } from '../../data/ask.ts'
import { useSettings } from '../../data/SettingsView.tsx'
import { useLoad } from '../../data/use-load.ts'
import { findSimilarSite, mergeSites } from './known-sites.ts'

type Props = {
  readonly value: string
  readonly onChange: (site: string) => void
  readonly error: string | null
  readonly help: string
  /** The stored site. It gets no warning. */
  readonly storedSite?: string
  readonly autoFocus?: boolean
}

/** Warns about a new site: the service creates it with its first recording (§4.1), and no request can remove it. */
export function SiteField({ value, onChange, error, help, storedSite = '', autoFocus = false }: Props) {
  const { state } = useSettings()
  const journalSites = useLoad('sites', () => ask('getKnownSites'))
  const knownSites = mergeSites(state?.settings.folders ?? [], journalSites.data ?? [])
  const isInvalid = error !== null && error !== ''
  return (
    <ComboBox
      className="field"
      inputValue={value}
      onInputChange={onChange}
      defaultItems={knownSites.map((name) => ({ name }))}
      allowsCustomValue
      isInvalid={isInvalid}
      validationBehavior="aria"
      autoFocus={autoFocus}
    >
      <Label className="field-label">{settingNames['folders.site']}</Label>
      <div className="field-line combo-line">
        <Input className="input" placeholder="For example Hall 3" autoComplete="off" spellCheck="false" />
        {knownSites.length > 0 && <OpenListButton />}
      </div>
      {!isInvalid && (
        <SiteNote
          value={value}
          storedSite={storedSite}
          knownSites={knownSites}
          help={help}
          onChange={onChange}
        />
      )}
      <FieldError className="field-error">{error}</FieldError>
      <Popover className="popover" offset={4}>
        <ListBox className="menu" items={knownSites.map((name) => ({ name }))}>
          {({ name }) => (
            <ListBoxItem id={name} className="menu-item" textValue={name}>
              {name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  )
}

/** Opens the whole list, even if the user has typed something. Keyboard users press an arrow key instead. */
function OpenListButton() {
  const state = use(ComboBoxStateContext)
  return (
    <AriaButton
      slot={null}
      className="combo-open"
      aria-label="Show list"
      excludeFromTabOrder
      preventFocusOnPress
      onPress={() => state?.toggle(null, 'manual')}
    >
      <Icon name="down" size={14} />
    </AriaButton>
  )
}

type NoteProps = {
  readonly value: string
  readonly storedSite: string
  readonly knownSites: readonly string[]
  readonly help: string
  readonly onChange: (site: string) => void
}

/**
 * Warns about a new site, except while the list is open. The warning replaces the help text, so that nothing moves
 * under the pointer.
 */
function SiteNote({ value, storedSite, knownSites, help, onChange }: NoteProps) {
  const isOpen = use(ComboBoxStateContext)?.isOpen ?? false
  const site = value.trim()
  const isNew = site !== '' && site !== storedSite && !knownSites.includes(site) && !isOpen
  const suggestion = isNew ? findSimilarSite(site, knownSites) : null
  return (
    <div role="status" className="site-note">
      <Text slot="description" className={isNew ? 'site-new' : 'field-help'}>
        {!isNew && help}
        {isNew &&
          suggestion === null &&
          `New site “${site}”: check the spelling. A site cannot be renamed later.`}
        {suggestion !== null && `New site “${site}”. Did you mean “${suggestion}”?`}
      </Text>
      {suggestion !== null && (
        // Without this, the combo box would treat the button as the one that opens its list.
        <ButtonContext value={null}>
          <Button size="small" onPress={() => onChange(suggestion)}>
            Use “{suggestion}”
          </Button>
        </ButtonContext>
      )}
    </div>
  )
}
