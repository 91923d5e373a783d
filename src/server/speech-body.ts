import type { RestContext } from './rest.ts';
import type { Engine, SpeechRequest } from './speech/engine.ts';

/** Turns samples into the bytes of a body. The samples are valid during the call only. */
export interface SpeechWriter {
  block(samples: Int16Array): Uint8Array<ArrayBuffer>;
  /** The last bytes. */
  end?(): Uint8Array<ArrayBuffer>;
  /** The last bytes after the engine failed. Without it, the connection breaks. */
  failed?(): Uint8Array<ArrayBuffer>;
}

/**
 * Speaks into the body of an answer, as fast as the client reads. The synthesis is aborted when the client leaves.
 * Rejects when the engine fails before the first block.
 */
export async function speechBody(
  c: RestContext,
  engine: Engine,
  request: Omit<SpeechRequest, 'session'>,
  writer: SpeechWriter,
): Promise<ReadableStream<Uint8Array>> {
  const abort = new AbortController();
  const session = String(c.env.outgoing.getHeader('x-request-id'));
  const blocks = engine.synthesize({ ...request, session }, abort.signal)[Symbol.asyncIterator]();
  const stop = () => {
    abort.abort();
    // A generator that nobody pulls does not see the signal.
    blocks.return?.().catch(() => {});
  };
  if (c.env.outgoing.closed) stop();
  else c.env.outgoing.once('close', stop);
  let next = await blocks.next();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (next.done) {
          if (writer.end) controller.enqueue(writer.end());
          controller.close();
          return;
        }
        controller.enqueue(writer.block(next.value.samples));
        try {
          next = await blocks.next();
        } catch (error) {
          if (!writer.failed || abort.signal.aborted) throw error;
          controller.enqueue(writer.failed());
          controller.close();
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}
