import { useState } from 'react'
import type { Licence } from '../../../shared/ipc/licences.ts'
import { plural } from '../../../shared/words/format.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { Dialog } from '../../components/Dialog.tsx'
import { LoadingRows } from '../../components/Placeholder.tsx'
import { SearchBox } from '../../components/SearchBox.tsx'
import { ask } from '../../data/ask.ts'
import { useLoad } from '../../data/use-load.ts'

const matchesWords = ({ name, licence }: Licence, words: string): boolean =>
  `${name} ${licence}`.toLowerCase().includes(words.trim().toLowerCase())

/** Renders the text only while the entry is open, because all texts together are very long. */
function LicenceEntry({ licence: { name, version, licence, text } }: { readonly licence: Licence }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <details className="licence" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <span className="licence-line">
            <strong>{name}</strong>
            <span className="quiet number">{version}</span>
            <span>{licence}</span>
          </span>
        </summary>
        {isOpen && (
          <p className="licence-text selectable">
            {text ?? 'The package contains no licence text. Its licence is named above.'}
          </p>
        )}
      </details>
    </li>
  )
}

export function LicencesDialog({ onClose }: { readonly onClose: () => void }) {
  const { data, error } = useLoad('licences', () => ask('getLicences'))
  const [words, setWords] = useState('')
  const matches = data?.filter((licence) => matchesWords(licence, words)) ?? []
  return (
    <Dialog
      isOpen
      isWide
      title="Licences"
      onClose={onClose}
      actions={
        <Button look="primary" onPress={onClose}>
          Close
        </Button>
      }
    >
      <p className="quiet">
        Third-party software in Sluice. The licences of Electron and Chromium are next to the program, in
        LICENSE.electron.txt and LICENSES.chromium.html (on Linux .html.gz, on Windows .html.zip).
      </p>
      <SearchBox
        autoFocus
        label="Search by package or licence"
        placeholder="Package or licence"
        value={words}
        onChange={setWords}
      />
      {error !== null && <Banner tone="bad">{error}</Banner>}
      {data === null && error === null && <LoadingRows rows={6} label="Loading" />}
      {data !== null && (
        <>
          <p role="status" className="quiet small">
            {words.trim() === ''
              ? plural(data.length, 'package')
              : `${matches.length} of ${plural(data.length, 'package')}`}
          </p>
          <ul className="licences">
            {matches.map((licence) => (
              <LicenceEntry key={`${licence.name} ${licence.version}`} licence={licence} />
            ))}
          </ul>
        </>
      )}
    </Dialog>
  )
}
