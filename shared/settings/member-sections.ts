/**
 * The sections that members of `control.group` may change: `transfer` (speed and upload hours) and `app`. They may also
 * change the `$schema` line. Only the agent's account or an administrator may change the other sections, including
 * sections that later versions add.
 */
const memberSections: ReadonlySet<string> = new Set(['transfer', 'app', '$schema'])

/** Whether a member may change this setting, such as "transfer.parallel_parts". */
export const mayMemberChange = (path: string): boolean => memberSections.has(path.split('.', 1)[0] ?? '')
