/** Hands the user a file that was made on the page. */
export function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser has taken hold of it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** `two-voices-results.json` of a plan named “Two voices”. */
export function fileName(planName: string, what: string, extension: string): string {
  const plain = planName
    .normalize('NFKD')
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase();
  return `${plain === '' ? 'benchmark' : plain}-${what}.${extension}`;
}
