import { percentile } from '#lib/statistics/percentiles.ts';
import { launchChromium } from '../../browser.ts';
import { textBox } from '../../support/page.ts';
import { startLocalServer } from '../local-server.ts';
import { ms, printTable } from '../table.ts';

const TEXT =
  'A voice is drawn while it speaks. The picture shows the samples that are heard, on the clock of the sound, and rests where nothing is said.';
/** Frames of a voice that speaks: four seconds at 60 a second. */
const FRAMES = 240;
const LIMIT_MS = 2;

/** Fields of the page's `window`. */
interface FrameWindow {
  /** Script of each frame since the voice is heard. */
  frameMs: number[];
}

/** Measures the script of animation frames in the presenter: all painters, the picture of the sound among them. */
export async function benchPicture(): Promise<void> {
  const server = await startLocalServer();
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ baseURL: server.http, viewport: { width: 1440, height: 900 } });
    // tsx names functions by a helper that the page, into which they are carried, does not have.
    await page.addInitScript('globalThis.__name = (value) => value');
    await page.addInitScript(timeFrames);
    await page.goto('/');
    await textBox(page).fill(TEXT);
    await page.getByRole('button', { name: 'Demo mode' }).click();
    await page.getByRole('button', { name: 'Leave', exact: true }).waitFor();
    await page.keyboard.press('Space');
    await page.locator('[data-word][data-state="current"]').first().waitFor();
    await page.evaluate(() => (window as unknown as FrameWindow).frameMs.splice(0));
    await page.waitForFunction(
      (frames) => (window as unknown as FrameWindow).frameMs.length >= frames,
      FRAMES,
      // The default polls in animation frames, which would be counted.
      { polling: 200 },
    );
    const frames = await page.evaluate(() => (window as unknown as FrameWindow).frameMs);
    printTable(
      'Presenter: script of an animation frame while a voice speaks',
      `Everything that is painted in it: the picture of the sound, the light of the words, figures. The limit of the picture alone is ${LIMIT_MS} ms.`,
      [
        {
          frames: String(frames.length),
          median: ms(percentile(frames, 0.5)),
          p95: ms(percentile(frames, 0.95)),
          [`within ${LIMIT_MS} ms`]: `${frames.filter((frameMs) => frameMs <= LIMIT_MS).length} of ${frames.length}`,
        },
      ],
    );
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** Runs in the page, before its code. */
function timeFrames(): void {
  const frameMs: number[] = [];
  Object.assign(window, { frameMs });
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (paint) =>
    request((atMs) => {
      const beganMs = performance.now();
      paint(atMs);
      frameMs.push(performance.now() - beganMs);
    });
}
