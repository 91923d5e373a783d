import { LiveRecording } from '../../../src/session/recording/live-recording.ts';
import type { RecordEntry } from '../../../src/session/recording/record.ts';
import { RecordingStore } from '../../../src/session/recording/recording-store.ts';

/** What the recording is called in the list. */
export const SEEDED_NAME = 'A long conversation';
/** Found in every hundredth entry, and in none but the last. */
export const COMMON_TEXT = 'platform';
export const LAST_TEXT = 'the very end';

/** As many as are written at once where 2,000 come in a second. */
const ENTRIES_A_WRITE = 2048;
const ENTRIES_A_TURN = 500;
/** 20 ms of G.711 at 8 kHz. */
const CODES = 160;
const AUDIO_MS = 20;

type NewEntry = Omit<RecordEntry, 'index'>;

/** Six of ten are audio, as in a conversation. */
const KINDS = ['audio', 'audio', 'audio', 'words', 'audio', 'audio', 'audio', 'words', 'say', 'chunkStarted'];

function audioText(i: number): string {
  let codes = '';
  for (let at = 0; at < CODES; at += 1) codes += String.fromCharCode((i * 31 + at * at) & 0xff);
  return JSON.stringify({
    audio: btoa(codes),
    enc: 'mulaw',
    idx: i % 300,
    sr: 8000,
    samples: CODES,
    chunk_id: i % 50,
  });
}

function payloadOf(kind: string, i: number, isLast: boolean): string {
  const word = isLast ? LAST_TEXT : i % 100 === 3 ? COMMON_TEXT : `word${i % 977}`;
  switch (kind) {
    case 'audio':
      return audioText(i);
    case 'words':
      return JSON.stringify({
        word_timestamps: [{ word, start_ms: 0, end_ms: 200, char_start: 0, char_end: 4 }],
        chunk_id: i % 50,
      });
    case 'say':
      return JSON.stringify({ text: ` ${word}` });
    default:
      return JSON.stringify({
        generation_started: true,
        chunk_id: i % 50,
        text: `Chunk with ${word} in it.`,
      });
  }
}

function entryAt(i: number, of: number): NewEntry {
  const isLast = i === of - 1;
  const kind = isLast ? 'words' : (KINDS[i % KINDS.length] ?? 'audio');
  const payload = payloadOf(kind, i, isLast);
  return {
    atUs: i * 500,
    direction: kind === 'say' ? 'out' : 'in',
    connection: 1,
    opcode: 'text',
    bytes: payload.length,
    kind,
    turn: Math.floor(i / ENTRIES_A_TURN) + 1,
    context: null,
    chunk: kind === 'say' ? null : i % 50,
    audioMs: kind === 'audio' ? AUDIO_MS : null,
    payload,
  };
}

/** Writes a recording of so many entries into the database of the page's origin, as the recorder does. Gives its bytes. */
export async function seedRecording(entries: number): Promise<number> {
  const store = await RecordingStore.open(() => undefined);
  const live = new LiveRecording(crypto.randomUUID(), {
    endpoint: 'kugel-stream',
    address: 'wss://host.example/kugel/ws/tts/stream',
    startedAtMs: Date.now(),
  });
  live.name = SEEDED_NAME;
  for (let i = 0; i < entries; i += 1) {
    live.append(entryAt(i, entries));
    if (i % ENTRIES_A_WRITE === 0) await live.flush((batch) => store.write(batch));
  }
  await live.flush((batch) => store.write(batch));
  store.close();
  if (live.memoryReason !== null) throw new Error(`The recording was not stored: ${live.memoryReason}.`);
  return live.storedBytes;
}
