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
}

/** Answers what a balancer and a monitor ask, and passes on everything else. */
export function createStatus({ state, engine, metrics, isDraining }: Options): Handler {
  /** Why clients should go elsewhere; null where new work is taken. */
  const notReady = async (): Promise<string | null> =>
    isDraining() ? 'the server is shutting down' : (state.problem() ?? (await engine.problem()));

  const answers: Readonly<Record<string, Handler>> = {
    '/health': (request, response) => replyJson(request, response, 200, { status: 'healthy' }),
    '/ready': async (request, response) => {
      const reason = await notReady();
      if (reason === null) replyJson(request, response, 200, { status: 'ready' });
      else replyJson(request, response, 503, { status: 'unavailable', reason });
    },
    // The vendor's call of the same meaning.
    '/kugel/ready': async (request, response, _, next) => {
      const reason = await notReady();
      if (reason === null) next();
      else replyJson(request, response, 503, { status: 'unavailable', reason });
    },
    '/metrics':
      metrics?.handle ??
      ((request, response) =>
        replyText(request, response, 404, 'Metrics are off. VOICEWIRE_METRICS=on turns them on.')),
  };
  return (request, response, url, next) => {
    const answer = Object.hasOwn(answers, url.pathname) ? answers[url.pathname] : undefined;
    return answer ? answer(request, response, url, next) : next();
  };
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
