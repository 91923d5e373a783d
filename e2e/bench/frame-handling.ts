import { withBenchPage } from './browser-page.ts';
import { printTable, times, us } from './table.ts';

/** Time of an audio frame of 20 ms in a Chromium worker: our path beside the usual one. */
export async function benchFrameHandling(): Promise<void> {
  const figures = await withBenchPage((page) => page.evaluate(() => window.measureFrameHandling()));
  const usual = figures[0]?.medianUs ?? Number.NaN;
  printTable(
    'Worker: one audio frame of 20 ms, from message text to queued samples',
    'In a Chromium worker, paths in turn, 500 frames a round, 50 rounds after warming up.',
    figures.map(({ path, medianUs, p95Us, bytesPerSecond }) => ({
      path,
      'bytes per s of audio': Math.round(bytesPerSecond).toLocaleString('en'),
      median: us(medianUs),
      p95: us(p95Us),
      'of the first row': times(medianUs / usual),
    })),
  );
}
