/** Arguments of one call. Engines accept some ten thousands. */
const CODES_AT_ONCE = 8192;

/** Returns the text of UTF-16 codes, or of Latin-1 bytes. */
export function textOfCodes(codes: Uint8Array | Uint16Array): string {
  let text = '';
  for (let at = 0; at < codes.length; at += CODES_AT_ONCE) {
    // A spread would read them one by one.
    text += Reflect.apply(String.fromCharCode, null, codes.subarray(at, at + CODES_AT_ONCE));
  }
  return text;
}
