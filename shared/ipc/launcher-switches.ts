/**
 * The switches that a package's launchers (`assets/bin`) put before a command. A command opens no page, so it needs no
 * Chromium sandbox, which cannot start as root. `--log-level=3` hides Chromium's warnings about a missing D-Bus.
 * Windows has neither root nor D-Bus, so its launcher puts only `--`. The `--` hides the following arguments from
 * Electron: on Windows, Electron exits at once if an argument follows a URL.
 */
export const LAUNCHER_SWITCHES: readonly string[] = ['--no-sandbox', '--no-zygote', '--log-level=3', '--']
