/**
 * Options of `unshare` for a mount namespace and a process namespace. When these namespaces end, all mounts and
 * processes in them end too, so a kill leaves nothing to clean up.
 */
export const NAMESPACE_OPTIONS = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--']
