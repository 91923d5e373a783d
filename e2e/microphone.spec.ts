import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { encodeWav } from '#lib/wav.ts';
import { marked } from '#player/testing/traces.ts';
import { createEspeakEngine } from '#server/speech/espeak/espeak-engine.ts';
import { CLIP_RATE, labelledClips } from './support/labelled-clips.ts';
import { expectGoodLooks } from './support/looks.ts';
import { test as base, expect, openOn, speak, textBox } from './support/page.ts';
import { audioFrame, startScriptedServer } from './support/scripted-server.ts';
import { recorded } from './support/tap.ts';
import { block, TONE_RATE as RATE } from './support/tone-server.ts';

/** Before the first sound. Detector and voice begin in it, on a slow machine too. */
const QUIET_S = 10;
/** Between the two sounds, in which the voice goes on. Each also has a second of silence before and behind it. */
const PAUSE_S = 1;

/** One short word, which is no longer than a cough, and later a question, as the microphone hears them over and over. */
async function spokenWav(): Promise<Uint8Array> {
  const engine = await createEspeakEngine({ threads: 1 });
  const clips = await labelledClips(
    engine,
    17,
    (kind, name) => name === '“Wait.”' || (kind === 'speech, quiet room' && name === 'in en'),
  ).finally(() => engine.close());
  const quiet = new Float32Array(QUIET_S * CLIP_RATE);
  const pause = new Float32Array(PAUSE_S * CLIP_RATE);
  const short = clips.find(({ kind }) => kind === 'one or two words');
  const question = clips.find(({ kind }) => kind === 'speech, quiet room');
  if (!short || !question) throw new Error('The set has no such clips.');
  const sounds = [quiet, short.samples, pause, question.samples];
  const whole = Int16Array.from(
    sounds.flatMap((sound) => [...sound]),
    (sample) => Math.round(sample * 32_767),
  );
  return encodeWav(whole, CLIP_RATE);
}

/** A browser whose microphone hears the file. */
const test = base.extend<object, { launchOptions: object }>({
  launchOptions: [
    async ({ launchOptions }, use) => {
      const directory = await mkdtemp(join(tmpdir(), 'voicewire-microphone-'));
      const file = join(directory, 'spoken.wav');
      await writeFile(file, await spokenWav());
      const args = [
        ...(launchOptions.args ?? []),
        '--use-fake-ui-for-media-stream',
        '--use-fake-device-for-media-stream',
        `--use-file-for-fake-audio-capture=${file}`,
      ];
      await use({ ...launchOptions, args });
      await rm(directory, { recursive: true });
    },
    { scope: 'worker' },
  ],
});

const SECONDS = 20;

/** Says a known sound of 20 s at once, and confirms a cancel. */
const startVoice = (samples: Int16Array) =>
  startScriptedServer((_socket, message, say) => {
    if (message.cancel) say({ interrupted: true });
    if (message.text) say({ generation_started: true, chunk_id: 0, text: message.text });
    if (!message.flush) return;
    for (let idx = 0; idx < SECONDS; idx += 1) {
      say(audioFrame(samples.subarray(idx * RATE, (idx + 1) * RATE), idx, RATE));
    }
  });

const microphone = (page: Page) => page.getByRole('button', { name: /^Microphone/ });
const composer = (page: Page) => page.getByRole('region', { name: 'Composer' });

async function switchOn(page: Page): Promise<void> {
  await microphone(page).click();
  await page.getByRole('switch', { name: 'Microphone' }).click();
}

/** Keeps what the strip of the microphone says, because a pause is over before Playwright looks again. */
const keepStatus = (page: Page) =>
  page.addInitScript(() => {
    const said: string[] = [];
    Object.assign(window, { said });
    addEventListener('DOMContentLoaded', () => {
      new MutationObserver(() => {
        const status = [...document.querySelectorAll('[role="status"]')]
          .map(({ textContent }) => textContent)
          .find((text) => /^(?:Listening|You speak)/.test(text));
        if (status && said.at(-1) !== status) said.push(status);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
  });

/** Waits until the voice was paused and the person is silent again. */
const pauseOver = (page: Page) =>
  page.waitForFunction(() => {
    const { said } = window as unknown as { said: string[] };
    return said.includes('You speak; the voice is paused') && said.at(-1)?.startsWith('Listening');
  });

test('a short sound pauses the voice, which goes on with the same sample; speech ends it past a blocked page', async ({
  page,
}) => {
  const samples = marked(SECONDS * RATE, 5).map((sample) => sample >> 2);
  const server = await startVoice(samples);
  await keepStatus(page);
  await openOn(page, server.base);
  await textBox(page).fill('A long story.');
  await switchOn(page);
  await expect(composer(page).getByText(/^Listening/)).toBeVisible();
  await page.keyboard.press('Escape');
  await speak(page).click();
  await pauseOver(page);
  expect(server.received.some((message) => message.cancel === true)).toBe(false);
  // The question comes while the page is blocked.
  const isCancelled = expect
    .poll(() => server.received.some((message) => message.cancel === true), {
      intervals: [10],
      timeout: 20_000,
    })
    .toBe(true)
    .then(() => 'cancelled');
  const unblocked = block(page, 6000).then(() => 'unblocked');
  expect(await Promise.race([isCancelled, unblocked])).toBe('cancelled');
  await unblocked;
  await expect(page.getByText('Cancelled').first()).toBeVisible();

  const heard = [...(await recorded(page)).samples].map(
    (sample) => Math.round(sample * 32_768 * 1024) / 1024,
  );
  const runs = runsOf(heard, samples);
  expect(runs).toHaveLength(2);
  const [first, second] = runs;
  expect(first?.from).toBe(0);
  expect(second?.from).toBe(first?.to);
  await page.getByRole('tab', { name: 'Usage' }).click();
  for (const name of ['Speech to decision', 'Speech to silence', 'Speech to interrupted']) {
    await expect(page.getByRole('row', { name: new RegExp(`^${name}.* ms`) })).toBeVisible();
  }
  await microphone(page).click();
  await expectGoodLooks(page, 'the open microphone');
  await server.close();
});

test('speech over the demo stops its programme, which waits at the item', async ({ page }) => {
  const server = await startVoice(marked(SECONDS * RATE, 6).map((sample) => sample >> 2));
  await openOn(page, server.base);
  await page.getByRole('button', { name: 'Demo mode' }).click();
  await page.getByRole('button', { name: 'Programme', exact: true }).click();
  const lines = page.getByRole('textbox', { name: 'Lines of your own' });
  await lines.fill('A long story.');
  await lines.press('Control+Enter');
  await page.getByRole('button', { name: 'Close the programme' }).click();
  await switchOn(page);
  await expect(page.getByText(/^Listening/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expectGoodLooks(page, 'the stage with the microphone');
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page.getByRole('button', { name: 'Next' })).toBeVisible();
  await expect
    .poll(() => server.received.some((message) => message.cancel === true), { timeout: 20_000 })
    .toBe(true);
  await expect(page.getByRole('button', { name: 'Start' })).toBeVisible();
  expect(server.received.filter(({ text }) => text)).toHaveLength(1);
  await server.close();
});

/** The parts of the voice that were heard without a break. */
function runsOf(heard: readonly number[], samples: Int16Array): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  const PROOF = 200;
  let next = 0;
  for (let at = 0; at < heard.length; at += 1) {
    const proof = samples.subarray(next, next + PROOF);
    if (proof.length === 0 || !proof.every((sample, i) => heard[at + i] === sample)) continue;
    const from = next;
    for (; next < samples.length && heard[at] === samples[next]; next += 1) at += 1;
    runs.push({ from, to: next });
  }
  return runs;
}

test('names a refused, a missing and an unplugged microphone, and a browser without speech recognition, on a phone', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.addInitScript(() => {
    const target = window as unknown as { fails: string | null; track: MediaStreamTrack | undefined };
    target.fails = 'NotAllowedError';
    Reflect.deleteProperty(window, 'webkitSpeechRecognition');
    Reflect.deleteProperty(window, 'SpeechRecognition');
    const real = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (constraints) => {
      if (target.fails !== null) throw new DOMException('No.', target.fails);
      const stream = await real(constraints);
      [target.track] = stream.getAudioTracks();
      return stream;
    };
  });
  await page.goto('/');
  await switchOn(page);
  await expect(page.getByText('This browser cannot recognise speech, so typing remains.')).toBeVisible();
  await expect(page.getByText('The microphone was refused.').first()).toBeVisible();
  await expectGoodLooks(page, 'the microphone on a phone');
  const turnOn = page.getByRole('switch', { name: 'Microphone' });
  await page.evaluate(() => Object.assign(window, { fails: 'NotFoundError' }));
  await turnOn.click();
  await expect(page.getByText('There is no microphone.').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await speak(page).click();
  await expect(page.getByText('Speaking').first()).toBeVisible();
  await page.evaluate(() => Object.assign(window, { fails: null }));
  await switchOn(page);
  await expect(composer(page).getByText(/^Listening/)).toBeVisible();
  await page.evaluate(() => {
    const { track } = window as unknown as { track: MediaStreamTrack | undefined };
    track?.dispatchEvent(new Event('ended'));
  });
  await expect(composer(page).getByText('The microphone was disconnected.')).toBeVisible();
  await expect(page.getByText('Speaking').first()).toBeVisible();
});

test('what is said becomes the text, once the person has switched that on', async ({ page }) => {
  await page.addInitScript(() => {
    class Recognition extends EventTarget {
      lang = '';
      onresult: ((event: object) => void) | null = null;
      start() {
        Object.assign(window, { recognition: this });
      }
      abort() {}
    }
    Object.assign(window, { SpeechRecognition: Recognition, webkitSpeechRecognition: Recognition });
  });
  await page.goto('/');
  await switchOn(page);
  await expect(page.getByText(/Chrome to Google/)).toBeVisible();
  await page.getByRole('switch', { name: 'Write what I say' }).click();
  // A person speaks: without that, the text would be the voice's own.
  await expect(composer(page).getByText('You speak')).toBeVisible();
  await page.evaluate(() => {
    const { recognition } = window as unknown as { recognition: { onresult: (event: object) => void } };
    const result = Object.assign([{ transcript: ' Tell me a story. ' }], { isFinal: true });
    recognition.onresult({ resultIndex: 0, results: [result] });
  });
  await expect(textBox(page)).toHaveValue('Tell me a story.');
});
