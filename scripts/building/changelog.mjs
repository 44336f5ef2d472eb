/**
 * Returns the section of a version without its heading, or null. A section without a date is unreleased. Null as the version
 * means the first section, for a dry run.
 *
 * @param {string} changelog
 * @param {string | null} version
 * @returns {string | null}
 */
export const changelogSection = (changelog, version) => {
  const sections = changelog.split(/^## /m).slice(1)
  const section =
    version === null
      ? sections[0]
      : sections.find(
          (each) => each.startsWith(`[${version}] - `) && /^\[[^\]]+\] - \d{4}-\d\d-\d\d\n/.test(each),
        )
  return section === undefined ? null : `${section.slice(section.indexOf('\n')).trim()}\n`
}
