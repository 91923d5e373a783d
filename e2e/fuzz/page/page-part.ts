import type { Browser } from '@playwright/test';
import fc from 'fast-check';
import type { Endpoint, EndpointId } from '#protocol/core/endpoint.ts';
import { endpointOf, PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { launchChromium } from '../../browser.ts';
import { within } from '../../support/within.ts';
import { type FuzzPart, watching } from '../fuzz-part.ts';
import { shownMessage } from '../mutation/mutations.ts';
import { type FileCase, filesPart } from './files-part.ts';
import { type Attack, startHostileProxy } from './hostile-proxy.ts';
import { framesOfServers, mutatedFrames, type ServerFrames } from './server-scripts.ts';
import { PANELS, Victim } from './victim.ts';

/** Attacks one after the other, the panel that is shown meanwhile, and a good turn after them. */
export interface PageCase {
  panel: string;
  attacks: readonly Attack[];
}

/** A browser under attack. */
export interface AttackedBrowser {
  /** Mutated frames to each endpoint. `sizeOf` counts frames. */
  attacks: readonly FuzzPart<PageCase>[];
  /** Mutated files, dropped on the page. */
  files: FuzzPart<FileCase>;
  /** So far: uncaught errors and crashes. */
  faults(): readonly string[];
  readonly goodTurns: number;
  /** The highest count of DOM nodes after an attack, a turn or a file. */
  readonly mostNodes: number;
  close(): Promise<void>;
}

const MOST_ATTACKS = 4;
/** Longer than the steps of a case, of which each has its own limit. For a page that answers nothing. */
const CASE_WITHIN_MS = 180_000;
const CLOSED_WITHIN_MS = 20_000;

const casesOf = (servers: readonly ServerFrames[]): fc.Arbitrary<PageCase> =>
  fc.record({
    panel: fc.constantFrom(...PANELS),
    attacks: fc.array(
      fc.record({
        messages: fc.oneof(...servers.map(mutatedFrames)),
        closeCode: fc.constantFrom(null, 1000, 1001, 1011, 1012, 4000, 4001, 4500, 4999),
      }),
      { minLength: 1, maxLength: MOST_ATTACKS, size: 'max' },
    ),
  });

/**
 * Starts Chromium with the built page, to be attacked by mutated frames of a server and by files. Expects no uncaught
 * error, controls in reach, a bounded DOM, and speech after each case.
 * @param server that serves the page and speaks the good turns
 */
export async function attackBrowser(server: { http: string; ws: string }): Promise<AttackedBrowser> {
  const browser = await launchChromium('--autoplay-policy=no-user-gesture-required');
  const proxy = await startHostileProxy(server.ws);
  const counts = { goodTurns: 0, mostNodes: 0 };
  const servers = framesOfServers();
  const files = await filesPart();
  const pages = new Pages(browser, (endpoint) => ({ endpoint, server, proxy, counts }));
  const attacksOn = (endpoint: Endpoint): FuzzPart<PageCase> => ({
    name: `page-${endpoint.id}`,
    cases: casesOf(servers.filter((server) => server.endpoint.id === endpoint.id)),
    sizeOf: ({ attacks }) => attacks.reduce((sum, { messages }) => sum + messages.length, 0),
    check: ({ panel, attacks }) => pages.use(endpoint, (victim) => victim.suffer(panel, attacks)),
    describe: ({ panel, attacks }) =>
      attacks
        .flatMap(({ messages, closeCode }) => [
          `${endpoint.id}, ${panel}, closed with ${closeCode}`,
          ...messages.map((message) => `  ← ${shownMessage(message)}`),
        ])
        .join('\n'),
  });
  const faults = () => pages.faults;
  return {
    attacks: PAGE_ENDPOINTS.map((endpoint) => watching(attacksOn(endpoint), faults)),
    files: watching(
      {
        ...files,
        name: 'page-files',
        check: ({ bytes }) => pages.use(endpointOf('kugel-stream'), (victim) => victim.import(bytes)),
      },
      faults,
    ),
    faults,
    get goodTurns() {
      return counts.goodTurns;
    },
    get mostNodes() {
      return counts.mostNodes;
    },
    async close() {
      // Playwright kills a browser that does not close by itself.
      await within(CLOSED_WITHIN_MS, browser.close(), 'the browser to close').catch(() => {});
      await proxy.close();
    },
  };
}

/** One page at a time. A finding may leave it in any state, so the next case gets a new one. */
class Pages {
  /** Uncaught errors and crashes of all pages. */
  readonly faults: string[] = [];
  readonly #browser: Browser;
  readonly #placeOf: (endpoint: Endpoint) => ConstructorParameters<typeof Victim>[1];
  #shown: { id: EndpointId; victim: Victim } | null = null;

  constructor(browser: Browser, placeOf: (endpoint: Endpoint) => ConstructorParameters<typeof Victim>[1]) {
    this.#browser = browser;
    this.#placeOf = placeOf;
  }

  async use(endpoint: Endpoint, task: (victim: Victim) => Promise<void>): Promise<void> {
    const before = this.faults.length;
    try {
      if (this.#shown?.id !== endpoint.id) await this.#open(endpoint);
      const victim = this.#shown?.victim;
      if (victim) await within(CASE_WITHIN_MS, task(victim), 'a case to end');
    } catch (error) {
      await this.#leave();
      throw error;
    }
    if (this.faults.length > before) await this.#leave();
  }

  async #open(endpoint: Endpoint): Promise<void> {
    await this.#leave();
    const page = await this.#browser.newPage({ viewport: { width: 1440, height: 900 } });
    // Those of workers are reported as well.
    page.on('pageerror', ({ stack, message }) => this.faults.push(`the uncaught ${stack ?? message}`));
    page.on('crash', () => this.faults.push('the crash of a page'));
    const victim = new Victim(page, this.#placeOf(endpoint));
    this.#shown = { id: endpoint.id, victim };
    await victim.open();
  }

  async #leave(): Promise<void> {
    const left = this.#shown;
    this.#shown = null;
    if (left) await within(CLOSED_WITHIN_MS, left.victim.leave(), 'a page to close').catch(() => {});
  }
}
