/** Returns a whole number of a command line. @throws Error that names the option and its range */
export function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^-?\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`--${option}: expected a whole number from ${min} to ${max}, got ${text}`);
}
