import { onClose } from '../answers/on-close.ts';
import { type Handler, replyJson, replyText } from '../reply.ts';
import type { EndpointMeter } from './meter.ts';
import type { Metrics } from './metrics.ts';

/**
 * Returns the answers to what a balancer or a monitor asks, by path.
 * @param notReady why clients should go elsewhere; null where new work is taken
 */
export function createStatus(
  notReady: () => Promise<string | null>,
  metrics: Metrics | null,
): ReadonlyMap<string, Handler> {
  return new Map<string, Handler>([
    ['/health', (request, response) => replyJson(request, response, 200, { status: 'healthy' })],
    [
      '/ready',
      async (request, response) => {
        const reason = await notReady();
        if (reason === null) replyJson(request, response, 200, { status: 'ready' });
        else replyJson(request, response, 503, { status: 'unavailable', reason });
      },
    ],
    [
      '/metrics',
      (request, response) =>
        metrics
          ? metrics.handle(request, response)
          : replyText(request, response, 404, 'Metrics are off. VOICEWIRE_METRICS=on turns them on.'),
    ],
  ]);
}

/** Counts the refusals of calls. */
export const meteredCalls =
  (handler: Handler, meter: EndpointMeter): Handler =>
  (request, response, url, next) => {
    onClose(response, () => {
      if (response.statusCode >= 400) meter.refused(`${response.statusCode}`);
    });
    return handler(request, response, url, next);
  };
