/**
 * The sections that members of `control.group` may change: `transfer` (speed and upload hours), `app` and `$schema`.
 * All others, even new ones, are for the agent's account and administrators.
 */
const memberSections: ReadonlySet<string> = new Set(['transfer', 'app', '$schema'])

/** Whether a member may change this setting, such as "transfer.parallel_parts". */
export const mayMemberChange = (path: string): boolean => memberSections.has(path.split('.', 1)[0] ?? '')
