import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { noteReader } from './frame-notes.ts';

export interface WireFrame {
  direction: 'in' | 'out';
  payload: string | Uint8Array;
}

/**
 * What the notes of a connection get wrong about the speech of a server that keeps to the rules: a turn that no sent frame
 * began, or a second beginning of one of its chunks. Nothing where an error or a warning leaves open what the server has.
 */
export function misread(endpoint: Endpoint, frames: readonly WireFrame[]): string[] {
  const notes = noteReader(endpoint, '', { turns: 0 });
  const asked = new Set<number | null>([null]);
  const begun = new Set<string>();
  const wrong: string[] = [];
  for (const { direction, payload } of frames) {
    const frame = payload as Frame;
    if (direction === 'out') {
      asked.add(notes.sent(frame).turn);
      continue;
    }
    const { kind, turn, chunk } = notes.received(frame);
    if (kind === 'error' || kind === 'warning') return [];
    const name = `${kind} ${chunk} in turn ${turn}`;
    if (!asked.has(turn)) wrong.push(`expected a turn that was asked for, got ${name}`);
    if (kind !== 'chunkStarted') continue;
    if (begun.has(name)) wrong.push(`expected each chunk of a turn once, got ${name} again`);
    begun.add(name);
  }
  return wrong;
}
