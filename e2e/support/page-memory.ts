interface MeasuredMemory {
  bytes: number;
  breakdown: { bytes: number; attribution: { scope: string }[] }[];
}

/**
 * Memory of the page with its workers, and of the page alone, after a collection. Runs in a page that is cross-origin
 * isolated, in a Chromium with {@link EAGER_MEMORY}.
 */
export async function usedMemory(): Promise<{ allBytes: number; pageBytes: number }> {
  const measured = performance as Performance & { measureUserAgentSpecificMemory(): Promise<MeasuredMemory> };
  const { bytes, breakdown } = await measured.measureUserAgentSpecificMemory();
  const ofPage = breakdown.filter(({ attribution }) => attribution.some(({ scope }) => scope === 'Window'));
  return { allBytes: bytes, pageBytes: ofPage.reduce((sum, part) => sum + part.bytes, 0) };
}

/** Reports the memory of page and workers at once instead of after the next collection. */
export const EAGER_MEMORY = '--enable-blink-features=ForceEagerMeasureMemory';
