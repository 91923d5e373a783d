import type { Endpoint, Frame } from '#protocol/core/endpoint.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { KEY_MARK } from '#record/named-secrets.ts';
import type { RecordEntry, RecordingInfo } from '#record/record.ts';
import { openedAddress } from '../format/opened-address.ts';
import type { FrameIndex } from '../store/frame-index.ts';
import type { Breathe, ReadableRecording } from './exporter.ts';

/** The pieces of a text around the places of the key. A single piece contains no key. */
export type Keyed = readonly string[];

export interface SentFrame {
  /** After the frame before it, or after the connection opened. */
  waitMs: number;
  /** Text with places for the key as JSON, or bytes. */
  frame: { text: Keyed } | { bytes: Uint8Array };
}

/** The content of a program that repeats a session. */
export interface SnippetSource {
  title: string;
  /** Key that works on the local server; null for an unknown endpoint. */
  localKey: string | null;
  /** With places for the key, percent-encoded. */
  address: Keyed;
  frames: readonly SentFrame[];
  /** From the last frame sent to the last one received. */
  tailMs: number;
}

/** Longer waits were a person thinking. */
const MAX_WAIT_MS = 10_000;

/** Returns what was sent on one connection, by default the last with a sent frame. */
export function snippetSource(
  info: Pick<RecordingInfo, 'endpoint' | 'address'>,
  entries: readonly RecordEntry[],
  connection = entries.findLast(({ direction }) => direction === 'out')?.connection,
): SnippetSource {
  const own = entries.filter((entry) => entry.connection === connection);
  const address = own.map(openedAddress).find((opened) => opened !== null) ?? info.address;
  const sent = own.filter(({ direction }) => direction === 'out');
  const lastSentUs = sent.at(-1)?.atUs ?? 0;
  const lastUs = own.findLast(({ direction }) => direction === 'in')?.atUs ?? lastSentUs;
  const endpoint = ENDPOINTS.find(({ id }) => id === info.endpoint);
  return {
    title: endpoint?.title ?? 'a server',
    localKey: endpoint?.localKey ?? null,
    address: addressOf(endpoint, address),
    frames: sent.map(({ atUs, payload }, i) => ({
      waitMs: Math.min(MAX_WAIT_MS, Math.round((atUs - (sent[i - 1]?.atUs ?? atUs)) / 1000)),
      frame: typeof payload === 'string' ? { text: keyed(payload) } : { bytes: payload },
    })),
    tailMs: Math.max(0, (lastUs - lastSentUs) / 1000),
  };
}

/** Placeholder for the key in an address, which is then cut there. */
const STAND_IN = 'VOICEWIREKEY';

function addressOf(endpoint: Endpoint | undefined, address: string): Keyed {
  const plain = address.split(/[?#]/, 1)[0] ?? '';
  return endpoint && plain.endsWith(endpoint.path)
    ? endpoint.address(plain.slice(0, -endpoint.path.length), STAND_IN).split(STAND_IN)
    : address.split(KEY_MARK);
}

/** Lone surrogates were replaced on the wire, too. The mark counts only as a whole JSON string. */
const keyed = (text: Frame & string): Keyed =>
  text.replace(/\p{Surrogate}/gu, '\ufffd').split(JSON.stringify(KEY_MARK));

/** Nobody reads a longer program, and the first frames set the session up. */
const MAX_FRAMES = 300;

/** Entries between two pauses where no payload is read. */
export const HEADS_A_BREATH = 4096;

/** Extracts the last connection with a sent frame, and reads no other payloads. */
export async function snippetOf(
  { info, index, reader }: ReadableRecording,
  breathe: Breathe,
): Promise<{ source: SnippetSource; frames: number }> {
  const connection = lastSender(index);
  const sent: number[] = [];
  let opening = -1;
  let lastIn = -1;
  for (let at = 0; at < index.length; at += 1) {
    if (at % HEADS_A_BREATH === 0) await breathe(at / index.length);
    const head = index.head(at);
    if (head.connection !== connection) continue;
    if (head.direction === 'connection' && head.kind === 'opening') opening = at;
    else if (head.direction === 'out') sent.push(at);
    // Later frames answer frames that are not in the program.
    else if (head.direction === 'in' && sent.length <= MAX_FRAMES) lastIn = at;
  }
  const entries: RecordEntry[] = [];
  const shown = sent.slice(0, MAX_FRAMES);
  const isAnswered = lastIn > (shown.at(-1) ?? 0);
  for (const at of [opening, ...shown, isAnswered ? lastIn : -1]) {
    if (at < 0) continue;
    const entry = await reader.entry(at);
    if (entry.payload !== null) entries.push({ ...entry, payload: entry.payload });
  }
  return { source: snippetSource(info, entries), frames: sent.length };
}

/** The connection of the last sent frame; 0 where none was sent. */
function lastSender(index: FrameIndex): number {
  for (let at = index.length - 1; at >= 0; at -= 1) {
    const { direction, connection } = index.head(at);
    if (direction === 'out') return connection;
  }
  return 0;
}
