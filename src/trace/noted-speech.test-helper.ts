import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { Trace } from './trace.ts';

export interface WireFrame {
  direction: 'in' | 'out';
  payload: string | Uint8Array;
}

/**
 * What the notes of a connection get wrong about the speech of a server that keeps to the rules: a turn that no sent frame
 * began, or a second beginning of one of its chunks. Nothing where an error or a warning leaves open what the server has.
 */
export function misread(endpoint: Endpoint, frames: readonly WireFrame[]): string[] {
  const trace = new Trace(endpoint, '');
  const asked = new Set<number | null>([null]);
  const begun = new Set<string>();
  const wrong: string[] = [];
  for (const { direction, payload } of frames) {
    const { note } = trace.append({ direction, kind: '', connection: 1, payload: payload as Frame });
    const { kind, turn, chunk } = note;
    if (direction === 'out') {
      asked.add(turn);
      continue;
    }
    if (kind === 'error' || kind === 'warning') return [];
    const name = `${kind} ${chunk} in turn ${turn}`;
    if (!asked.has(turn)) wrong.push(`expected a turn that was asked for, got ${name}`);
    if (kind !== 'chunkStarted') continue;
    if (begun.has(name)) wrong.push(`expected each chunk of a turn once, got ${name} again`);
    begun.add(name);
  }
  return wrong;
}
