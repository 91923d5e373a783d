/** Keeps the URL valid, because the browser reads the file after its save dialog. */
const KEPT_MS = 60_000;

/** Downloads a file. Call it in the handler of a gesture. */
export function saveFile(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** Returns a name as a part of a file's: `my-demo` for “My demo”. @param otherwise for a name without letters */
export function plainFileName(name: string, otherwise: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();
  return plain === '' ? otherwise : plain;
}

export const saveText = (text: string, name: string, type: string): void =>
  saveFile(new Blob([text], { type: `${type};charset=utf-8` }), name);
