/** `two-voices-results.json` of a plan named “Two voices”. */
export function fileName(planName: string, what: string, extension: string): string {
  const plain = planName
    .normalize('NFKD')
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .toLowerCase();
  return `${plain === '' ? 'benchmark' : plain}-${what}.${extension}`;
}
