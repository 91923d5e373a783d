/** Makes a key the newest of a map and evicts the oldest beyond `max` keys, because sessions have no end. */
export function remember<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
