/**
 * Returns the section of a released version without its heading, or null. The heading of a released version has a date.
 * For `release-notes --draft`, the version is null: this selects the first section, with or without a date.
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
