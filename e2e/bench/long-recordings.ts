import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { RecordEntry } from '#trace/entry.ts';
import { writeRecording } from '#trace/files/recording-file.ts';

/** Recordings of many entries, one kind of session each. Frames are short, so that an entry costs more than its bytes. */

/** A kind of session, and the registry name of its endpoint. */
interface LongShape {
  endpoint: string;
  address: string;
  /** Yields about so many entries. */
  entries(count: number): Generator<RecordEntry>;
}

const NOTHING = { index: 0, atUs: 0, connection: 1, turn: null, context: null, chunk: null, audioMs: null };

const entry =
  (direction: RecordEntry['direction']) =>
  (kind: string, payload: object, noted: Partial<RecordEntry> = {}): RecordEntry => {
    const frame = payload instanceof Uint8Array ? new Uint8Array(payload) : JSON.stringify(payload);
    const opcode = typeof frame !== 'string' ? 'binary' : direction === 'connection' ? 'none' : 'text';
    return { ...NOTHING, direction, kind, opcode, bytes: frame.length, ...noted, payload: frame };
  };
const sent = entry('out');
const received = entry('in');
const ofConnection = entry('connection');

function* opened(address: string, connection = 1): Generator<RecordEntry> {
  yield ofConnection('opening', { address }, { connection });
  yield ofConnection('opened', {}, { connection });
}

/** Between entries. */
const EVERY_US = 100;

const KUGEL = 'ws://127.0.0.1:4173/kugel/ws/tts/stream';
const SETTINGS = { voice_id: 1071, language: 'en', output_format: 'pcm_16000' };
/** 10 ms at 16 kHz, and at 8 kHz as µ-law. */
const SAMPLES = 160;
const toneOf = (at: number): Buffer => {
  const samples = Int16Array.from({ length: SAMPLES }, (_, place) => 3000 * Math.sin((at + place) / 9));
  return Buffer.from(samples.buffer);
};
const TONES = Array.from({ length: 50 }, (_, at) => toneOf(at * SAMPLES).toString('base64'));
const MULAW = Uint8Array.from({ length: 80 }, (_, at) => 0x90 + ((at * 7) % 32));

const kugelAudio = (index: number, chunk: number, noted: Partial<RecordEntry>): RecordEntry =>
  received(
    'audio',
    {
      audio: TONES[index % TONES.length] ?? '',
      enc: 'pcm_s16le',
      idx: index,
      sr: 16_000,
      samples: SAMPLES,
      chunk_id: chunk,
    },
    { chunk, audioMs: 10, ...noted },
  );

const USAGE = { characters: 9, audio_seconds: 0.03, cost_cents: 0.01, currency: 'eur', model_id: 'kugel-3' };

function* kugelTurn(turn: number, noted: Partial<RecordEntry>): Generator<RecordEntry> {
  const own = { turn, ...noted };
  yield sent('say', { text: 'Good' }, own);
  yield sent('say', { text: ' day.' }, own);
  yield sent('flush', { flush: true }, own);
  yield received(
    'chunkStarted',
    { generation_started: true, chunk_id: 0, text: 'Good day.' },
    { ...own, chunk: 0 },
  );
  for (let at = 0; at < 3; at += 1) yield kugelAudio(at, 0, own);
  yield received(
    'chunkCompleted',
    { chunk_complete: true, chunk_id: 0, audio_seconds: 0.03, gen_ms: 4 },
    { ...own, chunk: 0 },
  );
  const totals = { total_audio_seconds: 0.03, total_text_chunks: 1, total_audio_chunks: 3 };
  yield received('audioEnded', { final: true, ...totals }, own);
  yield received('turnEnded', { session_closed: true, ...totals, usage: USAGE }, own);
}
/** Entries of a turn of Kugel. */
const OF_TURN = 10;

const MULTI = 'ws://127.0.0.1:4173/kugel/ws/tts/multi';
const AURA = 'ws://127.0.0.1:4173/deepgram/v1/speak?model=aura-2-thalia-en&encoding=mulaw&sample_rate=8000';

/** By name. */
export const LONG_SHAPES: Readonly<Record<string, LongShape>> = {
  'texts of one turn': {
    endpoint: 'kugel-stream',
    address: KUGEL,
    *entries(count) {
      yield* opened(KUGEL);
      yield sent('open', SETTINGS);
      for (let at = 0; at < count; at += 1) yield sent('say', { text: ` word${at % 100}` }, { turn: 1 });
      yield received('turnEnded', { session_closed: true, usage: USAGE }, { turn: 1 });
    },
  },
  'audio of one turn': {
    endpoint: 'kugel-stream',
    address: KUGEL,
    *entries(count) {
      yield* opened(KUGEL);
      yield sent('open', SETTINGS);
      yield sent('say', { text: 'Good day.' }, { turn: 1 });
      yield sent('flush', { flush: true }, { turn: 1 });
      const started = { generation_started: true, chunk_id: 0, text: 'Good day.' };
      yield received('chunkStarted', started, { turn: 1, chunk: 0 });
      for (let at = 0; at < count; at += 1) yield kugelAudio(at, 0, { turn: 1 });
      yield received('turnEnded', { session_closed: true, usage: USAGE }, { turn: 1 });
    },
  },
  'bytes of one turn': {
    endpoint: 'deepgram',
    address: AURA,
    *entries(count) {
      yield* opened(AURA);
      yield sent('say', { type: 'Speak', text: 'Good day.' }, { turn: 1 });
      yield sent('flush', { type: 'Flush' }, { turn: 1 });
      for (let at = 0; at < count; at += 1)
        yield received('audio', MULAW, { turn: 1, chunk: 0, audioMs: 10 });
    },
  },
  'turns of a connection': {
    endpoint: 'kugel-stream',
    address: KUGEL,
    *entries(count) {
      yield* opened(KUGEL);
      yield sent('open', SETTINGS);
      for (let turn = 1; turn <= count / OF_TURN; turn += 1) yield* kugelTurn(turn, {});
    },
  },
  'a connection for each turn': {
    endpoint: 'kugel-stream',
    address: KUGEL,
    *entries(count) {
      for (let turn = 1; turn <= count / (OF_TURN + 4); turn += 1) {
        yield* opened(KUGEL, turn);
        yield sent('open', SETTINGS, { connection: turn });
        yield* kugelTurn(turn, { connection: turn });
        yield ofConnection('closed', { code: 1000, reason: '', asked: true }, { connection: turn });
      }
    },
  },
  'contexts of a connection': {
    endpoint: 'kugel-multi',
    address: MULTI,
    *entries(count) {
      yield* opened(MULTI);
      for (let at = 1; at <= count / 4; at += 1) {
        const context = `c${at}`;
        const noted = { turn: at, context };
        yield sent('say', { text: 'Good day. ', context_id: context, ...(at === 1 && SETTINGS) }, noted);
        yield sent('endTurn', { close_context: true, context_id: context }, noted);
        yield received('unread', { context_created: true, context_id: context }, noted);
        yield received('contextClosed', { context_closed: true, context_id: context }, noted);
      }
    },
  },
  calls: {
    endpoint: 'kugel-rest',
    address: 'http://127.0.0.1:4173/kugel',
    *entries(count) {
      const headers = { 'content-type': 'application/json' };
      for (let turn = 1; turn <= count / 5; turn += 1) {
        yield sent('request', { method: 'POST', path: '/v1/tts/generate', headers }, { turn });
        yield sent('body', { text: `Day ${turn}.`, voice_id: 1071 }, { turn });
        yield received('response', { status: 200, reason: 'OK', headers }, { turn });
        yield received('body', { audio: '' }, { turn });
        const end = { how: 'whole', sent: { bytes: 32 }, received: { bytes: 12 } };
        yield ofConnection('ended', end, { turn });
      }
    },
  },
};

/** Writes a recording of about so many entries. Returns how many it has. */
export async function writeLongRecording(path: string, shape: LongShape, about: number): Promise<number> {
  const { endpoint, address } = shape;
  const info = { id: 'long', name: 'long', endpoint, address, startedAtMs: 1_795_000_000_000 };
  let entries = 0;
  function* timed() {
    for (const one of shape.entries(about)) {
      yield { ...one, atUs: entries * EVERY_US };
      entries += 1;
    }
  }
  const counts = { durationUs: about * EVERY_US, entries: about, bytes: 0, pinned: false };
  await pipeline(writeRecording({ ...info, ...counts }, timed()), createWriteStream(path));
  return entries;
}
