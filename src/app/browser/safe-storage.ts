/** The part of a browser's storage that is used. */
export type TextStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * A storage that never throws: a browser may refuse access to it, or have no room left. What cannot be kept is then
 * simply not there after a reload.
 */
export function safeStorage(open: () => TextStorage): TextStorage {
  const attempt = <T>(use: (storage: TextStorage) => T, otherwise: T): T => {
    try {
      return use(open());
    } catch {
      return otherwise;
    }
  };
  return {
    getItem: (name) => attempt((storage) => storage.getItem(name), null),
    setItem: (name, value) => attempt((storage) => storage.setItem(name, value), undefined),
    removeItem: (name) => attempt((storage) => storage.removeItem(name), undefined),
  };
}
