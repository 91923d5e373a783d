import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Handler, replyJson, replyText } from '../reply.ts';
import type { SharedState } from '../state/state.ts';
import type { EngineWatch } from './engine-watch.ts';
import type { EndpointMeter } from './meter.ts';
import type { Metrics } from './metrics.ts';

interface Options {
  state: Pick<SharedState, 'problem'>;
  engine: EngineWatch;
  metrics: Metrics | null;
  isDraining: () => boolean;
  /** Calls of vendors with the meaning of `/ready`. */
  readyCalls: readonly string[];
}

/** @param otherwise serves the request as any other */
type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  otherwise: () => Promise<void> | void,
) => Promise<void> | void;

/** Finds the answer to what a balancer or a monitor asks; undefined for any other address. */
export function createStatus({
  state,
  engine,
  metrics,
  isDraining,
  readyCalls,
}: Options): (url: URL) => Answer | undefined {
  /** Why clients should go elsewhere; null where new work is taken. */
  const notReady = async (): Promise<string | null> =>
    isDraining() ? 'the server is shutting down' : (state.problem() ?? (await engine.problem()));

  const ifReady: (answer: Answer) => Answer = (answer) => async (request, response, otherwise) => {
    const reason = await notReady();
    if (reason === null) return answer(request, response, otherwise);
    return replyJson(request, response, 503, { status: 'unavailable', reason });
  };
  const answers: ReadonlyMap<string, Answer> = new Map([
    ['/health', (request, response) => replyJson(request, response, 200, { status: 'healthy' })],
    ['/ready', ifReady((request, response) => replyJson(request, response, 200, { status: 'ready' }))],
    ...readyCalls.map((path) => [path, ifReady((_, __, otherwise) => otherwise())] as const),
    [
      '/metrics',
      (request, response) =>
        metrics
          ? metrics.handle(request, response)
          : replyText(request, response, 404, 'Metrics are off. VOICEWIRE_METRICS=on turns them on.'),
    ],
  ]);
  return ({ pathname }) => answers.get(pathname);
}

/** Counts the refusals of calls. */
export const meteredCalls =
  (handler: Handler, meter: EndpointMeter): Handler =>
  (request, response, url, next) => {
    response.once('close', () => {
      if (response.statusCode >= 400) meter.refused(`${response.statusCode}`);
    });
    return handler(request, response, url, next);
  };
