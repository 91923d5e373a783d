import { replaceHalves } from '#lib/text/halves.ts';
import { keylessAddress, programHandshakeOf, readAddress } from '#protocol/core/address.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { LOCAL_KEY } from '#protocol/core/servers.ts';
import { endpointNamed } from '#protocol/registry.ts';
import { openingOf } from '#trace/connection.ts';
import type { RecordEntry, RecordingInfo } from '#trace/entry.ts';
import { KEY_MARK } from '#trace/secrets/named-secrets.ts';

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
  /** The local server's key, as an example; an ellipsis for an unknown endpoint. */
  keyHint: string;
  /** With places for the key, percent-encoded. */
  address: Keyed;
  protocols: readonly Keyed[];
  headers: readonly { name: string; value: Keyed }[];
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
  const address = own.map(openingOf).find((opening) => opening !== null)?.address ?? info.address;
  const sent = own.filter(({ direction }) => direction === 'out');
  const lastSentUs = sent.at(-1)?.atUs ?? 0;
  const lastUs = own.findLast(({ direction }) => direction === 'in')?.atUs ?? lastSentUs;
  const endpoint = endpointNamed(info.endpoint);
  return {
    title: endpoint?.title ?? 'a server',
    keyHint: endpoint ? LOCAL_KEY : '…',
    ...keyedHandshake(endpoint, address),
    frames: sent.map(({ atUs, payload }, i) => ({
      waitMs: Math.min(MAX_WAIT_MS, Math.round((atUs - (sent[i - 1]?.atUs ?? atUs)) / 1000)),
      frame: typeof payload === 'string' ? { text: keyed(payload) } : { bytes: payload },
    })),
    tailMs: Math.max(0, (lastUs - lastSentUs) / 1000),
  };
}

/** Placeholder for the key in a handshake, which is then cut there. */
const STAND_IN = 'VOICEWIREKEY';
const cut = (text: string): Keyed => text.split(STAND_IN);

function keyedHandshake(
  endpoint: Endpoint | null,
  address: string,
): Pick<SnippetSource, 'address' | 'protocols' | 'headers'> {
  const read = endpoint && readAddress(endpoint, address);
  if (!read) return { address: address.split(KEY_MARK), protocols: [], headers: [] };
  const keyless = keylessAddress(endpoint, read.base, read.settings);
  const { url, protocols, headers } = programHandshakeOf(endpoint, keyless, STAND_IN);
  return {
    address: cut(url),
    protocols: protocols.map(cut),
    headers: Object.entries(headers).map(([name, value]) => ({ name, value: cut(value) })),
  };
}

/** Lone surrogates were replaced on the wire, too. The mark counts only as a whole JSON string. */
const keyed = (text: Frame & string): Keyed => replaceHalves(text).split(JSON.stringify(KEY_MARK));
