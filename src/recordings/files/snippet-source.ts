import type { Frame } from '#protocol/core/endpoint.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { KEY_MARK } from '../format/named-secrets.ts';
import type { RecordEntry, RecordingInfo } from '../format/record.ts';
import type { Breathe, ReadableRecording } from './exporter.ts';

/** A text in which the key has its place, as the pieces around it. One piece: there is no key in it. */
export type Keyed = readonly string[];

export interface SentFrame {
  /** After the frame before it, or after the connection was there. */
  waitMs: number;
  /** Text, with the places where the JSON of the key belongs; or bytes. */
  frame: { text: Keyed } | { bytes: Uint8Array };
}

/** What a program has to do to have the same session once more. */
export interface SnippetSource {
  title: string;
  /** Key that works on the local server; null where the endpoint is not known. */
  localKey: string | null;
  /** With the places where the key belongs, percent-encoded. */
  address: Keyed;
  frames: readonly SentFrame[];
  /** From the last frame sent to the last one received. */
  tailMs: number;
}

/** A person may have thought for minutes between two turns; no program needs to. */
const MAX_WAIT_MS = 10_000;

/**
 * What was sent on one connection.
 * @param connection the last one that anything was sent on where none is named
 */
export function snippetSource(
  info: Pick<RecordingInfo, 'endpoint' | 'address'>,
  entries: readonly RecordEntry[],
  connection = entries.findLast(({ direction }) => direction === 'out')?.connection,
): SnippetSource {
  const own = entries.filter((entry) => entry.connection === connection);
  const sent = own.filter(({ direction }) => direction === 'out');
  const lastSentUs = sent.at(-1)?.atUs ?? 0;
  const lastUs = own.findLast(({ direction }) => direction === 'in')?.atUs ?? lastSentUs;
  const endpoint = ENDPOINTS.find(({ id }) => id === info.endpoint);
  return {
    title: endpoint?.title ?? 'a server',
    localKey: endpoint?.localKey ?? null,
    address: addressOf(info),
    frames: sent.map(({ atUs, payload }, i) => ({
      waitMs: Math.min(MAX_WAIT_MS, Math.round((atUs - (sent[i - 1]?.atUs ?? atUs)) / 1000)),
      frame: typeof payload === 'string' ? { text: keyed(payload) } : { bytes: payload },
    })),
    tailMs: Math.max(0, (lastUs - lastSentUs) / 1000),
  };
}

/** Stands where the endpoint puts a key into an address, until the address is cut there. */
const STAND_IN = 'VOICEWIREKEY';

function addressOf({ endpoint: id, address }: Pick<RecordingInfo, 'endpoint' | 'address'>): Keyed {
  const plain = address.split(/[?#]/, 1)[0] ?? '';
  const endpoint = ENDPOINTS.find((candidate) => candidate.id === id);
  return endpoint && plain.endsWith(endpoint.path)
    ? endpoint.address(plain.slice(0, -endpoint.path.length), STAND_IN).split(STAND_IN)
    : address.split(KEY_MARK);
}

/** Half a surrogate pair was replaced on the wire, too. The mark counts only as a whole string of the JSON. */
const keyed = (text: Frame & string): Keyed =>
  text.replace(/\p{Surrogate}/gu, '\ufffd').split(JSON.stringify(KEY_MARK));

/** A program with more lines than that is read by nobody; what it begins with sets the session up. */
const MAX_FRAMES = 300;

/** Entries between two breaths where no payload is read. */
export const HEADS_A_BREATH = 4096;

/** What was sent on the last connection that anything was sent on, without reading anything else. */
export async function snippetOf(
  { info, index, reader }: ReadableRecording,
  breathe: Breathe,
): Promise<{ source: SnippetSource; frames: number }> {
  const sent: number[] = [];
  let connection = 0;
  let lastIn = -1;
  for (let at = 0; at < index.length; at += 1) {
    if (at % HEADS_A_BREATH === 0) await breathe(at / index.length);
    const head = index.head(at);
    if (head.direction === 'out') {
      if (head.connection !== connection) sent.length = 0;
      ({ connection } = head);
      sent.push(at);
      // What comes later answers what is not in the program.
    } else if (head.direction === 'in' && head.connection === connection && sent.length <= MAX_FRAMES) {
      lastIn = at;
    }
  }
  const entries: RecordEntry[] = [];
  const shown = sent.slice(0, MAX_FRAMES);
  for (const at of [...shown, ...(lastIn > (shown.at(-1) ?? 0) ? [lastIn] : [])]) {
    const entry = await reader.entry(at);
    if (entry.payload !== null) entries.push({ ...entry, payload: entry.payload });
  }
  return { source: snippetSource(info, entries), frames: sent.length };
}
