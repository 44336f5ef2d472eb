import { settingNames } from '../../../shared/settings/setting-names.ts'
import { formatBytes, plural } from '../../../shared/words/format.ts'
import { asSentence } from '../../../shared/words/issue-sentence.ts'
import { Banner } from '../../components/Banner.tsx'
import { Button } from '../../components/Button.tsx'
import { TextField } from '../../components/Fields.tsx'
import { ask } from '../../data/ask.ts'
import { useNotices } from '../../data/Notices.tsx'
import type { FolderCheck } from './use-folder-check.ts'

type Props = {
  readonly value: string
  readonly onChange: (path: string) => void
  readonly check: FolderCheck
  /** An error of the form. Replaces the result of the agent's check. */
  readonly error?: string | null
  readonly autoFocus?: boolean
}

const refusalSentence = (check: FolderCheck): string | null => {
  if (check.phase === 'not-checked') return check.sentence
  return check.phase === 'answered' && !check.verdict.ok ? asSentence(check.verdict.reason) : null
}

function FolderContents({ check }: { readonly check: FolderCheck }) {
  if (check.phase === 'checking') return <Banner tone="busy">Checking the folder…</Banner>
  if (check.phase !== 'answered' || !check.verdict.ok) return null
  const { files, bytes, warning } = check.verdict
  const words =
    files === 0
      ? 'Folder OK. It is empty.'
      : `Folder OK. It has ${plural(files, 'file')} (${formatBytes(bytes)}).`
  return (
    <>
      <Banner tone="quiet">{words}</Banner>
      {warning !== null && <Banner tone="warn">{asSentence(warning)}</Banner>}
    </>
  )
}

export function FolderField({ value, onChange, check, error = null, autoFocus = false }: Props) {
  const { showError } = useNotices()
  const pick = async () => {
    try {
      const path = await ask('pickFolder')
      if (path !== null) onChange(path)
    } catch (reason) {
      showError(reason)
    }
  }
  return (
    <>
      <TextField
        label={settingNames['folders.path']}
        value={value}
        onChange={onChange}
        autoFocus={autoFocus}
        help="Where the recorder writes its files."
        error={error ?? refusalSentence(check)}
        action={<Button onPress={() => void pick()}>Choose…</Button>}
      />
      <div role="status" className="stack">
        <FolderContents check={check} />
      </div>
    </>
  )
}
