/**
 * Options of `unshare` for a mount namespace and a process namespace. All mounts and processes end with their
 * namespace, so a kill leaves nothing to clean up.
 */
export const NAMESPACE_OPTIONS = ['--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--']
