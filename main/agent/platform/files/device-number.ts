/** Splits a device number as Linux packs it into `st_dev`. */
export const majorMinorOf = (device: string): { readonly major: bigint; readonly minor: bigint } => {
  const number = BigInt(device)
  return {
    major: ((number >> 8n) & 0xfffn) | ((number >> 32n) & 0xfffff000n),
    minor: (number & 0xffn) | ((number >> 12n) & 0xffffff00n),
  }
}
