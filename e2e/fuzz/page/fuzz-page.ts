import type { Locator, Page } from '@playwright/test';
import fc from 'fast-check';
import { messageOf } from '#lib/message-of.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { launchChromium } from '../../browser.ts';
import { openOn, speak, textBox, transcript } from '../../support/page.ts';
import { shownMessage } from '../mutation/mutations.ts';
import { type FileCase, filesPart } from './files-part.ts';
import { type Attack, type HostileProxy, startHostileProxy } from './hostile-proxy.ts';
import { mutatedFrames, readSamples, type SampleSession } from './server-scripts.ts';

export interface PageFuzzLimits {
  /** Over all endpoints. */
  frames: number;
  /** Files to import. */
  files: number;
  seed: number;
  /** On the clock of `performance.now`. */
  untilMs: number;
}

export interface PageFuzzResult {
  attacks: number;
  frames: number;
  files: number;
  goodTurns: number;
  /** The highest count of DOM nodes after an attack or a turn. */
  mostNodes: number;
  problems: readonly string[];
}

/** As for a hostile turn in the tests of the page. */
const MOST_NODES = 6000;
const ATTACKS_A_TURN = 4;
const ATTACK_WITHIN_MS = 20_000;
/** After a loss the page waits up to 16 s before it connects. */
const SPOKEN_WITHIN_MS = 60_000;
const PANELS = ['Frames', 'Chunks', 'Timeline', 'Usage'];

const attacksOf = (samples: readonly SampleSession[]): fc.Arbitrary<Attack> =>
  fc.record({
    messages: fc.oneof(...samples.map(mutatedFrames)),
    closeCode: fc.constantFrom(null, 1000, 1001, 1011, 1012, 4000, 4001, 4500, 4999),
  });

/**
 * Attacks the built page in Chromium by mutated frames of a server, and by files. Expects no uncaught error, a bounded
 * DOM, and speech afterwards.
 * @param server that serves the page and speaks the good turns
 */
export async function fuzzPage(
  server: { http: string; ws: string },
  limits: PageFuzzLimits,
): Promise<PageFuzzResult> {
  const result = { attacks: 0, frames: 0, files: 0, goodTurns: 0, mostNodes: 0, problems: [] as string[] };
  const browser = await launchChromium('--autoplay-policy=no-user-gesture-required');
  const proxy = await startHostileProxy(server.ws);
  const samples = readSamples();
  try {
    for (const [at, endpoint] of ENDPOINTS.entries()) {
      const page = await browser.newPage({ baseURL: server.http, viewport: { width: 1440, height: 900 } });
      const victim = new Victim(page, endpoint, proxy, result);
      await victim.open();
      const own = samples.filter(({ info }) => info.endpoint === endpoint.id);
      const attackAt = (number: number) =>
        sampled(attacksOf(own), limits.seed + ENDPOINTS.length * number + at);
      await victim.attack(attackAt, limits.frames / ENDPOINTS.length, limits.untilMs);
      if (at === 0) await victim.importAll(await sampleFiles(limits.files, limits.seed));
      await page.close();
    }
  } finally {
    await browser.close();
    await proxy.close();
  }
  return result;
}

/** The first case of a seed. */
function sampled<T>(cases: fc.Arbitrary<T>, seed: number): T {
  const [first] = fc.sample(cases, { seed, numRuns: 1 });
  if (first === undefined) throw new Error('There are no cases.');
  return first;
}

const sampleFiles = async (count: number, seed: number): Promise<FileCase[]> =>
  fc.sample((await filesPart()).cases, { seed, numRuns: count });

/** One page under attack. */
class Victim {
  readonly #page: Page;
  readonly #endpoint: Endpoint;
  readonly #proxy: HostileProxy;
  readonly #result: PageFuzzResult & { problems: string[] };
  /** The last attack or file, for the report of an error. */
  #last = '';

  constructor(
    page: Page,
    endpoint: Endpoint,
    proxy: HostileProxy,
    result: PageFuzzResult & { problems: string[] },
  ) {
    this.#page = page;
    this.#endpoint = endpoint;
    this.#proxy = proxy;
    this.#result = result;
    // Those of workers are reported as well.
    page.on('pageerror', (error) =>
      this.#found(`expected no uncaught error, got ${error.stack ?? error.message}`),
    );
    page.on('crash', () => this.#found('expected the page to live, got a crash'));
  }

  async open(): Promise<void> {
    const { id, localPrefix } = this.#endpoint;
    await openOn(this.#page, this.#proxy.base(localPrefix), '', id);
    if (id === 'murmr') await this.#page.getByRole('textbox', { name: 'Key', exact: true }).fill('local');
    await speak(this.#page).waitFor();
  }

  async attack(attackAt: (number: number) => Attack, frames: number, untilMs: number): Promise<void> {
    const until = this.#result.frames + frames;
    for (let at = 0; this.#result.frames < until && performance.now() < untilMs; at += 1) {
      const what = attackAt(at);
      this.#last = [
        `${this.#endpoint.id}, closed with ${what.closeCode}:`,
        ...what.messages.map((message) => `  ← ${shownMessage(message)}`),
      ].join('\n');
      await this.#guarded(async () => {
        await this.#page.getByRole('tab', { name: new RegExp(`^${PANELS[at % PANELS.length]}`) }).click();
        const over = this.#proxy.attack(what);
        await this.#speak(`Attack ${at}.`);
        await within(ATTACK_WITHIN_MS, over, 'the page to send something');
        this.#result.attacks += 1;
        this.#result.frames += what.messages.length;
        if (at % ATTACKS_A_TURN === ATTACKS_A_TURN - 1) await this.#speakWell(`Fine ${at}.`);
        await this.#countNodes();
      });
    }
    await this.#guarded(() => this.#speakWell('Fine at last.'));
  }

  async importAll(files: readonly FileCase[]): Promise<void> {
    for (const { format, bytes } of files) {
      this.#last = `${format}: ${Buffer.from(bytes).toString('base64')}`;
      await this.#guarded(async () => {
        await this.#import(bytes);
        this.#result.files += 1;
        await this.#countNodes();
      });
    }
    await this.#guarded(() => this.#speakWell('Fine after all files.'));
  }

  /** Drops a file. Resolves once it is shown or refused. */
  async #import(bytes: Uint8Array): Promise<void> {
    const name = `fuzz-${this.#result.files}.bin`;
    const data = await this.#page.evaluateHandle(
      ([base64, name]) => {
        const data = new DataTransfer();
        data.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name));
        return data;
      },
      [Buffer.from(bytes).toString('base64'), name] as const,
    );
    await this.#page.dispatchEvent('body', 'drop', { dataTransfer: data });
    const refused = this.#page.getByRole('dialog').getByRole('alert');
    const accepted = this.#page.getByRole('button', { name: 'Back to this session' });
    await refused.or(accepted).first().waitFor({ timeout: ATTACK_WITHIN_MS });
    if (await refused.isVisible()) await this.#page.keyboard.press('Escape');
    else await accepted.click();
    await refused.or(accepted).first().waitFor({ state: 'hidden', timeout: ATTACK_WITHIN_MS });
  }

  async #speak(text: string): Promise<void> {
    // Cancels what an attack may have left under way.
    await this.#page.keyboard.press('Escape');
    if (this.#endpoint.contexts) {
      await textBox(this.#page).click();
      await this.#page.keyboard.press('ControlOrMeta+A');
      await this.#page.keyboard.insertText(`Marta: ${text}`);
    } else await textBox(this.#page).fill(text);
    await speak(this.#page).click();
  }

  /** A turn that the real server speaks, heard to its last word. */
  async #speakWell(text: string): Promise<void> {
    await this.#speak(text);
    const turn = transcript(this.#page).getByRole('article').filter({ hasText: text }).last();
    await heard(turn);
    this.#result.goodTurns += 1;
  }

  async #countNodes(): Promise<void> {
    const nodes = await this.#page.evaluate(() => document.querySelectorAll('*').length);
    this.#result.mostNodes = Math.max(this.#result.mostNodes, nodes);
    if (nodes > MOST_NODES) this.#found(`expected at most ${MOST_NODES} DOM nodes, got ${nodes}`);
  }

  async #guarded(task: () => Promise<void>): Promise<void> {
    await task().catch((error: unknown) => this.#found(messageOf(error)));
  }

  #found(problem: string): void {
    this.#result.problems.push(`${problem}\n${this.#last}`);
  }
}

async function heard(turn: Locator): Promise<void> {
  await turn.locator('[data-word][data-state="spoken"]').last().waitFor({ timeout: SPOKEN_WITHIN_MS });
  await turn
    .locator('[data-word]:not([data-state="spoken"])')
    .first()
    .waitFor({ state: 'hidden', timeout: SPOKEN_WITHIN_MS });
}

function within(ms: number, task: Promise<void>, expected: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`expected ${expected} within ${ms} ms, got nothing`)),
      ms,
    );
    void task.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
