import { readdirSync } from 'node:fs';
import { decoders } from '#player/decoders.ts';
import { PcmStore } from '#player/pcm-store.ts';
import { mp3Of, toneSyllables } from '#player/testing/mp3.ts';
import { expect, test } from './support/page.ts';

const RATE = 24_000;
const FILES = readdirSync(new URL('../dist/assets/', import.meta.url));

/** A worker that decodes, and imports the built decoder. */
const decodingWorker = (decoder: string): string => `
  import { MPEGDecoder } from './${decoder}';
  onmessage = async ({ data }) => {
    const decoder = new MPEGDecoder();
    await decoder.ready;
    const samples = data.flatMap((bytes) => [...decoder.decode(bytes).channelData[0]]);
    postMessage({ samples, isIsolated: crossOriginIsolated });
  };`;

test('MP3 has the same samples in a worker of the isolated page as in Node', async ({ page }) => {
  const decoder = FILES.find((name) => /^mpg123-decoder-.*\.js$/.test(name)) ?? '';
  const worker = FILES.find((name) => /^worker-.*\.js$/.test(name)) ?? '';
  // Answered with the headers of the page's own worker, on which WebAssembly and shared memory depend.
  await page.route(`**/${worker}?mp3`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: decodingWorker(decoder) });
  });
  const bytes = await mp3Of(toneSyllables(RATE / 2, RATE), RATE);
  await page.goto('/');
  const { samples, isIsolated } = await page.evaluate(
    ([url, sent]) =>
      new Promise<{ samples: number[]; isIsolated: boolean }>((resolve, reject) => {
        const thread = new Worker(url, { type: 'module' });
        thread.onmessage = ({ data }) => resolve(data);
        thread.onerror = ({ message }) => reject(new Error(message));
        const all = Uint8Array.from(sent);
        thread.postMessage([all.subarray(0, 1000), all.subarray(1000)]);
      }),
    [`assets/${worker}?mp3`, [...bytes]] as const,
  );
  const store = new PcmStore(RATE);
  await decoders.ready('mp3');
  store.appendPayload({ bytes }, 'mp3');
  expect(isIsolated).toBe(true);
  expect(Int16Array.from(samples, (sample) => Math.round(sample * 32_768))).toEqual(store.slice());
});
