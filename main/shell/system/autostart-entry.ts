/** Quotes an argument of Exec by the desktop entry specification: double quotes, four characters escaped, `%` doubled. */
const quoted = (argument: string): string => `"${argument.replace(/[\\"`$]/g, '\\$&').replaceAll('%', '%%')}"`

/** A desktop unescapes the string value before it reads the quotes, so every backslash is doubled once more. */
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
