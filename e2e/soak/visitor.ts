import type { Page } from '@playwright/test';
import type { EndpointId } from '#protocol/core/endpoint.ts';
import { PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { speak, speakText, textBox, transcript } from '../support/page.ts';

/** More than any turn and any wait on a busy machine. */
const STEP_WITHIN_MS = 90_000;

const PANELS = ['Timeline', 'Chunks', 'Frames', 'Usage'];

const KEPT_RECORDINGS = 4;

const SHORT = [
  'Good morning, and welcome.',
  'The train at nine is late.',
  'That costs twelve euros fifty.',
  'Yes? I am listening.',
];
const LONG =
  'This one would go on for a while, if nobody cut it off. It speaks of rivers, of old mills, and of a dog that told the story for years.';

/** One person at the page, who does ordinary and awkward things in turn. */
export class Visitor {
  readonly #page: Page;
  readonly #random: () => number;

  constructor(page: Page, random: () => number) {
    this.#page = page;
    this.#random = random;
    page.setDefaultTimeout(STEP_WITHIN_MS);
  }

  async open(): Promise<void> {
    await this.#page.goto('/');
    await speak(this.#page).waitFor();
  }

  /** Every endpoint, scene, cancel, panel and recording once. Ends as it began. */
  async round(): Promise<void> {
    for (const { id, contexts } of PAGE_ENDPOINTS) {
      await this.#choose(id);
      await this.#panel();
      if (contexts) await this.#perform();
      else await this.#talk();
    }
    await this.#lookAtRecordings();
    await this.#choose('kugel-stream');
    await this.#page.getByRole('tab', { name: /^Timeline/ }).click();
  }

  async #talk(): Promise<void> {
    await this.#heard(this.#pick(SHORT), (text) => speakText(this.#page, text));
    await speakText(this.#page, LONG);
    await this.#cutOff();
    // Right behind the barge-in.
    await this.#heard(this.#pick(SHORT), (text) => speakText(this.#page, text));
  }

  async #perform(): Promise<void> {
    await this.#write(`Marta: ${LONG}\nRupert: ${LONG}`);
    await speak(this.#page).click();
    await this.#cutOff();
    await this.#heard(this.#pick(SHORT), async (text) => {
      await this.#write(`Marta: ${this.#pick(SHORT)}\nRupert (interrupts): Never mind.\nMarta: ${text}`);
      await speak(this.#page).click();
    });
  }

  /** Cancels once the turn is heard. */
  async #cutOff(): Promise<void> {
    await transcript(this.#page).locator('[data-word][data-state="current"]').first().waitFor();
    await this.#page.keyboard.press('Escape');
    await transcript(this.#page)
      .locator('[data-word][data-state="current"]')
      .first()
      .waitFor({ state: 'hidden' });
  }

  /** Waits until the turn of the text is heard to its end. */
  async #heard(text: string, begin: (text: string) => Promise<void>): Promise<void> {
    const turns = transcript(this.#page).getByRole('article');
    const before = (await turns.count()) > 0 ? Number(await turns.last().getAttribute('data-turn')) : 0;
    await begin(text);
    const turn = turns.filter({ hasText: text }).last();
    // Until it is there, the last turn with the text is an older one.
    await this.#page.waitForFunction(isLaterTurn, { text, before });
    await turn.locator('[data-word][data-state="spoken"]').last().waitFor();
    await turn.locator('[data-word]:not([data-state="spoken"])').first().waitFor({ state: 'hidden' });
  }

  /** Deletes old recordings, opens a sample, replays it for a moment, and returns to the session. */
  async #lookAtRecordings(): Promise<void> {
    await this.#page.getByRole('tab', { name: /^Frames/ }).click();
    await this.#page.getByRole('button', { name: 'Recordings', exact: true }).click();
    await this.#deleteOldRecordings();
    const samples = this.#page.getByRole('list', { name: 'Samples' }).getByRole('button');
    await samples.nth(Math.floor(this.#random() * (await samples.count()))).click();
    await this.#page.getByRole('button', { name: 'Replay', exact: true }).click();
    const bar = this.#page.getByRole('region', { name: 'Replay' });
    await bar.waitFor();
    // Problems of the recording may leave no room for the words.
    await transcript(this.#page).getByRole('article').first().waitFor({ state: 'attached' });
    await bar.getByRole('button', { name: 'Leave the replay' }).click();
    await bar.waitFor({ state: 'hidden' });
    await this.#page.getByRole('button', { name: 'Back to this session' }).click();
  }

  /** Without this, every round leaves a few more recordings in the list, which is no growth by itself. */
  async #deleteOldRecordings(): Promise<void> {
    const recordings = this.#page.getByRole('list', { name: 'Recordings' }).getByRole('listitem');
    await recordings.first().waitFor();
    for (let count = await recordings.count(); count > KEPT_RECORDINGS; count -= 1) {
      const oldest = recordings.nth(count - 1);
      await oldest.getByRole('button', { name: /^Delete/ }).click();
      await oldest.getByRole('button', { name: 'Delete for good' }).click();
      await oldest.waitFor({ state: 'detached' });
    }
  }

  async #choose(endpoint: EndpointId): Promise<void> {
    await this.#page.getByRole('combobox', { name: 'Endpoint' }).click();
    await this.#page.getByRole('option', { name: new RegExp(`^${endpoint}\\b(?!-)`) }).click();
    await textBox(this.#page).waitFor();
  }

  async #write(script: string): Promise<void> {
    await textBox(this.#page).click();
    await this.#page.keyboard.press('ControlOrMeta+A');
    await this.#page.keyboard.insertText(script);
  }

  async #panel(): Promise<void> {
    await this.#page.getByRole('tab', { name: new RegExp(`^${this.#pick(PANELS)}`) }).click();
  }

  #pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.#random() * items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }
}

/** Whether a turn behind another one has the text. Runs in the page. */
const isLaterTurn = ({ text, before }: { text: string; before: number }): boolean =>
  Array.from(document.querySelectorAll<HTMLElement>('article[data-turn]')).some(
    (turn) => Number(turn.dataset.turn) > before && turn.textContent?.includes(text),
  );
