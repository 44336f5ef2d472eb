import { useState } from 'react'
import type { z } from 'zod'
import type { DraftSettings, SettingsInput } from '../../shared/settings/settings.ts'
import { asSentence } from '../../shared/words/issue-sentence.ts'
import { sentenceOf } from './ask.ts'
import { issuesByPath } from './field-issues.ts'
import { useNotices } from './Notices.tsx'
import { useSettings } from './SettingsView.tsx'

type Options<Draft> = {
  /** The stored values as field text. */
  readonly stored: Draft
  readonly schema: z.ZodType
  /** Converts field text to the value that the schema checks. */
  readonly read: (draft: Draft) => unknown
  /** The section in the settings. Error paths from the main process start with it. */
  readonly section: string
  readonly put: (settings: DraftSettings, value: unknown) => SettingsInput
  /** A dialog drops its draft when it closes. */
  readonly isDialog?: boolean
}

/** A form for one section of the settings. Input stays, valid or not, until saved or discarded. */
export const useForm = <Draft>(options: Options<Draft>) => {
  const { stored, schema, read, section, put, isDialog = false } = options
  const { save, drafts } = useSettings()
  const { done } = useNotices()
  const [edited, setDraft] = useState<Draft | null>(() => (drafts.get(section) ?? null) as Draft | null)
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map())
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const draft = edited ?? stored
  const issues = issuesByPath(schema, read(draft))
  const dirty = edited !== null && JSON.stringify(edited) !== JSON.stringify(stored)

  const setEdited = (next: Draft | null) => {
    setDraft(next)
    if (next === null) drafts.delete(section)
    else if (!isDialog) drafts.set(section, next)
  }
  const change = (part: Partial<Draft>) => {
    setEdited({ ...draft, ...part })
    setRefused(new Map())
  }
  const discard = () => {
    setEdited(null)
    setRefused(new Map())
    setFailure(null)
  }
  const submit = async (): Promise<boolean> => {
    setBusy(true)
    setFailure(null)
    try {
      const result = await save((settings) => put(settings, read(draft)))
      if (result.ok) {
        setEdited(null)
        done('Saved.')
        return true
      }
      const own = result.issues.filter(({ path }) => path.startsWith(`${section}.`))
      const [foreign] = result.issues.filter((issue) => !own.includes(issue))
      setRefused(
        new Map(own.map(({ path, message }) => [path.slice(section.length + 1), asSentence(message)])),
      )
      setFailure(foreign === undefined ? 'Some fields need correcting.' : asSentence(foreign.message))
    } catch (reason) {
      setFailure(sentenceOf(reason))
    } finally {
      setBusy(false)
    }
    return false
  }

  return {
    draft,
    change,
    dirty,
    busy,
    failure,
    valid: issues.size === 0,
    errorAt: (path: string) => issues.get(path) ?? refused.get(path) ?? null,
    discard,
    submit,
  }
}
