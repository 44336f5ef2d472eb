/**
 * What the launchers of a package put before a command (`assets/bin`). There is no page whose sandbox could be missed;
 * and what stands behind `--` is nobody's switch: Electron on Windows ends at once where anything follows an address.
 */
export const LAUNCHER_SWITCHES: readonly string[] = ['--no-sandbox', '--no-zygote', '--log-level=3', '--']
