/** The desktop entry specification requires double quotes, escapes for four characters, and a doubled `%`. */
const quoteArgument = (argument: string): string =>
  `"${argument.replace(/[\\"`$]/g, '\\$&').replaceAll('%', '%%')}"`

/** Doubles every backslash, because a desktop unescapes the value before it reads the quotes. */
const escapeValue = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')

export const autostartEntry = (command: readonly string[]): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Sluice',
    'Comment=Uploads recordings in the background',
    `Exec=${escapeValue(command.map(quoteArgument).join(' '))}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n')
