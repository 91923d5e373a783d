/** The browser reads the file when it has asked the person where to put it; that takes no longer than this. */
const KEPT_MS = 60_000;

/** Hands a file to the browser, as a download. Call it in the handler of a gesture. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** The same for a text, in UTF-8. */
export const saveText = (text: string, name: string, type: string): void =>
  saveFile(new Blob([text], { type: `${type};charset=utf-8` }), name);
