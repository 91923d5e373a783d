import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EngineWatch } from './engine-watch.ts';
import type { EndpointMeter, Meter, MeteredEndpoint, TurnMeter } from './meter.ts';

const FIRST_AUDIO_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10];
const REDIS_BUCKETS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1];

/** Figures of this process in the text format of Prometheus. No label holds anything that a client sent. */
export interface Metrics {
  meter: Meter;
  /** One exchange with Redis. */
  redis(seconds: number, answered: boolean): void;
  /** Reads figures that others keep, whenever somebody asks. */
  observe(figures: { engine: EngineWatch; isStateUp: () => boolean; capturedBytes: () => number }): void;
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  // Includes the delay of the event loop, memory, and processor time.
  collectDefaultMetrics({ register: registry });
  const described = <Label extends string>(name: string, help: string, ...labelNames: Label[]) => ({
    name: `voicewire_${name}`,
    help,
    labelNames,
    registers,
  });
  const open = new Gauge(described('sessions', 'Open sockets.', 'endpoint'));
  const opened = new Counter(described('sessions_total', 'Sockets that were opened.', 'endpoint'));
  const turns = new Counter(
    described('turns_total', 'Turns whose generation began and is over.', 'endpoint', 'outcome'),
  );
  const audio = new Counter(described('audio_seconds_total', 'Seconds of audio sent.', 'endpoint'));
  const firstAudio = new Histogram({
    ...described(
      'first_audio_seconds',
      'Time from the start of generation to the first audio frame of a turn, on the server.',
      'endpoint',
    ),
    buckets: FIRST_AUDIO_BUCKETS,
  });
  const refusals = new Counter(
    described('refusals_total', 'Refused sockets, messages and calls.', 'endpoint', 'reason'),
  );
  const exchanges = new Histogram({
    ...described('redis_exchange_seconds', 'Time of one exchange with Redis.', 'outcome'),
    buckets: REDIS_BUCKETS,
  });

  const turnMeter = (endpoint: MeteredEndpoint): TurnMeter => {
    const startedMs = performance.now();
    let isHeard = false;
    let isOver = false;
    return {
      audio() {
        if (isHeard) return;
        isHeard = true;
        firstAudio.observe({ endpoint }, (performance.now() - startedMs) / 1000);
      },
      ended(outcome, audioSeconds) {
        if (isOver) return;
        isOver = true;
        turns.inc({ endpoint, outcome });
        audio.inc({ endpoint }, audioSeconds);
      },
    };
  };

  const meter = (endpoint: MeteredEndpoint): EndpointMeter => ({
    session() {
      opened.inc({ endpoint });
      open.inc({ endpoint });
      return () => open.dec({ endpoint });
    },
    turn: () => turnMeter(endpoint),
    refused: (reason) => refusals.inc({ endpoint, reason }),
  });

  return {
    meter,
    redis: (seconds, answered) => exchanges.observe({ outcome: answered ? 'answered' : 'failed' }, seconds),
    observe({ engine, isStateUp, capturedBytes }) {
      new Gauge({
        ...described(
          'engine_requests',
          'Texts at the speech engine: those without audio yet are its queue.',
          'state',
        ),
        collect() {
          this.set({ state: 'waiting' }, engine.waiting());
          this.set({ state: 'speaking' }, engine.speaking());
        },
      });
      new Counter({
        ...described('engine_failures_total', 'Texts that the speech engine failed to speak.'),
        collect() {
          this.reset();
          this.inc(engine.failures());
        },
      });
      new Gauge({
        ...described(
          'state_up',
          'Whether the state that servers share can be reached: always, without Redis.',
        ),
        collect() {
          this.set(isStateUp() ? 1 : 0);
        },
      });
      new Gauge({
        ...described('captured_bytes', 'Frames and calls of clients that are kept for pages that watch.'),
        collect() {
          this.set(capturedBytes());
        },
      });
    },
    async handle(request, response) {
      const text = await registry.metrics();
      response.setHeader('Content-Type', registry.contentType);
      response.setHeader('Cache-Control', 'no-store');
      response.end(request.method === 'HEAD' ? undefined : text);
    },
  };
}
