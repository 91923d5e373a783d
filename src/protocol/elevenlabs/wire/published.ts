import type { PublishedWait } from '../../core/endpoint.ts';

const LATENCY_PAGE = 'elevenlabs.io/docs, models and latency optimization';

const overSocket = (region: string, leastMs: number, mostMs: number): PublishedWait => ({
  title: `over WebSocket in ${region}`,
  from: 'firstText',
  leastMs,
  mostMs,
  includes: `the server and the network, for a client in ${region} with the Flash model`,
  source: LATENCY_PAGE,
});

/** `facts-elevenlabs 4.2`. */
export const PUBLISHED_WAITS: readonly PublishedWait[] = [
  {
    title: 'inference of Flash',
    from: 'serverStarted',
    leastMs: 75,
    mostMs: 75,
    includes: 'the model alone',
    source: LATENCY_PAGE,
  },
  overSocket('the US', 150, 200),
  overSocket('Europe', 230, 230),
];
