/** Gives a text to the user as a file. Call it in the handler of a gesture. */
export function saveText(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has the blob by then.
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
