import { readAddress } from '#protocol/core/address.ts';
import { type AudioFormat, isAudioFormat } from '#protocol/core/audio-format.ts';
import { CLOSE_CODES } from '#protocol/core/close-meaning.ts';
import type { Dialect, Endpoint } from '#protocol/core/endpoint.ts';
import type { Frame } from '#protocol/core/frame.ts';
import { fieldsOf } from '#protocol/core/json-frame.ts';
import { protocolOf } from '#protocol/protocols.ts';
import type { RecordHead } from './entry.ts';

/** The payload of the entry that opens a connection. */
export interface RecordedOpening {
  /** Without its key. */
  address: string;
  /** Of the audio. Absent in captures, in HAR files and in older recordings. */
  format?: AudioFormat;
}

/** Open connections that readers remember: a cast has up to 64 voices, each with one, and one ahead of it. Files may claim more. */
export const KEPT_CONNECTIONS = 130;

/** Opens the dialect of a connection that was recorded. @param opening null for an unknown one */
export function reopen(endpoint: Endpoint, opening: RecordedOpening | null): Dialect {
  const settings = (opening && readAddress(endpoint, opening.address)?.settings) ?? {};
  return protocolOf(endpoint).open({ settings, key: '', ...(opening?.format && { format: opening.format }) });
}

/** Whether an entry opens a connection. */
export const isOpening = ({ direction, kind }: Pick<RecordHead, 'direction' | 'kind'>): boolean =>
  direction === 'connection' && kind === 'opening';

/** Whether an entry ends a connection. */
export const isClose = ({ direction, kind }: Pick<RecordHead, 'direction' | 'kind'>): boolean =>
  direction === 'connection' && (kind === 'closed' || kind === 'failed');

/** The end of a connection. Recordings from other tools may lack any of it. */
export interface RecordedClose {
  code: number;
  reason: string;
  /** The client had requested it. */
  asked: boolean;
  /** The client dropped the connection without waiting for the server. */
  left: boolean;
  /** Nobody tried again. */
  isFinal: boolean;
  /** Of the answer that refused the handshake; empty for any other end. */
  body: string;
  /** Of that body; empty where it is unknown. */
  contentType: string;
}

/** Reads the payload of the entry that ends a connection. */
export function closeOf(payload: Frame | null): RecordedClose {
  const fields = (payload === null ? null : fieldsOf(payload)) ?? {};
  const { code, reason, asked, left, retries, body, contentType } = fields;
  return {
    code: typeof code === 'number' ? code : CLOSE_CODES.none,
    reason: typeof reason === 'string' ? reason : '',
    asked: asked === true,
    left: left === true,
    isFinal: retries === false,
    body: typeof body === 'string' ? body : '',
    contentType: typeof contentType === 'string' ? contentType : '',
  };
}

/** Reads the entry that opens a connection; null for any other. A format that is unknown here is left out. */
export function openingOf(
  entry: Pick<RecordHead, 'direction' | 'kind'> & { payload: Frame | null },
): RecordedOpening | null {
  if (!isOpening(entry) || entry.payload === null) return null;
  const { address, format } = fieldsOf(entry.payload) ?? {};
  if (typeof address !== 'string') return null;
  return isAudioFormat(format) ? { address, format } : { address };
}
