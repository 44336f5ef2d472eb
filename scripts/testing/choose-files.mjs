import { readdirSync } from 'node:fs'
import path from 'node:path'

/**
 * @typedef {object} Choice
 * @property {readonly string[]} projects
 * @property {readonly string[] | null} files relative to the repository, with slashes; null means every file
 */

/**
 * Resolves the arguments of `npm test --`: project names, file paths and parts of file paths, in any order. Searches
 * for a file in the named projects, then in the default projects, then in the others. If a named project contains a
 * named file, only the named files of this project run.
 *
 * @param {readonly string[]} selection
 * @param {{ defaultProjects: readonly string[], onDemandProjects: readonly string[], root: string, cwd: string }} where
 * @returns {Choice | { unknown: string }}
 */
export const chooseFiles = (selection, { defaultProjects, onDemandProjects, root, cwd }) => {
  const allProjects = [...defaultProjects, ...onDemandProjects]
  const namedProjects = allProjects.filter((project) => selection.includes(project))
  const fileTexts = selection.filter((text) => !allProjects.includes(text))
  if (fileTexts.length === 0)
    return { projects: namedProjects.length === 0 ? defaultProjects : namedProjects, files: null }

  const filesOf = (/** @type {readonly string[]} */ projects) =>
    projects.flatMap((project) => testFiles(root, project))
  /** @type {string[]} */
  const foundFiles = []
  for (const text of fileTexts) {
    const chosen = pathParts(text, { root, cwd })
      .flatMap((part) =>
        [namedProjects, defaultProjects, onDemandProjects].map((projects) => ({ part, projects })),
      )
      .map(({ part, projects }) => filesOf(projects).filter((file) => matches(file, part)))
      .find((files) => files.length > 0)
    if (chosen === undefined) return { unknown: text }
    foundFiles.push(...chosen)
  }
  const wholeProjects = namedProjects.filter(
    (project) => !foundFiles.some((file) => projectOf(file) === project),
  )
  const files = [...new Set([...filesOf(wholeProjects), ...foundFiles])]
  return {
    projects: allProjects.filter((project) => files.some((file) => projectOf(file) === project)),
    files,
  }
}

/**
 * What to search for in the paths of the test files: first the text as a path from the caller's folder, then the text
 * itself.
 *
 * @param {string} text
 * @param {{ root: string, cwd: string }} where
 */
const pathParts = (text, { root, cwd }) =>
  [path.relative(root, path.resolve(cwd, text)), text].map((part) => part.replaceAll('\\', '/'))

/** `unit/slots` also matches a file `slots…` anywhere below test/unit. @param {string} file @param {string} part */
const matches = (file, part) => {
  const [project = '', ...rest] = part.replace(/^test\//, '').split('/')
  const isBelow = rest.length > 0 && projectOf(file) === project && file.includes(`/${rest.join('/')}`)
  return file.includes(part) || isBelow
}

const projectOf = (/** @type {string} */ file) => file.split('/')[1]

/** @param {string} root @param {string} project */
const testFiles = (root, project) =>
  readdirSync(path.join(root, 'test', project), { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${project}/${name.replaceAll('\\', '/')}`)
    .filter((file) => /\.test\.tsx?$/.test(file))
    .sort()
