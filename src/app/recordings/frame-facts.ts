import { bytes, count } from '#lib/format.ts';
import type { RecordHead } from '#trace/entry.ts';

/** Seconds since the beginning to the microsecond: `43.564 123 s`. */
export function exactTime(us: number): string {
  const whole = Math.floor(us / 1_000_000);
  const digits = String(us % 1_000_000).padStart(6, '0');
  return `${whole}.${digits.slice(0, 3)} ${digits.slice(3)} s`;
}

const DIRECTIONS: Readonly<Record<RecordHead['direction'], string>> = {
  in: 'received',
  out: 'sent',
  connection: 'of the connection',
  player: 'of the player',
};

/** Returns the facts of an entry besides its payload. Facts without a value are left out. @param isOfCall of a REST call */
export function entryFacts(head: RecordHead, isOfCall = false): [name: string, value: string][] {
  const { direction, atUs, bytes: size, opcode, connection, turn, context, chunk, audioMs } = head;
  const facts: [string, string | null][] = [
    ['Time', exactTime(atUs)],
    ['Direction', DIRECTIONS[direction]],
    ['Size', size < 1000 ? bytes(size) : `${count(size)} B`],
    ['Opcode', opcode === 'none' ? null : opcode],
    ['Connection', String(connection)],
    [isOfCall ? 'Call' : 'Turn', turn === null ? null : String(turn)],
    ['Context', context],
    ['Chunk', chunk === null ? null : String(chunk)],
    ['Audio', audioMs === null ? null : `${Math.round(audioMs * 10) / 10} ms`],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
}
