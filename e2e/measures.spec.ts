import type { Page } from '@playwright/test';
import { type Arranged, startDelayingServer } from './support/delaying-server.ts';
import { expect, heardToEnd, speakText, test, withStored } from './support/page.ts';
import { savedAs } from './support/stored.ts';

const ARRANGED: Arranged = {
  startedMs: 320,
  firstAudioMs: 400,
  // Later than heard, by less than the player allows for: it starts with the second frame in every turn.
  secondAudioMs: 120,
  leadingSilenceMs: 60,
  audioMs: 600,
};

/**
 * A figure and the recording each read the clock for the same frame, and a busy machine may halt the thread between. A
 * third of the waits for frames, so that a figure of another frame is found.
 */
const READINGS_MS = 100;

const TITLES = {
  server: 'Server',
  firstAudioFrame: 'First audio',
  decode: 'Decoded',
  output: 'Output',
  startFloor: 'Prebuffer',
  inTurn: 'Its turn',
  firstSample: 'First sample',
  leadingSilence: 'Silence',
} as const;
type Part = keyof typeof TITLES;

/** The strip as it is displayed: the whole, and each of its parts in ms. */
async function displayed(page: Page): Promise<{ wholeMs: number; parts: Partial<Record<Part, number>> }> {
  const strip = page.getByRole('region', { name: 'Wait' });
  const part = strip.locator('dl > div').filter({ hasText: / ms$/ });
  // The turn is over, but this panel follows up to a second later.
  await expect(part.first()).toBeVisible();
  const [whole] = await strip.getByRole('paragraph').allTextContents();
  const texts = await part.allTextContents();
  const parts = Object.entries(TITLES).flatMap(([name, title]) => {
    const text = texts.find((text) => text.startsWith(title));
    return text === undefined ? [] : [[name, msOf(text.slice(title.length))]];
  });
  return { wholeMs: msOf(whole), parts: Object.fromEntries(parts) };
}

function msOf(text: string | undefined): number {
  expect(text).toMatch(/^\d+ ms$/);
  return Number.parseInt(text ?? '', 10);
}

/** When the recorder saw the frames of the first turn, and when its first sample was heard, in ms. */
async function recordedTimes(page: Page) {
  await page.getByRole('tab', { name: /^Frames/ }).click();
  const recording = await savedAs(page, 'Recording');
  const entries = recording.split('\n').flatMap((line): { atUs: number; kind: string; text: string }[] => {
    const entry = line === '' ? {} : JSON.parse(line);
    return entry.turn === 1 ? [entry] : [];
  });
  const timesOf = (kind: string) => entries.flatMap((each) => (each.kind === kind ? [each.atUs / 1000] : []));
  const [textMs = Number.NaN] = timesOf('say');
  const [startedMs = textMs] = timesOf('chunkStarted');
  const heard = JSON.parse(entries.find(({ kind }) => kind === 'heard')?.text ?? '{}') as {
    spans: { atUs: number }[];
  };
  return {
    textMs,
    startedMs,
    audioMs: timesOf('audio'),
    heardMs: (heard.spans[0]?.atUs ?? Number.NaN) / 1000,
  };
}

const part = (parts: Partial<Record<Part, number>>, ...names: Part[]): number =>
  names.reduce((sum, name) => sum + (parts[name] ?? 0), 0);

test('the wait on the page is that of its frames and sound, part by part', async ({ page }) => {
  const servers = {
    'kugel-stream': await startDelayingServer('kugel-stream', ARRANGED),
    murmr: await startDelayingServer('murmr', ARRANGED),
  };
  await withStored(page, {
    servers: { 'kugel-stream': 'custom', murmr: 'custom' },
    customBases: { 'kugel-stream': servers['kugel-stream'].base, murmr: servers.murmr.base },
  });
  for (const [endpoint, server] of Object.entries(servers))
    await test.step(endpoint, async () => {
      await page.goto(`/?endpoint=${endpoint}`);
      // The panel of the exports is chosen behind the first endpoint.
      await page.getByRole('tab', { name: 'Chunks' }).click();
      await speakText(page, 'A tone.');
      await heardToEnd(page);
      // On the audio clock, which no busy machine shifts. The panel may show an earlier state of the turn before.
      const silence = async () => (await displayed(page)).parts.leadingSilence;
      await expect.poll(silence).toBe(ARRANGED.leadingSilenceMs);
      const { wholeMs, parts } = await displayed(page);
      expect(Object.values(parts).reduce((sum, ms) => sum + ms, 0)).toBe(wholeMs);

      const { textMs, startedMs, audioMs, heardMs } = await recordedTimes(page);
      const [firstMs = Number.NaN, secondMs = Number.NaN] = audioMs;
      expect(Math.abs(part(parts, 'server') - (startedMs - textMs))).toBeLessThanOrEqual(READINGS_MS);
      expect(Math.abs(part(parts, 'firstAudioFrame') - (firstMs - startedMs))).toBeLessThanOrEqual(
        READINGS_MS,
      );
      // Playing starts with the second frame, or where a busy machine delays that, without it.
      const queued = part(parts, 'decode', 'output', 'startFloor');
      expect(queued).toBeGreaterThanOrEqual(
        Math.min(secondMs - firstMs, ARRANGED.secondAudioMs) - READINGS_MS,
      );
      expect(part(parts, 'inTurn')).toBe(0);
      expect(Math.abs(wholeMs - ARRANGED.leadingSilenceMs - (heardMs - textMs))).toBeLessThanOrEqual(
        READINGS_MS,
      );

      // Text leaves the page before it arrives, and frames leave the server before they are recorded.
      const [turned] = server.turns;
      if (!turned) throw new Error('The server has spoken no turn.');
      expect(firstMs - textMs).toBeGreaterThanOrEqual(turned.firstAudioMs - turned.textMs - READINGS_MS);
      await server.close();
    });
});
