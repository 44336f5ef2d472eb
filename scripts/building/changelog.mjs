/**
 * Returns the section of a version without its heading. Returns null if there is no section, or if its heading has no
 * date, which means that the version is not released. `release-notes --draft` passes null as the version. Null selects
 * the first section, with or without a date.
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
