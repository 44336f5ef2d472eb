import { useState } from 'react'
import type { z } from 'zod'
import type { DraftSettings, SettingsInput } from '../../shared/settings/settings.ts'
import { asSentence } from '../../shared/words/issue-sentence.ts'
import { issuesByPath } from './field-issues.ts'
import { useNotices } from './Notices.tsx'
import { useSettings } from './SettingsView.tsx'
import { sentenceOf } from './shown-error.ts'

type Options<Draft> = {
  /** The stored values as field text. */
  readonly stored: Draft
  readonly schema: z.ZodType
  /** Converts field text to the value that the schema checks. */
  readonly read: (draft: Draft) => unknown
  /** The path of this section in the settings. */
  readonly section: string
  readonly put: (settings: DraftSettings, value: unknown) => SettingsInput
  /** A dialog loses its draft when it closes. */
  readonly isDialog?: boolean
}

/**
 * A form for one section of the settings. Keeps the input, even if it is invalid, until the user saves or discards it.
 */
export const useForm = <Draft>(options: Options<Draft>) => {
  const { stored, schema, read, section, put, isDialog = false } = options
  const { save, drafts } = useSettings()
  const { showSuccess } = useNotices()
  const [editedDraft, setEditedDraft] = useState<Draft | null>(
    () => (drafts.get(section) ?? null) as Draft | null,
  )
  const [refusals, setRefusals] = useState<ReadonlyMap<string, string>>(new Map())
  const [failure, setFailure] = useState<string | null>(null)
  const [isSaving, setIsSaving] = useState(false)
  const draft = editedDraft ?? stored
  const issues = issuesByPath(schema, read(draft))
  const isDirty = editedDraft !== null && JSON.stringify(editedDraft) !== JSON.stringify(stored)

  const changeDraft = (next: Draft | null) => {
    setEditedDraft(next)
    if (next === null) drafts.delete(section)
    else if (!isDialog) drafts.set(section, next)
  }
  const change = (part: Partial<Draft>) => {
    changeDraft({ ...draft, ...part })
    setRefusals(new Map())
  }
  const discard = () => {
    changeDraft(null)
    setRefusals(new Map())
    setFailure(null)
  }
  const submit = async (): Promise<boolean> => {
    const submittedDraft = editedDraft
    setIsSaving(true)
    setFailure(null)
    try {
      const result = await save((settings) => put(settings, read(draft)))
      if (result.ok) {
        // Keeps what the user typed during the save.
        setEditedDraft((current) => (current === submittedDraft ? null : current))
        if (drafts.get(section) === submittedDraft) drafts.delete(section)
        showSuccess('Saved.')
        return true
      }
      const ownIssues = result.issues.filter(({ path }) => path.startsWith(`${section}.`))
      const [otherIssue] = result.issues.filter((issue) => !ownIssues.includes(issue))
      setRefusals(
        new Map(ownIssues.map(({ path, message }) => [path.slice(section.length + 1), asSentence(message)])),
      )
      setFailure(otherIssue === undefined ? 'Some fields need correcting.' : asSentence(otherIssue.message))
    } catch (reason) {
      setFailure(sentenceOf(reason))
    } finally {
      setIsSaving(false)
    }
    return false
  }

  return {
    draft,
    change,
    isDirty,
    isSaving,
    failure,
    isValid: issues.size === 0,
    errorAt: (path: string) => issues.get(path) ?? refusals.get(path) ?? null,
    discard,
    submit,
  }
}
