import type { Page } from 'playwright-core'

/** Drags real files over the page, because page code cannot simulate files with a path. Returns the drop. */
export const dragOver = async (page: Page, paths: readonly string[]): Promise<() => Promise<void>> => {
  const session = await page.context().newCDPSession(page)
  const send = async (type: 'dragEnter' | 'dragOver' | 'drop'): Promise<void> => {
    await session.send('Input.dispatchDragEvent', {
      type,
      x: 300,
      y: 200,
      data: { items: [], files: [...paths], dragOperationsMask: 1 },
    })
  }
  await send('dragEnter')
  await send('dragOver')
  return () => send('drop')
}

export const drop = async (page: Page, paths: readonly string[]): Promise<void> =>
  (await dragOver(page, paths))()
