/** A `Storage` that holds its values in memory. */
export function memoryStorage(values: Iterable<[string, string]> = []): Storage {
  const map = new Map(values);
  return {
    get length() {
      return map.size;
    },
    key: (at) => [...map.keys()][at] ?? null,
    getItem: (name) => map.get(name) ?? null,
    setItem: (name, value) => void map.set(name, value),
    removeItem: (name) => void map.delete(name),
    clear: () => map.clear(),
  };
}
