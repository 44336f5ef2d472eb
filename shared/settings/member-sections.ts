/**
 * The sections that members of `control.group` may change: speed, upload hours and the words of the window. Every other
 * section is for the owner, also one of a later version.
 */
const memberSections: ReadonlySet<string> = new Set(['transfer', 'app', '$schema'])

/** Whether a member may change this setting, such as "transfer.parallel_parts". */
export const mayMemberChange = (path: string): boolean => memberSections.has(path.split('.', 1)[0] ?? '')
