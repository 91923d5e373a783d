import type { PageEndpointId } from '#protocol/core/endpoint.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { endpointOf } from '#protocol/registry.ts';
import { ExampleServer } from '#protocol/testing/example-server.ts';
import { protocolOf } from './protocols.ts';
import { type ScriptedServer, startScriptedServer, tone } from './scripted-server.ts';

const RATE = 24_000;
const FRAME_MS = 100;

/** How long each stage of every turn takes, from the one before it. */
export interface Arranged {
  /** From the text to the start of generation, where the protocol reports it. */
  startedMs: number;
  /** From there to the first audio frame. */
  firstAudioMs: number;
  /** From the first audio frame to the second. All others follow at once. */
  secondAudioMs: number;
  /** At the beginning of the audio. */
  leadingSilenceMs: number;
  /** Of the whole audio, in whole frames of 100 ms. */
  audioMs: number;
}

/** When a text arrived and its first audio left, on one clock, because timers of a busy machine are late. */
interface Turned {
  textMs: number;
  firstAudioMs: number;
}

export interface DelayingServer extends ScriptedServer {
  turns: Turned[];
}

/** A server of one endpoint without contexts that answers every text with a tone and takes a known time for each stage of that. */
export async function startDelayingServer(
  endpoint: PageEndpointId,
  arranged: Arranged,
): Promise<DelayingServer> {
  const example = new ExampleServer(endpointOf(endpoint), RATE);
  const { readIntents } = protocolOf(endpointOf(endpoint));
  const turns: Turned[] = [];
  const server = await startScriptedServer((_, message, say) => {
    const nowMs = performance.now();
    for (const intent of readIntents(JSON.stringify(message))) {
      if (intent.kind === 'open') for (const frame of example.accepts('connection', ONLY_CONTEXT)) say(frame);
      if (intent.kind === 'say') {
        const turned: Turned = { textMs: nowMs, firstAudioMs: Number.NaN };
        turns.push(turned);
        void speak(example, arranged, intent, turned, say);
      }
    }
  });
  return { ...server, turns };
}

async function speak(
  example: ExampleServer,
  { startedMs, firstAudioMs, secondAudioMs, leadingSilenceMs, audioMs }: Arranged,
  { text, context }: { text: string; context: string },
  turned: Turned,
  say: (frame: unknown) => void,
): Promise<void> {
  const samples = new Int16Array((audioMs * RATE) / 1000);
  const silence = (leadingSilenceMs * RATE) / 1000;
  samples.set(tone(samples.length - silence, RATE), silence);
  const size = (2 * FRAME_MS * RATE) / 1000;
  const bytes = new Uint8Array(samples.buffer);
  const sayAudio = (index: number): void => {
    say(example.audio(bytes.slice(index * size, (index + 1) * size), context, null, index));
  };
  await until(turned.textMs + startedMs);
  const started = example.starts(text, context);
  if (started) say(started);
  await until(performance.now() + firstAudioMs);
  turned.firstAudioMs = performance.now();
  sayAudio(0);
  await until(performance.now() + secondAudioMs);
  const frames = bytes.length / size;
  for (let index = 1; index < frames; index += 1) sayAudio(index);
  for (const frame of example.ends(context, { seconds: audioMs / 1000, frames })) say(frame);
}

const until = (ms: number): Promise<void> =>
  new Promise((done) => setTimeout(done, Math.max(0, ms - performance.now())));
