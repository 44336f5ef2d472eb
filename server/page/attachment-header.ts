/**
 * The `Content-Disposition` of a download. Clients choose file names, so dangerous characters are replaced: those that
 * could end the header, and those that change how a browser shows the name. All modern browsers read `filename*` (RFC
 * 6266), not the ASCII name.
 */
export function attachmentHeader(filename: string): string {
  // Format characters (`Cf`) include those that reverse the text, so that "cod.exe" looks like "exe.doc".
  const visibleName = filename.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu, '_').replace(/^\.+/, '_')
  const asciiName = visibleName.replace(/[^A-Za-z0-9._ -]/g, '_')
  return `attachment; filename="${asciiName}"; filename*=UTF-8''${encodeName(visibleName)}`
}

function encodeName(name: string): string {
  return encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
