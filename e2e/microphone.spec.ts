import type { Page } from '@playwright/test';
import { marked } from '#player/testing/traces.ts';
import { createEspeakEngine } from '#server/speech/espeak/espeak-engine.ts';
import { RATE } from './support/frames.ts';
import { CLIP_RATE, labelledClips } from './support/labelled-clips.ts';
import { expectGoodLooks } from './support/looks.ts';
import {
  test as base,
  expect,
  openOn,
  speak,
  textBox,
  transcript,
  turn,
  wordsBegin,
} from './support/page.ts';
import { audioFrame, startScriptedServer } from './support/scripted-server.ts';
import { floatsOf, heardPieces } from './support/tap.ts';

type Clip = 'word' | 'question';

/** One short word, which is no longer than a cough, and a question, as a microphone hears them. */
async function spokenClips(): Promise<Record<Clip, string>> {
  const engine = await createEspeakEngine({ threads: 1 });
  const clips = await labelledClips(
    engine,
    17,
    (kind, name) => name === '“Wait.”' || (kind === 'speech, quiet room' && name === 'in en'),
  ).finally(() => engine.close());
  const base64Of = (kind: string): string => {
    const clip = clips.find((each) => each.kind === kind);
    if (!clip) throw new Error(`The set has no clip of ${kind}.`);
    return Buffer.from(clip.samples.buffer).toString('base64');
  };
  return { word: base64Of('one or two words'), question: base64Of('speech, quiet room') };
}

interface MicrophoneWindow {
  /** Says a clip into the microphone, again and again, because a busy machine may lose a part of it. */
  say(clip: Clip): void;
  hush(): void;
  /** What the page asks of the browser. */
  asked: MediaStreamConstraints;
  track: MediaStreamTrack;
}

/** A page whose microphone hears silence, and a clip when the test says so. */
const test = base.extend<object, { clips: Record<Clip, string> }>({
  // Playwright requires the pattern.
  // biome-ignore lint/correctness/noEmptyPattern: the fixture needs no other.
  clips: [async ({}, use) => use(await spokenClips()), { scope: 'worker' }],
  page: async ({ page, clips }, use) => {
    await page.addInitScript(installMicrophone, { clips, rate: CLIP_RATE });
    await use(page);
  },
});

/** Runs in the page. */
function installMicrophone({ clips, rate }: { clips: Record<Clip, string>; rate: number }): void {
  navigator.mediaDevices.getUserMedia = async (asked) => {
    const context = new AudioContext();
    const room = new MediaStreamAudioDestinationNode(context, { channelCount: 1 });
    let spoken: AudioBufferSourceNode | undefined;
    const say = (clip: Clip) => {
      const bytes = Uint8Array.from(atob(clips[clip]), (character) => character.charCodeAt(0));
      const samples = new Float32Array(bytes.buffer);
      const buffer = context.createBuffer(1, samples.length, rate);
      buffer.copyToChannel(samples, 0);
      spoken = new AudioBufferSourceNode(context, { buffer, loop: true });
      spoken.connect(room);
      spoken.start();
    };
    const hush = () => spoken?.stop();
    Object.assign(window, { say, hush, asked, track: room.stream.getAudioTracks()[0] });
    return room.stream;
  };
}

const say = (page: Page, clip: Clip) =>
  page.evaluate((clip) => (window as unknown as MicrophoneWindow).say(clip), clip);
const hush = (page: Page) => page.evaluate(() => (window as unknown as MicrophoneWindow).hush());

/** Blocks the page's thread until the promise settles. */
async function blockUntil(page: Page, settled: Promise<void>): Promise<void> {
  await page.route('**/blocked', async (route) => {
    await settled;
    await route.fulfill({ body: '' });
  });
  await page.evaluate(() => {
    const request = new XMLHttpRequest();
    request.open('GET', '/blocked', false);
    request.send();
  });
}

/** Longer than any test takes. */
const SECONDS = 120;

/** Says a long known sound at once, and confirms a cancel. */
async function startVoice(samples: Int16Array) {
  let cancel = () => {};
  const cancelled = new Promise<void>((resolve) => {
    cancel = resolve;
  });
  const server = await startScriptedServer((_socket, message, say) => {
    if (message.cancel) {
      say({ interrupted: true });
      cancel();
    }
    if (message.text) say({ generation_started: true, chunk_id: 0, text: message.text });
    if (!message.flush) return;
    for (let idx = 0; idx < SECONDS; idx += 1) {
      say(audioFrame(samples.subarray(idx * RATE, (idx + 1) * RATE), idx, RATE));
    }
  });
  return { ...server, cancelled };
}

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

/** Waits until the voice was paused. */
const paused = (page: Page) =>
  page.waitForFunction(() => {
    const { said } = window as unknown as { said: string[] };
    return said.includes('You speak; the voice is paused');
  });

test('a short sound pauses the voice, which goes on with the next sample; speech ends it past a blocked page', async ({
  page,
}) => {
  const samples = marked(SECONDS * RATE, 5).map((sample) => sample >> 2);
  const server = await startVoice(samples);
  await keepStatus(page);
  await openOn(page, server.base);
  await textBox(page).fill('A long story.');
  await switchOn(page);
  await expect(composer(page).getByText(/^Listening/)).toBeVisible();
  expect(await page.evaluate(() => (window as unknown as MicrophoneWindow).asked)).toEqual({
    audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 },
  });
  await page.keyboard.press('Escape');
  await speak(page).click();
  await expect(turn(page, 1)).toContainText('Speaking');
  await say(page, 'word');
  await paused(page);
  await hush(page);
  await expect(composer(page).getByText(/^Listening/)).toBeVisible();
  expect(server.received.some((message) => message.cancel === true)).toBe(false);
  // The clip begins with a second of silence.
  await say(page, 'question');
  await blockUntil(page, server.cancelled);
  await expect(turn(page, 1)).toContainText('Cancelled');

  // Nothing is lost or repeated at a pause.
  expect((await heardPieces(page, floatsOf(samples))).length).toBeGreaterThan(1);
  await page.getByRole('tab', { name: 'Usage' }).click();
  for (const name of ['Speech to decision', 'Speech to silence', 'Speech to interrupted']) {
    await expect(page.getByRole('row', { name: new RegExp(`^${name}.* ms`) })).toBeVisible();
  }
  await microphone(page).click();
  await expectGoodLooks(page, 'the open microphone');
  await server.close();
});

test('speech over the demo stops its playlist, which waits at the item', async ({ page }) => {
  const server = await startVoice(marked(SECONDS * RATE, 6).map((sample) => sample >> 2));
  await openOn(page, server.base);
  await page.getByRole('button', { name: 'Demo mode' }).click();
  await page.getByRole('button', { name: 'Playlist', exact: true }).click();
  const lines = page.getByRole('textbox', { name: 'Lines of your own' });
  await lines.fill('A long story.');
  await lines.press('Control+Enter');
  await page.getByRole('button', { name: 'Close the playlist' }).click();
  await switchOn(page);
  await expect(page.getByText(/^Listening/)).toBeVisible();
  await page.keyboard.press('Escape');
  await expectGoodLooks(page, 'the presenter with the microphone');
  await page.getByRole('button', { name: 'Start' }).click();
  await expect(page.getByRole('button', { name: 'Next' })).toBeVisible();
  await wordsBegin(transcript(page));
  await say(page, 'question');
  await server.cancelled;
  await expect(page.getByRole('button', { name: 'Start' })).toBeVisible();
  expect(server.received.filter(({ text }) => text)).toHaveLength(1);
  await server.close();
});

test('names a refused, a missing and an unplugged microphone, and a browser without speech recognition, on a phone', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.addInitScript(() => {
    const target = window as unknown as { fails: string | null };
    target.fails = 'NotAllowedError';
    Reflect.deleteProperty(window, 'webkitSpeechRecognition');
    Reflect.deleteProperty(window, 'SpeechRecognition');
    const real = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (constraints) => {
      if (target.fails !== null) throw new DOMException('No.', target.fails);
      return await real(constraints);
    };
  });
  const server = await startVoice(marked(SECONDS * RATE, 7).map((sample) => sample >> 2));
  await openOn(page, server.base);
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
  await page.evaluate(() => (window as unknown as MicrophoneWindow).track.dispatchEvent(new Event('ended')));
  await expect(composer(page).getByText('The microphone was disconnected.')).toBeVisible();
  await expect(page.getByText('Speaking').first()).toBeVisible();
  await server.close();
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
  await expect(composer(page).getByText(/^Listening/)).toBeVisible();
  await say(page, 'question');
  await expect(composer(page).getByText('You speak')).toBeVisible();
  await page.evaluate(() => {
    const { recognition } = window as unknown as { recognition: { onresult: (event: object) => void } };
    const result = Object.assign([{ transcript: ' Tell me a story. ' }], { isFinal: true });
    recognition.onresult({ resultIndex: 0, results: [result] });
  });
  await expect(textBox(page)).toHaveValue('Tell me a story.');
});
