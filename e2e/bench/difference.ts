import '../support/protocols.ts';
import { readPlan } from '#benchmark/read-plan.ts';
import { measurePlan } from '#command/measure/measure-plan.ts';
import { printSummary } from '#command/measure/summary.ts';
import { launchChromium } from '../browser.ts';
import { startDelayingProxy } from '../support/delaying-proxy.ts';
import { startLocalServer } from './local-server.ts';

const RUNS = 50;
const DELAY_MS = 20;

/**
 * Whether a benchmark finds a difference that was arranged, and none where there is none: the local server behind a
 * proxy that holds back what it says, and three ways to it, two of which are alike.
 */
export async function benchDifference(): Promise<void> {
  const server = await startLocalServer();
  const proxy = await startDelayingProxy(server.ws);
  const browser = await launchChromium();
  try {
    const way = (name: string, delayMs: number) => ({
      name,
      endpoint: 'kugel-stream',
      server: proxy.base(delayMs, '/kugel'),
      settings: { voice_id: 1071, language: 'en' },
    });
    for (const [name, other] of [
      [`Arranged: ${DELAY_MS} ms`, way('Behind the delay', DELAY_MS)],
      ['Arranged: nothing', way('The same again', 0)],
    ] as const) {
      const { plan, problems } = readPlan(
        JSON.stringify({
          version: 1,
          name,
          texts: [{ name: 'Greeting', text: 'Good morning.' }],
          configurations: [way('As it is', 0), other],
          runs: RUNS,
        }),
      );
      if (!plan) throw new Error(problems.map(({ message }) => message).join('\n'));
      const { results } = await measurePlan(browser, plan, { origin: server.http, keys: {} });
      printSummary(results);
    }
  } finally {
    await browser.close();
    await proxy.close();
    await server.stop();
  }
}
