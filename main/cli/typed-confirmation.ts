import { createInterface } from 'node:readline'

/** Returns null if the input ends before a line was entered. */
const readInputLine = async (): Promise<string | null> => {
  const lines = createInterface({ input: process.stdin })
  try {
    for await (const line of lines) return line.trim()
    return null
  } finally {
    lines.close()
    process.stdin.unref?.()
  }
}

/** Asks the user to type a word before a step that cannot be undone. Returns whether the user typed it. */
export const confirmByTyping = async (word: string, question: string): Promise<boolean> => {
  process.stderr.write(question)
  const answer = await readInputLine()
  if (!process.stdin.isTTY) process.stderr.write('\n')
  return answer === word
}
