import type { Page } from '@playwright/test';
import { launchChromium } from '../browser.ts';
import { RATE } from '../support/frames.ts';
import { openOn, speak, textBox } from '../support/page.ts';
import { startUnisolated } from '../support/page-host.ts';
import { tone } from '../support/scripted-server.ts';
import { installTap, recorded, type TapWindow } from '../support/tap.ts';
import { block, startToneServer } from '../support/tone-server.ts';
import { startLocalServer } from './local-server.ts';
import { printTable } from './table.ts';

const BLOCK_MS = 2000;
const SECONDS = 6;

/** Silence inside the tone: what a listener hears as a gap. */
function silentMs(samples: Float32Array): number {
  const first = samples.findIndex((sample) => sample !== 0);
  const last = samples.findLastIndex((sample) => sample !== 0);
  let silent = 0;
  for (let at = first; at < last; at += 1) {
    // The tone itself never has two samples of 0 in a row.
    if (samples[at] === 0 && samples[at + 1] === 0) silent += 1;
  }
  return (silent / RATE) * 1000;
}

const audible = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => {
    const { tapped } = window as unknown as TapWindow;
    return tapped.some(({ left }) => left.some((sample) => sample !== 0));
  });
};

/** The socket and the playing on the page's own thread, as most examples do it: the control. */
const playOnPage = (page: Page, base: string): Promise<void> =>
  page.evaluate((address) => {
    const context = new AudioContext({ sampleRate: 24_000 });
    let cursor = 0;
    const gain = context.createGain();
    gain.connect(context.destination);
    const socket = new WebSocket(`${address}/ws/tts/stream`);
    socket.onopen = () => socket.send(JSON.stringify({ text: 'La', flush: true }));
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data) as { audio?: string };
      if (!frame.audio) return;
      const bytes = Uint8Array.from(atob(frame.audio), (character) => character.charCodeAt(0));
      const samples = Float32Array.from(new Int16Array(bytes.buffer), (sample) => sample / 32_768);
      const buffer = context.createBuffer(1, samples.length, 24_000);
      buffer.copyToChannel(samples, 0);
      const source = context.createBufferSource();
      source.buffer = buffer;
      source.connect(gain);
      cursor = Math.max(cursor, context.currentTime);
      source.start(cursor);
      cursor += buffer.duration;
    };
  }, base);

/** The page's thread is busy for 2 s while a paced tone plays. */
export async function benchMainThreadBlock(): Promise<void> {
  const samples = tone(SECONDS * RATE, RATE);
  const app = await startLocalServer();
  const browser = await launchChromium('--autoplay-policy=no-user-gesture-required');
  const unisolated = await startUnisolated(app.http);
  const rows: Record<string, string>[] = [];
  try {
    for (const player of [
      'Voicewire, shared memory',
      'Voicewire, messages',
      'control: all on the page',
    ] as const) {
      const server = await startToneServer(samples);
      const page = await browser.newPage({ baseURL: app.http });
      // tsx names functions by a helper that the page, into which they are carried, does not have.
      await page.addInitScript('globalThis.__name = (value) => value');
      await installTap(page);
      await openOn(page, server.base, player === 'Voicewire, messages' ? unisolated.origin : '');
      if (player.startsWith('control')) await playOnPage(page, server.base);
      else {
        await textBox(page).fill('La');
        await speak(page).click();
      }
      await audible(page);
      await block(page, BLOCK_MS);
      await page.waitForFunction((quietFrames) => {
        const { tapped } = window as unknown as TapWindow;
        const lastSound = tapped.findLast(({ left }) => left.some((sample) => sample !== 0));
        return (tapped.at(-1)?.frame ?? 0) - (lastSound?.frame ?? 0) > quietFrames;
      }, RATE);
      const heard = (await recorded(page)).samples;
      const sounding = heard.filter((sample) => sample !== 0).length;
      rows.push({
        player,
        'silence inside': `${silentMs(heard).toFixed(0)} ms`,
        'samples sent': String(samples.filter((sample) => sample !== 0).length),
        'samples heard': String(sounding),
      });
      await page.close();
      await server.close();
    }
  } finally {
    await browser.close();
    await unisolated.close();
    await app.stop();
  }
  printTable(
    'A page that is blocked for 2 s while a tone plays, paced in real time with 300 ms in hand',
    'Recorded at the destination in Chromium. Heard exceeds sent by a ramp of 64 samples where playing starts or stops in the middle of a wave.',
    rows,
  );
}
