import { type Clock, within } from '#lib/clock.ts';
import { yieldIfLong } from '#lib/loop-slice.ts';
import { type Encoder, joinedBytes } from '../audio/encoder.ts';
import type { Output } from '../audio/output.ts';
import { faultFields } from '../log.ts';
import { callerOf, engineShare, onLeave, type Refused, type RestContext } from '../rest.ts';
import { type Engine, EngineBusyError, type SpeechBlock, type SpeechRequest } from '../speech/engine.ts';
import { type Watch, watchedBody } from './watched-body.ts';

interface Speech {
  request: Omit<SpeechRequest, 'session'>;
  output: Output;
  /** The audio alone unless given. */
  writer?(encoder: Encoder): SpeechWriter;
  headers?: Readonly<Record<string, string>>;
  /** The refusal where the engine fails before the answer begins. */
  failed(isBusy: boolean): Refused;
}

/** Answers a call with speech, as it is made. */
export async function speechAnswer(
  c: RestContext,
  { restEngine: engine, ...watch }: Watch & { restEngine: Engine },
  { request, output, writer = audioWriter, headers = {}, failed }: Speech,
): Promise<Response> {
  const encoder = output.open(callerOf(c));
  onLeave(c, () => encoder.release?.());
  const body = await speechBody(c, { ...watch, engine }, request, writer(encoder)).catch((error: unknown) => {
    throw failed(error instanceof EngineBusyError);
  });
  return c.body(body, 200, {
    'Content-Type': output.contentType,
    'Cache-Control': 'no-store',
    ...headers,
  });
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Turns samples into the bytes of a body. The samples stay as they are until the bytes are there. */
export interface SpeechWriter {
  /** May be empty. */
  block(
    samples: Int16Array,
    words: SpeechBlock['words'],
    phonemes?: SpeechBlock['phonemes'],
  ): Bytes | Promise<Bytes>;
  /** The last bytes. */
  end?(): Bytes | Promise<Bytes>;
  /** The last bytes after the engine failed. Without it, the connection breaks. */
  failed?(error: unknown): Uint8Array<ArrayBuffer>;
  /** Bytes that a quiet body repeats, because proxies close silent connections. */
  keepAlive?: { clock: Clock; everyMs: number; bytes: Uint8Array<ArrayBuffer> };
}

/** Writes the audio alone. A file begins with a head for audio of unknown length. */
export function audioWriter(encoder: Encoder): SpeechWriter {
  let first = encoder.head?.(Number.POSITIVE_INFINITY);
  return {
    async block(samples) {
      const bytes = await encoder.encode(samples);
      const whole = first ? joinedBytes([first, bytes]) : bytes;
      first = undefined;
      return whole;
    },
    ...(encoder.tail && { end: async () => (await encoder.tail?.()) ?? new Uint8Array() }),
  };
}

/**
 * Speaks into the body of an answer, as fast as the client reads. The synthesis is aborted when the client leaves, and its
 * faults are logged. A writer without `failed` makes this reject when the engine fails before the first block.
 */
export async function speechBody(
  c: RestContext,
  { engine, ...watch }: Watch & { engine: Engine },
  request: Omit<SpeechRequest, 'session'>,
  writer: SpeechWriter,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  const abort = new AbortController();
  const blocks = engine.synthesize({ ...request, ...engineShare(c) }, abort.signal)[Symbol.asyncIterator]();
  const stop = () => {
    abort.abort();
    // A generator that nobody pulls does not see the signal.
    blocks.return?.().catch(() => {});
  };
  onLeave(c, stop);
  const failed = (error: unknown) => {
    if (!abort.signal.aborted) watch.log.error(faultFields(error), 'generation failed');
  };
  const first = writer.failed
    ? null
    : await blocks.next().catch((error: unknown) => {
        failed(error);
        throw error;
      });

  async function* parts(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    try {
      for (let block = first ?? (await blocks.next()); !block.done; block = await blocks.next()) {
        const bytes = await writer.block(block.value.samples, block.value.words, block.value.phonemes);
        if (bytes.length > 0) yield bytes;
        await yieldIfLong();
      }
    } catch (error) {
      if (!writer.failed || abort.signal.aborted) throw error;
      failed(error);
      yield writer.failed(error);
      return;
    }
    if (writer.end) yield await writer.end();
  }

  const source = writer.keepAlive ? keptAlive(parts(), writer.keepAlive) : parts();
  return watchedBody(c, watch, source);
}

/** Yields the parts, and `bytes` whenever the next part takes longer than `everyMs`. */
async function* keptAlive<T>(
  parts: AsyncGenerator<T>,
  { clock, everyMs, bytes }: { clock: Clock; everyMs: number; bytes: T },
): AsyncGenerator<T> {
  let next: ReturnType<typeof parts.next> | null = null;
  for (;;) {
    next ??= parts.next();
    // A part may fail while the client does not read, and then nothing awaits it.
    next.catch(() => {});
    const part = await within(clock, everyMs, next);
    if (part?.done) return;
    if (part) next = null;
    yield part ? part.value : bytes;
  }
}
