import type { Transport } from '#player/ring.ts';
import { ourPlayer } from '#player/testing/ours.ts';
import {
  type ArrivalTrace,
  runTrace,
  TRACE_RATE,
  TRACES,
  type TracePlayer,
  type TraceResult,
} from '#player/testing/traces.ts';
import { cursor, elevenLabs, moqWatch, ringbufJs, wavtools } from './peers.ts';
import { printTable } from './table.ts';

type MakePlayer = (make: (seed: number) => ArrivalTrace) => TracePlayer | Promise<TracePlayer>;

/** Our player, which has played a turn of the same kind. */
const laterTurn =
  (transport: Transport): MakePlayer =>
  (make) => {
    const player = ourPlayer(TRACE_RATE, transport);
    runTrace(make(EARLIER_SEED), player);
    return player;
  };

const PLAYERS: readonly (readonly [string, MakePlayer])[] = [
  ['Voicewire, shared memory, first turn', () => ourPlayer(TRACE_RATE, 'shared')],
  ['Voicewire, shared memory, second turn', laterTurn('shared')],
  ['Voicewire, messages, first turn', () => ourPlayer(TRACE_RATE, 'message')],
  ['Voicewire, messages, second turn', laterTurn('message')],
  ['wavtools', () => wavtools(TRACE_RATE)],
  ['ElevenLabs', () => elevenLabs(TRACE_RATE)],
  ['@moq/watch', () => moqWatch(TRACE_RATE)],
  ['on ringbuf.js', () => ringbufJs(TRACE_RATE)],
  ['cursor (our own)', () => cursor()],
];

/** The same arrivals for every player; those with chance in them are made from this seed. */
const SEED = 7;
const EARLIER_SEED = 1007;

const rowOf = (name: string, result: TraceResult): Record<string, string> => ({
  player: name,
  'start ms': Number.isFinite(result.startMs) ? result.startMs.toFixed(0) : 'never',
  gaps: String(result.gaps),
  'gap ms': result.gapMs.toFixed(0),
  lost: String(result.lost),
  repeated: String(result.repeated),
  stale: String(result.stale),
  ...(result.restartMs === null ? {} : { 'new after ms': result.restartMs.toFixed(1) }),
});

/** Traces a to g through our player and through others. */
export async function benchTraces(): Promise<void> {
  for (const make of Object.values(TRACES)) {
    const trace = make(SEED);
    const rows: Record<string, string>[] = [];
    for (const [name, player] of PLAYERS) rows.push(rowOf(name, runTrace(trace, await player(make))));
    printTable(
      `Trace ${trace.name}`,
      'Virtual clock, real player code, sample by sample. lost, repeated and stale count samples.',
      rows,
    );
  }
}
