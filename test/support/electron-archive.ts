const padded = (text: string) => text.padEnd(Math.ceil(text.length / 4) * 4, '\0')

/** An archive in Electron's format (.asar) that contains the file `inside.mcap`. */
export const electronArchive = (): Buffer => {
  const header = JSON.stringify({ files: { 'inside.mcap': { size: 5, offset: '0' } } })
  const text = Buffer.from(padded(header))
  const sizes = Buffer.alloc(16)
  for (const [index, size] of [4, text.length + 8, text.length + 4, header.length].entries())
    sizes.writeUInt32LE(size, index * 4)
  return Buffer.concat([sizes, text, Buffer.from('bytes')])
}
