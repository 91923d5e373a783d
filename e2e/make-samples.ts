/**
 * Records the samples that come with the page, through the page itself and the local server: `npm run samples`. What is
 * recorded differs a little each time, so they are made anew only when there is a reason to.
 */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from '@playwright/test';
import { SAMPLES, type Sample } from '#app/recordings/files/samples.ts';
import { startLocalServer } from './bench/local-server.ts';
import { launchChromium } from './browser.ts';

/** The address in the samples, for any port of their recording. */
const SHOWN = '127.0.0.1:4173';
const DIRECTORY = fileURLToPath(new URL('../public/recordings/', import.meta.url));
const MAX_BYTES = 300_000;
const SPOKEN_MS = 60_000;

/** Actions of a person on the page. */
interface Scenario {
  endpoint: string;
  /** As an earlier visit would have left them. */
  settings: Record<string, unknown>;
  scene?: Record<string, unknown>;
  act: (page: Page) => Promise<void>;
}

const STREAM = { voice_id: 1071, language: 'en', word_timestamps: true, output_format: 'pcm_16000' };

const ADDRESS = { model_id: 'eleven_flash_v2_5', output_format: 'ulaw_8000', inactivity_timeout: 180 };

const member = (name: string, voice: number, hue: number, position: number) => ({
  name,
  hue,
  position,
  volume: 1,
  muted: false,
  solo: false,
  keepOpen: false,
  settings: { voice_id: voice },
});

const TELEPHONE = { encoding: 'mulaw', sample_rate: 8000 } as const;

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'one-voice.voicewire.ndjson.gz': {
    endpoint: 'kugel-stream',
    settings: { settings: { 'kugel-stream': STREAM }, source: 'simulated' },
    async act(page) {
      await speak(
        page,
        'Words are written by a model here. Each chunk is spoken while the next is still being thought of.',
      );
      await heard(page);
    },
  },
  'barge-in.voicewire.ndjson.gz': {
    endpoint: 'kugel-stream',
    // Written slowly enough for the server to be in mid-turn when it is cut off.
    settings: {
      settings: { 'kugel-stream': STREAM },
      source: 'simulated',
      simulation: { preset: '', tokensPerSecond: 6, jitter: 0.3, seed: 7 },
    },
    async act(page) {
      await speak(
        page,
        'This one would go on for a while. Nobody is going to hear the end of it, though, whatever it is.',
      );
      await page.locator('[data-word][data-state="spoken"]').nth(6).waitFor({ timeout: SPOKEN_MS });
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await speak(page, 'Yes? I am listening.');
      await heard(page);
    },
  },
  'three-speakers.voicewire.ndjson.gz': {
    endpoint: 'kugel-multi',
    settings: {
      settings: { 'kugel-multi': { language: 'en', word_timestamps: true, output_format: 'ulaw_8000' } },
    },
    scene: {
      cast: [member('Narrator', 1071, 1, 0), member('Ada', 1075, 2, -0.6), member('Ben', 1072, 3, 0.6)],
      script: [
        'Narrator: The lamp was still lit.',
        'Ada: Who is there?',
        'Ben: Only me. I have lost the',
        'Ada (interrupts): Come in, then!',
        'Narrator: And the door was closed again.',
      ].join('\n'),
    },
    async act(page) {
      await page.getByRole('button', { name: 'Speak', exact: true }).click();
      await heard(page);
      await billed(page);
    },
  },
  'described-voice.voicewire.ndjson.gz': {
    endpoint: 'murmr',
    settings: {
      settings: {
        murmr: {
          voice_description: 'An elderly man with a deep voice, slow',
          language: 'English',
          binary_mode: true,
        },
      },
    },
    async act(page) {
      await speak(page, 'Nobody recorded this voice. It was described.');
      await heard(page);
    },
  },
  'characters.voicewire.ndjson.gz': {
    endpoint: 'elevenlabs-stream',
    settings: {
      settings: {
        'elevenlabs-stream': { ...ADDRESS, voice_id: 'EXAVITQu4vr4xnSDxMaL', chunk_length_schedule: [50] },
      },
      source: 'simulated',
    },
    async act(page) {
      await speak(page, 'Each character has its time here, and the page joins them to words. That is all.');
      await heard(page);
      await speak(page, 'Another turn, another connection.');
      await heard(page);
    },
  },
  'two-voices.voicewire.ndjson.gz': {
    endpoint: 'elevenlabs-multi',
    settings: { settings: { 'elevenlabs-multi': ADDRESS } },
    async act(page) {
      await page.getByRole('button', { name: 'Speak', exact: true }).click();
      await heard(page);
    },
  },
  'no-words.voicewire.ndjson.gz': {
    endpoint: 'deepgram',
    settings: { settings: { deepgram: { model: 'aura-2-thalia-en', ...TELEPHONE } } },
    async act(page) {
      await speak(page, 'Only bytes come back here. The times of these words are a guess.');
      await heard(page);
    },
  },
  'what-was-heard.voicewire.ndjson.gz': {
    endpoint: 'deepgram-flux',
    // Slowly enough for the turn to be open when it is cut off.
    settings: {
      settings: { 'deepgram-flux': { model: 'flux-alexis-en', ...TELEPHONE } },
      source: 'simulated',
      simulation: { preset: '', tokensPerSecond: 6, jitter: 0.3, seed: 7 },
    },
    async act(page) {
      await speak(
        page,
        'You will hear the first words of this. After that, somebody has another question, and the rest of it is never said.',
      );
      await page.locator('[data-word][data-state="spoken"]').nth(5).waitFor({ timeout: SPOKEN_MS });
      await page.getByRole('button', { name: 'Cancel', exact: true }).click();
      await speak(page, 'Of course. Which one?');
      await heard(page);
    },
  },
  'contexts-of-turns.voicewire.ndjson.gz': {
    endpoint: 'cartesia',
    settings: {
      settings: {
        cartesia: {
          cartesia_version: '2026-08-14',
          encoding: 'pcm_mulaw',
          sample_rate: 8000,
          add_timestamps: true,
        },
      },
    },
    async act(page) {
      await page.getByRole('button', { name: 'Speak', exact: true }).click();
      await heard(page);
    },
  },
  'broken-rules.voicewire.ndjson.gz': {
    endpoint: 'kugel-multi',
    settings: { settings: { 'kugel-multi': { language: 'en', output_format: 'ulaw_8000' } } },
    scene: { cast: [member('Ada', 1075, 2, 0)], script: 'Ada: This is as it should be.' },
    async act(page) {
      await page.getByRole('button', { name: 'Speak', exact: true }).click();
      await heard(page);
      await billed(page);
      await page.getByRole('button', { name: 'Send a frame' }).click();
      for (const [frame, answer] of [
        [
          '{"context_id": "ada", "text": "Twice as fast.", "voice_settings": {"voice_id": 1071, "speed": 2}}',
          'chunkCompleted',
        ],
        ['{"context_id": "nobody", "flush": true}', 'error'],
        ['{"context_id": "bob", "text": "Base sixty four, and no language.", "flush": true}', 'error'],
        ['{"text": 7}', 'error'],
        ['Hello?', 'error'],
      ] as const) {
        const before = await entry(page);
        await page.getByRole('textbox', { name: 'Frame to send' }).fill(frame);
        await page.getByRole('button', { name: /^Send (?:frame|anyway)/ }).click();
        // The answers are then between the questions. The frame itself is the entry before its answer.
        await entry(page, { after: before + 1, kind: answer });
      }
      await page.keyboard.press('Escape');
    },
  },
};

async function speak(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill(text);
  await page.getByRole('button', { name: 'Speak', exact: true }).click();
}

/**
 * Waits for an entry in the list of frames, and gives its number; of several the newest. The list has to be open.
 * @param wanted what it has to be: of that kind and turn, and with a number above `after`
 */
async function entry(
  page: Page,
  wanted: { after?: number; kind?: string; turn?: number } = {},
): Promise<number> {
  const found = await page.waitForFunction(
    ({ after = -1, kind, turn }) => {
      const list = document.querySelector('[role="treegrid"][aria-label="Frames"]');
      // A column is there only where it says something.
      const titles = [...(list?.querySelectorAll('th') ?? [])].map((title) => title.textContent);
      const numbers = [...(list?.querySelectorAll('tbody tr') ?? [])].flatMap((row) => {
        const cells = [...row.querySelectorAll('td')].map((cell) => cell.textContent);
        const isIt =
          cells.length > 0 &&
          (kind === undefined || cells[titles.indexOf('Frame')] === kind) &&
          (turn === undefined || cells[titles.indexOf('Turn')] === String(turn));
        return isIt ? Number(cells[titles.indexOf('#')]) : [];
      });
      return numbers
        .filter((number) => number > after)
        .map((number) => ({ number }))
        .at(-1);
    },
    wanted,
    { timeout: SPOKEN_MS },
  );
  return (await found.jsonValue())?.number ?? -1;
}

/** Waits until the newest turn is over and played to its end. */
async function heard(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const newest = [...document.querySelectorAll('[aria-label="Transcript"] article')].at(-1);
      const words = newest?.querySelectorAll('[data-word]') ?? [];
      return words.length > 0 && [...words].every((word) => word.getAttribute('data-state') === 'spoken');
    },
    null,
    { timeout: SPOKEN_MS },
  );
  await page.getByRole('tab', { name: /^Frames/ }).click();
  const newest = page.getByRole('region', { name: 'Transcript' }).getByRole('article').last();
  await entry(page, { kind: 'heard', turn: Number(await newest.getAttribute('data-turn')) });
}

/** Every context has its bill, which comes with its end. */
const billed = (page: Page): Promise<void> =>
  page.getByText(/^0 of \d+ contexts open$/).waitFor({ timeout: SPOKEN_MS });

async function record(browser: Browser, origin: string, sample: Sample): Promise<string> {
  const scenario = SCENARIOS[sample.file];
  if (!scenario) throw new Error(`Nothing says how ${sample.file} is made.`);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    await page.addInitScript(
      ({ settings, scene }) => {
        localStorage.setItem('voicewire.settings', JSON.stringify({ state: settings, version: 1 }));
        if (scene) localStorage.setItem('voicewire.scene', JSON.stringify({ state: scene, version: 1 }));
      },
      { settings: scenario.settings, scene: scenario.scene ?? null },
    );
    await page.goto(`${origin}/?endpoint=${scenario.endpoint}`);
    await page.getByRole('button', { name: 'Speak', exact: true }).waitFor();
    await scenario.act(page);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as Recording' }).click();
    return readFileSync(await (await download).path(), 'utf8');
  } finally {
    await context.close();
  }
}

/** The recording under the sample's name, and as if the server had been where it usually is. */
function asSample(text: string, { file, title }: Sample): string {
  const [first = '', ...rest] = text.replaceAll(new URL(server.http).host, SHOWN).split('\n');
  const header = JSON.parse(first) as { info: Record<string, unknown> };
  Object.assign(header.info, { id: file.replace(/\..*$/, ''), name: title });
  return [JSON.stringify(header), ...rest].join('\n');
}

const wanted = process.argv.slice(2);
const server = await startLocalServer();
const browser = await launchChromium();
try {
  mkdirSync(DIRECTORY, { recursive: true });
  for (const sample of SAMPLES) {
    if (wanted.length > 0 && !wanted.some((name) => sample.file.startsWith(name))) continue;
    const text = asSample(await record(browser, server.http, sample), sample);
    writeFileSync(DIRECTORY + sample.file, gzipSync(text, { level: 9 }));
    const { size } = statSync(DIRECTORY + sample.file);
    process.stdout.write(`${sample.file}: ${text.split('\n').length - 3} entries, ${size} bytes\n`);
    if (size > MAX_BYTES) throw new Error(`${sample.file} is larger than ${MAX_BYTES} bytes.`);
  }
} finally {
  await browser.close();
  await server.stop();
}
