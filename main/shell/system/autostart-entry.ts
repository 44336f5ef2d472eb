/**
 * Quoted as the desktop entry specification asks for an argument of Exec: inside double quotes, four signs escaped, and
 * a percent sign doubled.
 */
const quoted = (argument: string): string => `"${argument.replace(/[\\"`$]/g, '\\$&').replaceAll('%', '%%')}"`

/** A value of type string is read before its quotes are: every backslash of these is doubled once more. */
const stringValue = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')

export const autostartEntry = (command: readonly string[]): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Sluice',
    'Comment=Uploads recordings in the background',
    `Exec=${stringValue(command.map(quoted).join(' '))}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
