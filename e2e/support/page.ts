import { test as base, expect, type Locator, type Page } from '@playwright/test';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import { installTap, type TapWindow } from './tap.ts';

interface Watch {
  /** Everything the page logged. */
  console: string[];
  /** Messages of the browser itself about a failure that the test causes. */
  allowed: RegExp[];
  /** Hosts of the page's requests. */
  hosts: Set<string>;
}

/** Chromium's own words for a change of the machine's audio devices, which it follows. The page has no part in it. */
const DEVICES_CHANGED = /\[AudioContext\] Fallback to the default device/;

/**
 * Every test gets a page whose output is tapped, and that must log nothing and ask no other host. Its browser has seen
 * the tour before, unless the test uses `isFirstVisit`.
 */
export const test = base.extend<{ watch: Watch; isFirstVisit: boolean }>({
  isFirstVisit: [false, { option: true }],
  watch: [
    async ({ page, isFirstVisit }, use, testInfo) => {
      const watch: Watch = { console: [], allowed: [DEVICES_CHANGED], hosts: new Set() };
      page.on('console', (message) => watch.console.push(`${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) => watch.console.push(`uncaught: ${error.message}`));
      page.on('request', (request) => watch.hosts.add(new URL(request.url()).host));
      await installTap(page);
      if (!isFirstVisit) await page.addInitScript(storeSeenTour);
      await use(watch);
      if (testInfo.status !== testInfo.expectedStatus) {
        const sound = await page.evaluate(soundNow).catch(String);
        await testInfo.attach(`Sound: ${sound}`, {
          body: watch.console.join('\n'),
          contentType: 'text/plain',
        });
      }
      const unasked = watch.console.filter((line) => !watch.allowed.some((allowed) => allowed.test(line)));
      expect(unasked).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };

/** Runs in the page. Whether sound runs, for a test that waited for it in vain. */
const soundNow = (): string =>
  (window as unknown as TapWindow).tappedContexts
    .map(({ state, currentTime, sampleRate }) => `${state} at ${currentTime} s, ${sampleRate} Hz`)
    .join('; ');

/** Runs in the page. Marks the tour as seen. */
function storeSeenTour(): void {
  localStorage.setItem('voicewire.tour', JSON.stringify({ state: { isOver: true }, version: 1 }));
}

export const speak = (page: Page) => page.getByRole('button', { name: 'Speak', exact: true });
export const cancel = (page: Page) => page.getByRole('button', { name: 'Cancel', exact: true });
export const keyField = (page: Page) => page.getByRole('textbox', { name: 'Key', exact: true });
/** The connection's state in the bar. Its accessible name contains the note beside it. */
export const connection = (page: Page) => page.getByRole('button', { name: /^Connection: / });
export const textBox = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true });
export const transcript = (page: Page) => page.getByRole('region', { name: 'Transcript' });
export const words = (page: Page, state?: 'pending' | 'current' | 'spoken') =>
  transcript(page).locator(state ? `[data-word][data-state="${state}"]` : '[data-word]');

export const turn = (page: Page, number: number) =>
  transcript(page).getByRole('article', { name: `Turn ${number}`, exact: true });

/** More than a minute of speech, for a turn that a test interrupts: on a busy machine, a short one would be over. */
export const LONG_TEXT = 'One two three four five six seven eight nine ten. '.repeat(25).trim();

/**
 * Waits until a word is current, or was. A test that waits for the current word alone waits in vain where a busy machine
 * has not let it look in time.
 */
export const wordsBegin = (within: Locator): Promise<void> =>
  expect(within.locator('[data-word]:is([data-state="current"], [data-state="spoken"])')).not.toHaveCount(0);

/**
 * Resolves at the first paint of the element with this text, or with a label in it that begins so. Either may be gone before a
 * test on a busy machine looks.
 */
export const painted = (within: Locator, text: string): Promise<void> =>
  within.evaluate(
    (node, text) =>
      new Promise<void>((resolve) => {
        const isThere = () =>
          node.textContent.includes(text) || node.querySelector(`[aria-label^="${text}"]`) !== null;
        const look = () => (isThere() ? resolve() : requestAnimationFrame(look));
        look();
      }),
    text,
  );

/** Resizes the window and waits for a frame. Until then, parts that depend on a media query keep their former layout. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.evaluate(() => new Promise(requestAnimationFrame));
}

/** Replaces the whole script. */
export async function writeScript(page: Page, script: string): Promise<void> {
  await textBox(page).click();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.insertText(script);
}

/** Text, and one press of Speak. */
export async function speakText(page: Page, text: string): Promise<void> {
  await textBox(page).fill(text);
  await speak(page).click();
}

/**
 * Every turn is heard to its end. One locator counts current and pending words, because a pause between two lines has no
 * current one. The sound after the last word is waited for, because a next turn would cancel it.
 */
export async function heardToEnd(page: Page): Promise<void> {
  await expect(words(page, 'spoken').first()).toBeVisible();
  await expect(transcript(page).locator('[data-word]:not([data-state="spoken"])')).toHaveCount(0);
  await expect(transcript(page).getByText(UNDER_WAY)).toHaveCount(0);
}

/** What a turn says of itself until it ends. One that waits for its audio has no words yet. */
const UNDER_WAY = /^(?:Sending|Waiting|Buffering|Queued|Speaking|Ran dry)$/;

/**
 * Notes the words that become current from now on, in their order, whose they are, and how many are current at once. A
 * word or a line may end between two paints, so some may be missing.
 */
export async function watchWords(page: Page) {
  await page.evaluate(() => {
    const noted = { most: 0, words: [] as string[], speakers: [] as string[] };
    Object.assign(window, { noted });
    new MutationObserver(() => {
      const current = [...document.querySelectorAll('[data-word][data-state="current"]')];
      noted.most = Math.max(noted.most, current.length);
      const word = current[0]?.textContent ?? '';
      if (word !== '' && noted.words.at(-1) !== word) noted.words.push(word);
      const speaker = current[0]?.closest('article')?.querySelector('h2')?.textContent ?? '';
      if (speaker !== '' && noted.speakers.at(-1) !== speaker) noted.speakers.push(speaker);
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  return () =>
    page.evaluate(
      () => (window as unknown as { noted: { most: number; words: string[]; speakers: string[] } }).noted,
    );
}

/** Before the page opens: what its storage holds, as an earlier visit would have left it. */
export async function withStored(page: Page, state: Record<string, unknown>): Promise<void> {
  await page.addInitScript((stored) => {
    const name = 'voicewire.settings';
    if (localStorage.getItem(name) === null) {
      localStorage.setItem(name, JSON.stringify({ state: stored, version: 1 }));
    }
  }, state);
}

/** Opens the page on a custom address. */
export async function openOn(
  page: Page,
  base: string,
  origin = '',
  endpoint: EndpointId = 'kugel-stream',
): Promise<void> {
  await withStored(page, {
    servers: { [endpoint]: 'custom' },
    customBases: { [endpoint]: base },
    settings: { 'kugel-stream': { voice_id: 1071, word_timestamps: true } },
  });
  await page.goto(`${origin}/${endpoint === 'kugel-stream' ? '' : `?endpoint=${endpoint}`}`);
}
