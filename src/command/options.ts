import { CommandError } from './command-error.ts';

/** Returns the value of an option that is one of a list. @throws CommandError that names the list */
export function oneOf<T extends string>(option: string, text: string, allowed: readonly T[]): T {
  const value = allowed.find((one) => one === text);
  if (value !== undefined) return value;
  throw new CommandError(`--${option}: expected one of ${allowed.join(', ')}, got ${text}`);
}
