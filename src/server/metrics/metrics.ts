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
  const open = new Gauge({
    name: 'voicewire_sessions',
    help: 'Open sockets.',
    labelNames: ['endpoint'],
    registers,
  });
  const opened = new Counter({
    name: 'voicewire_sessions_total',
    help: 'Sockets that were opened.',
    labelNames: ['endpoint'],
    registers,
  });
  const turns = new Counter({
    name: 'voicewire_turns_total',
    help: 'Turns whose generation began and is over.',
    labelNames: ['endpoint', 'outcome'],
    registers,
  });
  const audio = new Counter({
    name: 'voicewire_audio_seconds_total',
    help: 'Seconds of audio sent.',
    labelNames: ['endpoint'],
    registers,
  });
  const firstAudio = new Histogram({
    name: 'voicewire_first_audio_seconds',
    help: 'Time from the start of generation to the first audio frame of a turn, on the server.',
    labelNames: ['endpoint'],
    buckets: FIRST_AUDIO_BUCKETS,
    registers,
  });
  const refusals = new Counter({
    name: 'voicewire_refusals_total',
    help: 'Refused sockets, messages and calls.',
    labelNames: ['endpoint', 'reason'],
    registers,
  });
  const exchanges = new Histogram({
    name: 'voicewire_redis_exchange_seconds',
    help: 'Time of one exchange with Redis.',
    labelNames: ['outcome'],
    buckets: REDIS_BUCKETS,
    registers,
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
        name: 'voicewire_engine_requests',
        help: 'Texts at the speech engine: those without audio yet are its queue.',
        labelNames: ['state'],
        registers,
        collect() {
          this.set({ state: 'waiting' }, engine.waiting());
          this.set({ state: 'speaking' }, engine.speaking());
        },
      });
      new Counter({
        name: 'voicewire_engine_failures_total',
        help: 'Texts that the speech engine failed to speak.',
        registers,
        collect() {
          this.reset();
          this.inc(engine.failures());
        },
      });
      new Gauge({
        name: 'voicewire_state_up',
        help: 'Whether the state that servers share can be reached: always, without Redis.',
        registers,
        collect() {
          this.set(isStateUp() ? 1 : 0);
        },
      });
      new Gauge({
        name: 'voicewire_captured_bytes',
        help: 'Frames and calls of clients that are kept for pages that watch.',
        registers,
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
