import pLimit from 'p-limit';
import { parseBounded } from '#protocol/core/json-frame.ts';
import { MAX_REFERENCE_CHARS, referenceRequestSchema } from '#protocol/reference-messages.ts';
import { BodyRefused, type CallBodies } from './call-bodies.ts';
import { isOwnPage } from './origin.ts';
import { type Handler, replyJson, replyText } from './reply.ts';
import { type Engine, EngineBusyError } from './speech/engine.ts';
import { keepReferences, speakReference } from './speech/reference-speech.ts';

const MAX_BYTES = 8 * 1024;
const MAX_AT_A_TIME = 2;
const MAX_WAITING = 16;

interface Options {
  /** espeak; null where the server has none. */
  engine: Engine | null;
  bodies: CallBodies;
  /** Ends all syntheses. */
  ending: AbortSignal;
}

/** Speaks texts for pages of this server, by which they find words in sound; see `REFERENCE_PATH`. */
export function createReferenceCalls({ engine, bodies, ending }: Options): Handler {
  const limit = pLimit(MAX_AT_A_TIME);
  const spoken =
    engine &&
    keepReferences((request) => {
      if (limit.pendingCount >= MAX_WAITING) throw new EngineBusyError();
      return limit(() => speakReference(engine, request, ending));
    });
  return async (request, response) => {
    const refuse = (status: number, why: string) => replyText(request, response, status, why);
    if (!isOwnPage(request.headers))
      return refuse(403, 'Only a page of this server may ask for a reference.');
    if (request.method !== 'POST') return refuse(405, 'Method not allowed');
    if (!spoken) return refuse(501, 'This server has no espeak, which speaks the reference.');
    try {
      const asked = await bodies.read(request, MAX_BYTES, (bytes) => {
        const read = parseBounded(bytes.toString());
        return referenceRequestSchema.safeParse('fields' in read ? read.fields : null);
      });
      if (!asked.success) return refuse(400, `Expected a text of at most ${MAX_REFERENCE_CHARS} characters.`);
      replyJson(request, response, 200, await spoken(asked.data));
    } catch (error) {
      if (error instanceof BodyRefused) {
        response.setHeader('Connection', 'close');
        return refuse(error.status, `The text was not received: ${error.message}.`);
      }
      if (!(error instanceof EngineBusyError) && !ending.aborted) throw error;
      refuse(503, 'The speech engine is busy. Try again shortly.');
    }
  };
}
