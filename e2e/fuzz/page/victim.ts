import type { Locator, Page } from '@playwright/test';
import { messageOf } from '#lib/message-of.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { cancel, openOn, speak, textBox, transcript } from '../../support/page.ts';
import { within } from '../../support/within.ts';
import { Broken } from '../fuzz-part.ts';
import type { Attack, HostileProxy } from './hostile-proxy.ts';

/** Where a page is attacked, and what is counted over all pages. */
export interface VictimPlace {
  endpoint: Endpoint;
  /** Serves the page. */
  server: { http: string };
  proxy: HostileProxy;
  counts: { goodTurns: number; mostNodes: number };
}

export const PANELS = ['Frames', 'Chunks', 'Timeline', 'Usage'];

/** As for a hostile turn in the tests of the page. */
const MOST_NODES = 6000;
const STEP_WITHIN_MS = 20_000;
/** After a loss the page waits up to 16 s before it connects. */
const SPOKEN_WITHIN_MS = 60_000;

/** One page under attack. */
export class Victim {
  readonly #page: Page;
  readonly #place: VictimPlace;
  #turns = 0;

  constructor(page: Page, place: VictimPlace) {
    this.#page = page;
    this.#place = place;
    page.setDefaultTimeout(STEP_WITHIN_MS);
  }

  async open(): Promise<void> {
    const { endpoint, proxy, server } = this.#place;
    await openOn(this.#page, proxy.base(endpoint.localPrefix), server.http, endpoint.id);
    if (endpoint.id === 'murmr') {
      await this.#page.getByRole('textbox', { name: 'Key', exact: true }).fill('local');
    }
    await speak(this.#page).waitFor();
  }

  async leave(): Promise<void> {
    this.#place.proxy.calm();
    await this.#page.close();
  }

  /** Attacks, each as the answer to a turn, then a good turn. */
  async suffer(panel: string, attacks: readonly Attack[]): Promise<void> {
    const tab = this.#page.getByRole('tab', { name: new RegExp(`^${panel}`) });
    await step(`the tab ${panel} to be pressed`, () => tab.click());
    for (const attack of attacks) {
      const over = this.#place.proxy.attack(attack);
      await this.#speak('Attack');
      await within(STEP_WITHIN_MS, over, 'the page to send something');
      await this.#checkNodes();
    }
    await this.#speakWell();
  }

  /** Drops a file until it is shown or refused, then a good turn. */
  async import(bytes: Uint8Array): Promise<void> {
    const data = await this.#page.evaluateHandle((base64) => {
      const data = new DataTransfer();
      data.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], 'fuzz.bin'));
      return data;
    }, Buffer.from(bytes).toString('base64'));
    await this.#page.dispatchEvent('body', 'drop', { dataTransfer: data });
    const dialog = this.#page.getByRole('dialog');
    const refused = dialog.getByRole('alert');
    const accepted = this.#page.getByRole('button', { name: 'Back to this session' });
    const answer = refused.or(accepted).first();
    await step('the file to be shown or refused', () => answer.waitFor());
    if (await refused.isVisible()) await this.#page.keyboard.press('Escape');
    else await step('"Back to this session" to be pressed', () => accepted.click());
    await step('the file to be left', () => dialog.or(accepted).first().waitFor({ state: 'hidden' }));
    await this.#checkNodes();
    await this.#speakWell();
  }

  async #speak(what: string): Promise<string> {
    this.#turns += 1;
    const text = `${what} ${this.#turns}.`;
    const page = this.#page;
    // Cancels what an attack may have left under way.
    await page.keyboard.press('Escape');
    for (const control of [textBox(page), speak(page), cancel(page)]) await checkReach(control);
    await step('the text box to be pressed', () => textBox(page).click());
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(this.#place.endpoint.contexts ? `Marta: ${text}` : text);
    await step('Speak to be pressed', () => speak(page).click());
    return text;
  }

  /** A turn that the real server speaks, heard to its last word. */
  async #speakWell(): Promise<void> {
    const text = await this.#speak('Fine');
    const turn = transcript(this.#page).getByRole('article').filter({ hasText: text }).last();
    await step('a good turn to be heard to its end', () => heard(turn));
    this.#place.counts.goodTurns += 1;
    await this.#checkNodes();
  }

  async #checkNodes(): Promise<void> {
    const nodes = await this.#page.evaluate(() => document.querySelectorAll('*').length);
    const { counts } = this.#place;
    counts.mostNodes = Math.max(counts.mostNodes, nodes);
    if (nodes > MOST_NODES) throw new Broken(`expected at most ${MOST_NODES} DOM nodes, got ${nodes}`);
  }
}

/** Does something that the page must allow. */
async function step(expected: string, act: () => Promise<unknown>): Promise<void> {
  await act().catch((error: unknown) => {
    throw new Broken(`expected ${expected}, got: ${messageOf(error)}`);
  });
}

/** Throws where something hides the control. A click would scroll it into view, which a person cannot. */
async function checkReach(control: Locator): Promise<void> {
  const hiding = await control.evaluate((node) => {
    const { x, y, width, height } = node.getBoundingClientRect();
    const hit = document.elementFromPoint(x + width / 2, y + height / 2);
    return node.contains(hit) ? null : (hit?.className ?? 'the edge of the window');
  });
  if (hiding !== null) throw new Broken(`expected ${control} to be in reach, got ${hiding} before it`);
}

async function heard(turn: Locator): Promise<void> {
  await turn.locator('[data-word][data-state="spoken"]').last().waitFor({ timeout: SPOKEN_WITHIN_MS });
  await turn
    .locator('[data-word]:not([data-state="spoken"])')
    .first()
    .waitFor({ state: 'hidden', timeout: SPOKEN_WITHIN_MS });
}
