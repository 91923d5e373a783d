/** The part of the package's interface that is used here; it ships no types of its own. */
declare module 'fs-native-extensions' {
  /**
   * Locks a file until `unlock`, or until all copies of its descriptor are closed.
   * @returns false where another file descriptor holds the lock
   */
  export function tryLock(file: number): boolean;
  export function unlock(file: number): void;
}
