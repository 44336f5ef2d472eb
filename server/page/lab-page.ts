import type { LabPage } from '../control/lab-page.ts'
import { answerDownload } from './answer-download.ts'
import { answerPageFile, loadPageFiles } from './page-files.ts'
import { pageRoutes } from './page-routes.ts'

const downloadPath = /^\/page\/downloads\/[^/]+$/

/** Returns null if the folder does not contain the built page. */
export async function openLabPage(folder: string): Promise<LabPage | null> {
  const files = await loadPageFiles(folder)
  if (files === null) return null
  return {
    routes: pageRoutes,
    answer(context, request, response) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const [path = ''] = (request.url ?? '').split('?')
      if (answerPageFile(files, path, request, response)) return true
      // The control API answers all other paths, and refuses foreign callers.
      if (!downloadPath.test(path) || context.refuseCaller(request) !== null) return false
      void answerDownload(context, request, response)
      return true
    },
  }
}
