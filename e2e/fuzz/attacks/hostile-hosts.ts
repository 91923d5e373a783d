import { setImmediate } from 'node:timers/promises';
import { startTestVendor, type TestVendor } from '#server/relay/vendor.test-helper.ts';
import {
  drained,
  type Script,
  startScriptedServer,
} from '#server/speech/openai/scripted-server.test-helper.ts';

/** A vendor and a speech server at their worst. */
export interface HostileHosts {
  vendor: TestVendor;
  /** Has a server use both. */
  environment: Record<string, string>;
}

/** Messages that the vendor sends at once: each the last digit of its number. */
export const FLOOD = 300_000;
const DRIP_EVERY_MS = 300;
const FEEDS = Buffer.alloc(65_536, '\n');

const captions = (words: number, word: string): string => {
  const stamp = JSON.stringify({ word, start_time: 0, end_time: 0.1 });
  return `{"audio":"","timestamps":[${Array<string>(words).fill(stamp).join()}]}\n`;
};

/** How the speech server answers in each voice. */
const SCRIPTS: Readonly<Record<string, Script>> = {
  'long-words': (response) => void response.end(captions(20, 'a'.repeat(1_000_000))),
  'many-words': (response) => void response.end(captions(400_000, 'a')),
  'many-lines': (response) => void response.end(captions(0, '').repeat(700_000)),
  drip(response) {
    const timer = setInterval(() => response.write(' '), DRIP_EVERY_MS);
    response.once('close', () => clearInterval(timer));
  },
  async feeds(response) {
    while (!response.destroyed) {
      if (response.write(FEEDS)) await setImmediate();
      else await drained(response);
    }
  },
};

/** The speech server's voices. Espeak speaks in all others. */
export const HOSTILE_VOICES = Object.keys(SCRIPTS);

/** The vendor floods each socket, answers calls with their request, and is silent at paths with `silence`. */
export async function startHostileHosts(): Promise<HostileHosts> {
  const speech = await startScriptedServer({ captions: true });
  speech.always((response, exchange) => {
    response.setHeader('Content-Type', 'application/json');
    return SCRIPTS[String(exchange.body.voice)]?.(response, exchange);
  });
  const vendor = await startTestVendor();
  const accept = vendor.upgrade;
  const frames = Array.from({ length: FLOOD }, (_, at) => Buffer.from(`\x81\x01${at % 10}`, 'latin1'));
  const flood = Buffer.concat(frames);
  vendor.upgrade = (request, socket, head) => {
    accept(request, socket, head);
    socket.write(flood);
  };
  vendor.answer = ({ method, url }, response) => {
    if (!url?.includes('silence')) response.end(`${method} ${url}`);
  };
  const environment = {
    VOICEWIRE_RELAY_KUGEL: vendor.base.href,
    VOICEWIRE_OPENAI_URL: speech.settings().url.href,
    VOICEWIRE_OPENAI_TIMEOUT: '2',
  };
  return { vendor, environment };
}
