import { type FuzzLimits, type FuzzPart, type FuzzResult, runFuzz } from '../fuzz-part.ts';
import { attackBrowser } from './page-part.ts';

interface PageFuzzLimits extends Omit<FuzzLimits, 'lanes'> {
  /** Files to import. `frames` is over all endpoints. */
  files: number;
}

interface PageVerdict {
  results: readonly FuzzResult[];
  goodTurns: number;
  mostNodes: number;
  /** Faults of the page that no finding names. */
  problems: readonly string[];
}

/** A case takes seconds, and some of the failing ones a minute. */
const SHRINK_WITHIN_MS = 90_000;

/** Attacks the built page in Chromium. @param server that serves the page and speaks its good turns */
export async function fuzzPage(
  server: { http: string; ws: string },
  { files, ...limits }: PageFuzzLimits,
): Promise<PageVerdict> {
  const browser = await attackBrowser(server);
  try {
    const results: FuzzResult[] = [];
    const run = async <Case>(part: FuzzPart<Case>, frames: number) => {
      // Where many cases fail slowly, each part still has its share of the time.
      const shareMs = (limits.untilMs - performance.now()) / (browser.attacks.length + 1 - results.length);
      const untilMs = performance.now() + shareMs;
      const own = { ...limits, frames, untilMs, lanes: 1, shrinkWithinMs: SHRINK_WITHIN_MS };
      results.push(await runFuzz(part, own));
    };
    for (const part of browser.attacks) await run(part, Math.ceil(limits.frames / browser.attacks.length));
    await run(browser.files, files);
    const found = results.flatMap(({ findings }) => findings.map(({ problem }) => problem));
    return {
      results,
      goodTurns: browser.goodTurns,
      mostNodes: browser.mostNodes,
      problems: browser.faults().filter((fault) => !found.some((problem) => problem.includes(fault))),
    };
  } finally {
    await browser.close();
  }
}
