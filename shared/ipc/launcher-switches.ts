/**
 * The switches that a package's launchers (`assets/bin`) put before a command. The launcher for Windows puts only `--`.
 * A command opens no page, so it needs no Chromium sandbox. The `--` hides the following arguments from Electron: on
 * Windows, Electron exits at once if an argument follows a URL.
 */
export const LAUNCHER_SWITCHES: readonly string[] = ['--no-sandbox', '--no-zygote', '--log-level=3', '--']
