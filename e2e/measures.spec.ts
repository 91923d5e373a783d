import type { Page } from '@playwright/test';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import { type Arranged, startDelayingServer, type Turned } from './support/delaying-server.ts';
import { expect, speak, test, textBox, transcript, withStored } from './support/page.ts';
import type { TapWindow } from './support/tap.ts';

/** Largest deviation of a figure on the page from the arranged one. */
const TOLERANCE_MS = 10;
/** A busy machine delays the frames of single turns, so that a figure has to agree in some of the turns only. */
const TRIES = 12;
const AGREED = 2;

const ARRANGED: Arranged = {
  startedMs: 90,
  firstAudioMs: 140,
  // Later than heard, by less than the player allows for: it starts with the second frame in every turn.
  secondAudioMs: 120,
  leadingSilenceMs: 60,
  audioMs: 600,
};

const TITLES = {
  server: 'Server',
  firstAudioFrame: 'First audio',
  decode: 'Decoded',
  output: 'Output',
  startFloor: 'Start floor',
  inTurn: 'Its turn',
  firstSample: 'First sample',
  leadingSilence: 'Silence',
} as const;
type Part = keyof typeof TITLES;

const UNDER_WAY = /Sending|Waiting|Buffering|Queued|Speaking/;

/** The first turn, of any speaker. */
const spokenTurn = (page: Page) => transcript(page).getByRole('article', { name: /^Turn 1\b/ });

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

/** What the parts have to be, from when the server really did what it did. */
function expected({ textMs, startedMs, audioMs }: Turned, latencyMs: number): Record<Part, number> {
  const [firstMs = Number.NaN, secondMs = Number.NaN] = audioMs;
  return {
    server: startedMs === null ? 0 : startedMs - textMs,
    firstAudioFrame: firstMs - (startedMs ?? textMs),
    decode: 0,
    output: 0,
    startFloor: secondMs - firstMs,
    inTurn: 0,
    firstSample: latencyMs,
    leadingSilence: ARRANGED.leadingSilenceMs,
  };
}

for (const endpoint of ['kugel-stream', 'kugel-multi', 'murmr'] as const satisfies EndpointId[]) {
  test(`${endpoint}: the wait on the page equals the arranged wait, part by part`, async ({ page }) => {
    test.slow();
    const server = await startDelayingServer(endpoint, ARRANGED);
    await withStored(page, {
      servers: { [endpoint]: 'custom' },
      customBases: { [endpoint]: server.base },
      dockTab: 'chunks',
    });
    const text = endpoint === 'kugel-multi' ? 'Marta: A tone.' : 'A tone.';
    const off = new Map(Object.keys(TITLES).map((part) => [part as Part, [] as number[]]));
    const isAgreed = (values: number[]) =>
      values.filter((ms) => Math.abs(ms) <= TOLERANCE_MS).length >= AGREED;
    for (let number = 1; number <= TRIES && ![...off.values()].every(isAgreed); number += 1) {
      // A later turn of the same page would not wait for the second audio frame.
      await page.goto(`/?endpoint=${endpoint}`);
      await textBox(page).click();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText(text);
      await speak(page).click();
      await expect(spokenTurn(page)).toBeVisible();
      await expect(spokenTurn(page)).not.toContainText(UNDER_WAY);
      const { wholeMs, parts } = await displayed(page);
      expect(Object.values(parts).reduce((sum, ms) => sum + ms, 0)).toBe(wholeMs);
      const turned = server.turns[number - 1];
      if (!turned) throw new Error(`The server has spoken no turn ${number}.`);
      const arranged = expected(turned, await outputLatencyMs(page));
      for (const [part, values] of off) values.push((parts[part] ?? 0) - arranged[part]);
    }
    for (const [part, values] of off)
      expect(isAgreed(values), `${part} is off by ${values.join(', ')}`).toBe(true);
    await server.close();
  });
}

/** From the audio clock to the speakers, as the browser says. */
const outputLatencyMs = (page: Page) =>
  page.evaluate(() => {
    const context = (window as unknown as TapWindow).tappedContexts.at(-1);
    return (context?.outputLatency ?? 0) * 1000;
  });
