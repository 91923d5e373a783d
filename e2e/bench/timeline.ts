import { withBenchPage } from './browser-page.ts';
import { ms, printTable, times } from './table.ts';

const ROUNDS = 120;

/** The cost of a picture of the timeline for sessions of very different lengths, side by side in one run. */
export async function benchTimeline(): Promise<void> {
  const figures = await withBenchPage(async (page) => {
    await page.setViewportSize({ width: 1440, height: 900 });
    return page.evaluate((rounds) => window.measureTimeline(rounds), ROUNDS);
  });
  const one = (view: string) =>
    figures.find((row) => row.turns === 1 && row.view === view)?.medianMs ?? Number.NaN;
  printTable(
    'Timeline: one picture of the lanes and the minimap',
    'In Chromium, 1100 × 240 px, until the pixels are there; sessions in turn, moved before each picture.',
    figures.map(({ turns, view, medianMs, p95Ms, longestFrameMs }) => ({
      turns: turns.toLocaleString('en'),
      view,
      median: ms(medianMs),
      p95: ms(p95Ms),
      'of one turn': times(medianMs / one(view)),
      'longest frame while moving': ms(longestFrameMs),
    })),
  );
}
