import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { SortedValues } from '#lib/statistics/percentiles.ts';
import { encodeWav } from '#lib/wav.ts';
import { launchChromium } from '../../browser.ts';
import { CLIP_RATE, type LabelledClip } from '../../support/labelled-clips.ts';
import { openOn, speak, textBox } from '../../support/page.ts';
import { audioFrame, startScriptedServer } from '../../support/scripted-server.ts';
import { installTap, type TapWindow } from '../../support/tap.ts';
import { startLocalServer } from '../local-server.ts';
import { ms, printTable } from '../table.ts';

const VOICE_RATE = 24_000;
const VOICE = 8000;
/** Twice through the words. */
const ROUNDS = 2;
/** Of the words and of the voice, beside what two rounds take. */
const EXTRA_S = 12;
/** Speech that is answered later is missed. */
const MOST_MS = 1000;

interface MicrophoneWindow extends TapWindow {
  /** Times at which speech began in the microphone as the page gets it, by the browser's own clock of samples. */
  onsetsMs: number[];
}

/** Must be called before the page is opened. */
async function tapMicrophone(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const AUDIBLE = 0.01;
    const QUIET_MS = 500;
    const target = window as unknown as MicrophoneWindow;
    target.onsetsMs = [];
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    const record = async (track: MediaStreamTrack) => {
      const reader = new MediaStreamTrackProcessor({ track, maxBufferSize: 1000 }).readable.getReader();
      let lastLoudMs = Number.NEGATIVE_INFINITY;
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        const samples = new Float32Array(read.value.numberOfFrames);
        read.value.copyTo(samples, { planeIndex: 0, format: 'f32-planar' });
        const { sampleRate: rate, timestamp } = read.value;
        read.value.close();
        for (const [at, sample] of samples.entries()) {
          if (Math.abs(sample) < AUDIBLE) continue;
          const nowMs = timestamp / 1000 + (at / rate) * 1000;
          if (nowMs - lastLoudMs > QUIET_MS) target.onsetsMs.push(nowMs);
          lastLoudMs = nowMs;
        }
      }
    };
    navigator.mediaDevices.getUserMedia = async (constraints) => {
      const stream = await open(constraints);
      const [track] = stream.getAudioTracks();
      if (track) void record(track.clone());
      return stream;
    };
  });
}

/** Times at which speech began in the microphone, and at which the voice fell silent at the destination. */
const timesOf = (page: Page): Promise<{ onsetsMs: number[]; silencesMs: number[] }> =>
  page.evaluate(() => {
    const { onsetsMs, tapped, tappedContexts } = window as unknown as MicrophoneWindow;
    const rate = tappedContexts.at(-1)?.sampleRate ?? 1;
    const silencesMs: number[] = [];
    let wasLoud = false;
    for (const { atMs, left } of tapped) {
      for (const [at, sample] of left.entries()) {
        if (wasLoud && sample === 0) silencesMs.push(atMs + (at / rate) * 1000);
        wasLoud = sample !== 0;
      }
    }
    return { onsetsMs, silencesMs };
  });

/** Short words in Chromium's microphone, while the page's own player speaks: everything real but the device. */
export async function benchLiveTalkOver(clips: readonly LabelledClip[]): Promise<void> {
  const words = clips.filter(({ kind }) => kind === 'one or two words');
  const directory = await mkdtemp(join(tmpdir(), 'voicewire-presenter-'));
  const file = join(directory, 'words.wav');
  const sound = words.flatMap(({ samples }) => [...samples]);
  await writeFile(
    file,
    encodeWav(
      Int16Array.from(sound, (sample) => Math.round(sample * 32_767)),
      CLIP_RATE,
    ),
  );
  const seconds = (ROUNDS * sound.length) / CLIP_RATE;
  const app = await startLocalServer();
  const voice = await startScriptedServer((_socket, message, say) => {
    if (!message.flush) return;
    const frame = new Int16Array(VOICE_RATE).fill(VOICE);
    for (let idx = 0; idx < 2 * seconds + EXTRA_S; idx += 1) say(audioFrame(frame, idx, VOICE_RATE));
  });
  const browser = await launchChromium(
    '--autoplay-policy=no-user-gesture-required',
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${file}`,
  );
  try {
    const page = await browser.newPage({ baseURL: app.http });
    // tsx names functions by a helper that the page, into which they are carried, does not have.
    await page.addInitScript('globalThis.__name = (value) => value');
    // Every word only pauses the voice, so that one turn serves them all.
    await page.addInitScript(() =>
      localStorage.setItem(
        'voicewire.microphone',
        JSON.stringify({ state: { lastingMs: 2000 }, version: 1 }),
      ),
    );
    await installTap(page);
    await tapMicrophone(page);
    await openOn(page, voice.base);
    await textBox(page).fill('A long story.');
    await speak(page).click();
    await page.waitForFunction(() => {
      const { tapped } = window as unknown as TapWindow;
      return tapped.some(({ left }) => left.some((sample) => sample !== 0));
    });
    await page.getByRole('button', { name: /^Microphone/ }).click();
    await page.getByRole('switch', { name: 'Microphone' }).click();
    await page.getByText(/^Listening/).waitFor();
    // Words before the detector listens do not count.
    await page.evaluate(() => {
      (window as unknown as MicrophoneWindow).onsetsMs.length = 0;
    });
    // One word more, because the answer to the last one may still be under way.
    await page.waitForFunction(
      (count) => (window as unknown as MicrophoneWindow).onsetsMs.length > count,
      ROUNDS * words.length,
      { timeout: (seconds + EXTRA_S) * 1000 },
    );
    const { onsetsMs, silencesMs } = await timesOf(page);
    const latencies = new SortedValues();
    const heard = onsetsMs.slice(0, -1);
    for (const onsetMs of heard) {
      const silentMs = silencesMs.find((atMs) => atMs >= onsetMs);
      if (silentMs !== undefined && silentMs - onsetMs < MOST_MS) latencies.add(silentMs - onsetMs);
    }
    printTable(
      'Talk over it in Chromium',
      'Single words in the browser’s own microphone, with its echo canceller, until the destination is silent.',
      [
        {
          words: String(heard.length),
          missed: String(heard.length - latencies.count),
          'onset to silence, median': ms(latencies.percentile(0.5)),
          p95: ms(latencies.percentile(0.95)),
        },
      ],
    );
  } finally {
    await browser.close();
    await voice.close();
    await app.stop();
    await rm(directory, { recursive: true });
  }
}
