import { expect, type Page } from '@playwright/test';
import { joinedSamples } from '#lib/pcm.ts';
import { readEnvironment } from '#server/environment.ts';
import { startServer } from '#server/running-server.ts';
import { type Engine, ORDINARY_SPEECH } from '#server/speech/engine.ts';
import { createEspeakEngine } from '#server/speech/espeak/espeak-engine.ts';
import { staticFiles } from '#server/static-files.ts';
import { speakText, turn, words } from './page.ts';
import { floatsOf, heardPieces, type TapWindow } from './tap.ts';

const SAMPLE_RATE = ORDINARY_SPEECH.sampleRate;

/** A text without a mark at which a vendor would cut it, because the words of several chunks are found one chunk after the other. */
export const LIT_TEXT =
  'This protocol says nothing of the moment at which a word begins in the sound that it sends to all of those who listen.';

/** A word is lit within this time of its sound. */
const IN_TIME_MS = 100;

/**
 * Starts a server with the page, and notes the samples of its voice and where words begin in them. The times must be those
 * of this very speech, because the engine may speak the same request differently beside others.
 */
export async function startNotedServer() {
  const espeak = await createEspeakEngine({ threads: 1 });
  const requests: { blocks: Int16Array[]; startsMs: number[] }[] = [];
  const engine: Engine = {
    async *synthesize(request, signal) {
      const noted = { blocks: [] as Int16Array[], startsMs: [] as number[] };
      requests.push(noted);
      for await (const block of espeak.synthesize(request, signal)) {
        noted.blocks.push(block.samples.slice());
        noted.startsMs.push(...block.words.map(({ startMs }) => startMs));
        yield block;
      }
    },
    close: () => espeak.close(),
  };
  const environment = readEnvironment({ PORT: '0' });
  const files = staticFiles('dist', environment.connect);
  const server = await startServer(environment, { engine, espeak, files });
  /** Returns all samples that it has spoken, and where each word begins in them. */
  const spoken = () => {
    let samples = new Int16Array();
    const starts: number[] = [];
    for (const { blocks, startsMs } of requests) {
      for (const startMs of startsMs) starts.push(samples.length + (startMs * SAMPLE_RATE) / 1000);
      samples = joinedSamples([samples, ...blocks]);
    }
    return { samples, starts };
  };
  return { ...server, spoken };
}

interface LitWindow {
  isSoundHeld: boolean;
  /** Times of the page: the frame at which it lit a word, and the frame before that. */
  lights: { beforeMs: number; atMs: number }[];
}

/**
 * Speaks {@link LIT_TEXT} while the browser blocks all sound, until its words are found, because a busy machine would play the
 * first of them before. Notes when each word is lit.
 */
export async function speakLit(page: Page): Promise<void> {
  await page.evaluate(() => {
    const target = Object.assign(window as unknown as LitWindow, { isSoundHeld: true, lights: [] });
    const { suspend, resume } = AudioContext.prototype;
    AudioContext.prototype.resume = function (this: AudioContext) {
      return (target.isSoundHeld ? suspend : resume).call(this);
    };
    let [beforeMs, frameMs] = [0, performance.now()];
    const nextFrame = () => {
      beforeMs = frameMs;
      frameMs = performance.now();
      requestAnimationFrame(nextFrame);
    };
    nextFrame();
    new MutationObserver(() => {
      const isLit = '[data-word]:is([data-state="current"], [data-state="spoken"])';
      const count = document.querySelectorAll(isLit).length;
      const atMs = performance.now();
      // The page may light words before or behind `nextFrame` of the same frame.
      while (target.lights.length < count) target.lights.push({ beforeMs, atMs });
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
  });
  await speakText(page, LIT_TEXT);
  await expect(turn(page, 1)).toContainText('words measured');
  await page.evaluate(() => {
    (window as unknown as LitWindow).isSoundHeld = false;
  });
  await page.getByRole('button', { name: 'Enable sound' }).click();
}

/**
 * Expects that 95 % of the words were lit within 100 ms of their sound. A word is lit by the first frame behind its start, so
 * that a slow machine is no error: any time between two frames counts as none.
 */
export async function expectLitInTime(
  page: Page,
  { samples, starts }: { samples: Int16Array; starts: readonly number[] },
): Promise<void> {
  await expect(words(page)).toHaveCount(starts.length);
  const pieces = await heardPieces(page, floatsOf(samples));
  expect(pieces.at(-1)?.to).toBeGreaterThan(starts.at(-1) ?? Number.POSITIVE_INFINITY);
  const frames = starts.map((start) => {
    const piece = pieces.findLast(({ from }) => from <= start);
    return (piece?.at ?? Number.NaN) + start - (piece?.from ?? 0);
  });
  const errors = await page.evaluate((frames) => {
    const { tapped, tappedContexts, lights } = window as unknown as TapWindow & LitWindow;
    const context = tappedContexts.length - 1;
    const blocks = tapped.filter((block) => block.context === context);
    const originMs = blocks.reduce((least, { atMs, readMs }) => Math.min(least, readMs - atMs), Infinity);
    const { sampleRate = 0, outputLatency = 0, baseLatency = 0 } = tappedContexts[context] ?? {};
    const first = blocks[0]?.frame ?? 0;
    return frames.map((frame, at) => {
      const block = blocks.findLast((block) => block.frame - first <= frame);
      const inBlockMs = (1000 * (frame + first - (block?.frame ?? 0))) / sampleRate;
      const soundMs = originMs + (block?.atMs ?? 0) + inBlockMs + 1000 * (outputLatency || baseLatency);
      const { beforeMs, atMs } = lights[at] ?? { beforeMs: Infinity, atMs: Infinity };
      return Math.round(Math.min(0, atMs - soundMs) + Math.max(0, beforeMs - soundMs));
    });
  }, frames);
  const inTime = errors.filter((error) => Math.abs(error) <= IN_TIME_MS).length;
  expect(inTime / errors.length, `ms off: ${errors.join(', ')}`).toBeGreaterThanOrEqual(0.95);
}
