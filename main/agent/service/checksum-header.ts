/**
 * §4.2: the header is `x-<storage>-checksum-sha256`. A storage that signs its headers names them in the URL, and any
 * other name would break the signature. So the URL overrides the setting.
 */
export const checksumHeaderFor = (url: URL, setting: string): string => {
  for (const [name, value] of url.searchParams) {
    if (!/SignedHeaders$/i.test(name)) continue
    const signedHeader = value
      .split(/[;,\s]+/)
      .find((header) => /checksum-sha256$/i.test(header) && /^[a-z0-9-]+$/i.test(header))
    if (signedHeader !== undefined) return signedHeader.toLowerCase()
  }
  return setting.toLowerCase()
}
