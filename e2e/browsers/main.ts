import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startLocalServer } from '../bench/local-server.ts';
import { startFirefox } from './firefox.ts';
import { startWebKit } from './webdriver.ts';

/**
 * `npm run e2e:browsers`: one story on every endpoint in Firefox and WebKit, where they are installed. Their sound goes to a
 * PulseAudio of its own, because without an output they never start an audio clock.
 */

/** A browser that Playwright does not drive, with what the story needs. */
export interface DrivenBrowser {
  readonly version: string;
  open(url: string): Promise<void>;
  /** The value of an expression in the page, as JSON. */
  evaluate(expression: string): Promise<unknown>;
  /** Clicks an element as a person does, because sound starts only then. @param path in XPath */
  press(path: string): Promise<void>;
  close(): Promise<void>;
}

const WITHIN_MS = 60_000;
const STEP_MS = 50;

const BROWSERS = [
  { program: '/usr/bin/firefox-esr', packages: 'firefox-esr', start: startFirefox },
  {
    program: '/usr/bin/WebKitWebDriver',
    packages: 'webkit2gtk-driver xvfb gstreamer1.0-plugins-good gstreamer1.0-pulseaudio',
    start: startWebKit,
  },
] as const;
const PULSE_AUDIO = '/usr/bin/pulseaudio';

/** “Speaker” begins like “Speak”. */
const button = (text: string) =>
  `//button[starts-with(normalize-space(.), "${text}") and not(starts-with(normalize-space(.), "${text}er"))]`;
const count = (states: string) =>
  `document.querySelectorAll('[data-word]:is(${states.replace(/\w+/g, (state) => `[data-state="${state}"]`)})').length`;
const LIT = count('spoken, current');
const IS_SPOKEN = `${count('spoken')} > 0 && ${count('pending, current')} === 0`;
const ALERTS = `[...document.querySelectorAll('[role="alert"]')].map((node) => node.textContent)`;
const STATES = `document.body.innerText.match(/\\b(?:Speaking|Cancelled)\\b/g) ?? []`;

async function until<T>(what: string, read: () => Promise<T>, isMet: (value: T) => boolean): Promise<T> {
  const untilMs = performance.now() + WITHIN_MS;
  let value = await read();
  while (!isMet(value)) {
    if (performance.now() > untilMs) throw new Error(`${what}, got ${JSON.stringify(value).slice(0, 400)}`);
    await setTimeout(STEP_MS);
    value = await read();
  }
  return value;
}

/** Speaks a turn to its end with words that light in order, and cuts off a second one. */
async function tell(browser: DrivenBrowser, http: string, endpoint: string): Promise<void> {
  const read = <T>(expression: string) => browser.evaluate(expression) as Promise<T>;
  const states = () => read<string[]>(STATES);
  await browser.open(`${http}/?endpoint=${endpoint}`);
  const speak = `!!document.evaluate('${button('Speak')}[not(@disabled)]', document, null, 9).singleNodeValue`;
  await until('expected Speak', () => read<boolean>(speak), Boolean);
  await browser.press(button('Speak'));
  const lit: number[] = [];
  const isSpoken = async () => {
    lit.push(await read<number>(LIT));
    return read<boolean>(IS_SPOKEN);
  };
  await until('expected all turns to be spoken', isSpoken, Boolean);
  const words = await read<number>(`document.querySelectorAll('[data-word]').length`);
  if (words < 3 || lit.some((count, at) => count < (lit[at - 1] ?? 0)) || (await read<number>(LIT)) !== words)
    throw new Error(`expected ${words} words to light in order, got ${[...new Set(lit)].join(', ')}`);
  await browser.press(button('Speak'));
  await until('expected a second turn', states, (all) => all.includes('Speaking'));
  await browser.press(button('Cancel'));
  await until('expected it to be cut off', states, (all) => all.includes('Cancelled'));
  const alerts = await read<string[]>(ALERTS);
  if (alerts.some((alert) => alert !== '')) throw new Error(`expected no alert, got ${alerts.join(' ')}`);
}

async function withSound<T>(use: (environment: NodeJS.ProcessEnv) => Promise<T>): Promise<T> {
  if (!existsSync(PULSE_AUDIO)) return use(process.env);
  const directory = await mkdtemp(join(tmpdir(), 'voicewire-sound-'));
  const socket = join(directory, 'socket');
  const modules = [`module-native-protocol-unix socket=${socket} auth-anonymous=1`, 'module-null-sink'];
  const args = [
    '-n',
    '--daemonize=no',
    '--exit-idle-time=-1',
    ...modules.flatMap((module) => ['-L', module]),
  ];
  const child = spawn(PULSE_AUDIO, args, {
    stdio: 'ignore',
    env: { ...process.env, XDG_RUNTIME_DIR: directory, PULSE_RUNTIME_PATH: directory },
  });
  try {
    await until('expected PulseAudio to start', async () => existsSync(socket), Boolean);
    return await use({ ...process.env, PULSE_SERVER: `unix:${socket}` });
  } finally {
    child.kill('SIGTERM');
    await rm(directory, { recursive: true, force: true });
  }
}

async function tryBrowser({ program, packages, start }: (typeof BROWSERS)[number], http: string) {
  if (!existsSync(program)) {
    process.stdout.write(
      `Not run: ${program} is not installed. On Debian: apt-get install ${packages} pulseaudio\n`,
    );
    return;
  }
  await withSound(async (environment) => {
    const browser = await start(program, environment);
    try {
      for (const endpoint of ['kugel-stream', 'kugel-multi', 'murmr']) {
        await tell(browser, http, endpoint).then(
          () => process.stdout.write(`${browser.version}, ${endpoint}: good\n`),
          (error: Error) => {
            process.stdout.write(`${browser.version}, ${endpoint}: ${error.message}\n`);
            process.exitCode = 1;
          },
        );
      }
    } finally {
      await browser.close();
    }
  });
}

const server = await startLocalServer();
try {
  for (const browser of BROWSERS) await tryBrowser(browser, server.http);
} finally {
  await server.stop();
}
