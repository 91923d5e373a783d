import type { Encoder } from '../audio/encoder.ts';
import type { Output } from '../audio/output.ts';
import { onLeave, type Refused, type RestContext } from '../rest.ts';
import { type Engine, EngineBusyError, type SpeechRequest } from '../speech/engine.ts';
import type { Peer } from '../state/shares.ts';
import { audioWriter, type SpeechWriter, speechBody } from './speech-body.ts';
import type { Watch } from './watched-body.ts';

interface Speech {
  request: Omit<SpeechRequest, 'session'>;
  output: Output;
  peer: Peer;
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
  { request, output, peer, writer = audioWriter, headers = {}, failed }: Speech,
): Promise<Response> {
  const refuse = (error: unknown): never => {
    throw failed(error instanceof EngineBusyError);
  };
  const encoder = output.open(peer);
  onLeave(c, () => encoder.release?.());
  const body = await speechBody(c, { ...watch, engine }, request, writer(encoder)).catch(refuse);
  return c.body(body, 200, {
    'Content-Type': output.contentType,
    'Cache-Control': 'no-store',
    ...headers,
  });
}
