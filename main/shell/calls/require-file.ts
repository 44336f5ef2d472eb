import { access } from 'node:fs/promises'
import { Refused } from './answer-call.ts'

/** File managers say nothing about a file that is gone: they open no window, or one without it. */
export const stillThere = async (file: string): Promise<string> => {
  try {
    await access(file)
    return file
  } catch {
    throw new Refused(`The file is no longer at ${file}.`)
  }
}
