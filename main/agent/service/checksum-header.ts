/**
 * §4.2: the header is `x-<storage>-checksum-sha256`. If the URL names the signed headers, it overrides the setting,
 * because any other header would break the signature.
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
