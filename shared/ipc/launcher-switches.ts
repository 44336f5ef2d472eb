/**
 * The switches that the launchers of a package (`assets/bin`) put before a command. A command opens no page, so it
 * needs no Chromium sandbox, which cannot start as root. `--log-level=3` hides warnings about a missing D-Bus. `--`
 * hides the following arguments from Electron, which exits at once on Windows if an argument follows a URL. Windows
 * needs no other switch.
 */
export const LAUNCHER_SWITCHES: readonly string[] = ['--no-sandbox', '--no-zygote', '--log-level=3', '--']
