import { LiveRecording } from '#recordings/store/live-recording.ts';
import { RecordingStore } from '#recordings/store/recording-store.ts';
import type { RecordEntry } from '#trace/entry.ts';

/** Its name in the list. */
export const SEEDED_NAME = 'A long conversation';
/** Found in about every hundredth entry, and in none but the last. */
export const COMMON_TEXT = 'platform';
export const LAST_TEXT = 'the very end';

/** As many as are written at once where 2,000 come in a second. */
const ENTRIES_A_WRITE = 2048;
const ENTRY_US = 500;

/** 20 ms of G.711 at 8 kHz. */
const CODES = 160;
const AUDIO_MS = 20;

/** A turn: its text word by word, its chunks, its end. No rule is broken, so that rows look as in an honest session. */
const WORDS_A_TURN = 25;
const CHUNKS_A_TURN = 5;
/** Within a chunk: three audio frames and the timing of a word, again and again, between a start and an end. */
const CHUNK_CONTENTS = 92;
const WORDS_A_CHUNK = CHUNK_CONTENTS / 4;
const AUDIO_A_CHUNK = CHUNK_CONTENTS - WORDS_A_CHUNK;
const ENTRIES_A_CHUNK = CHUNK_CONTENTS + 2;
const WORD_MS = (AUDIO_A_CHUNK * AUDIO_MS) / WORDS_A_CHUNK;
const CHUNK_SECONDS = (AUDIO_A_CHUNK * AUDIO_MS) / 1000;
/** The list price. */
const CENTS_A_SECOND = 0.09;
const FIRST_OF_CHUNKS = WORDS_A_TURN + 1;
const END_OF_CHUNKS = FIRST_OF_CHUNKS + CHUNKS_A_TURN * ENTRIES_A_CHUNK;
const ENTRIES_A_TURN = END_OF_CHUNKS + 2;

type NewEntry = Omit<RecordEntry, 'index'>;
type Said = Pick<NewEntry, 'direction' | 'kind' | 'chunk' | 'audioMs'> & { message: object };

/** All of the length of {@link COMMON_TEXT}. */
const wordAt = (i: number): string => (i % 100 === 3 ? COMMON_TEXT : `word${1000 + (i % 9000)}`);
const isWord = (content: number): boolean => content % 4 === 3;

function audioAt(i: number): string {
  let codes = '';
  for (let at = 0; at < CODES; at += 1) codes += String.fromCharCode((i * 31 + at * at) & 0xff);
  return btoa(codes);
}

const received = (kind: string, chunk: number | null, message: object): Said => ({
  direction: 'in',
  kind,
  chunk,
  audioMs: kind === 'audio' ? AUDIO_MS : null,
  message,
});

const sent = (kind: string, message: object): Said => ({
  direction: 'out',
  kind,
  chunk: null,
  audioMs: null,
  message,
});

/** The frame at a place within a chunk; `i` is its number in the recording. */
function inChunk(chunk: number, place: number, i: number): Said {
  const content = place - 1;
  const contentsFrom = i - content;
  if (place === 0) {
    const words = Array.from({ length: WORDS_A_CHUNK }, (_, at) => wordAt(i + 1 + at * 4 + 3));
    return received('chunkStarted', chunk, {
      generation_started: true,
      chunk_id: chunk,
      text: words.join(' '),
    });
  }
  if (content === CHUNK_CONTENTS) {
    const length = { audio_seconds: CHUNK_SECONDS, gen_ms: 47 };
    return received('chunkCompleted', chunk, { chunk_complete: true, chunk_id: chunk, ...length });
  }
  if (isWord(content)) {
    const at = (content - 3) / 4;
    const word = wordAt(contentsFrom + content);
    const chars = { char_start: at * (word.length + 1), char_end: at * (word.length + 1) + word.length };
    const timing = { word, start_ms: at * WORD_MS, end_ms: (at + 1) * WORD_MS, ...chars };
    return received('words', chunk, { word_timestamps: [timing], chunk_id: chunk });
  }
  const idx = chunk * AUDIO_A_CHUNK + content - Math.floor(content / 4);
  const audio = { audio: audioAt(i), enc: 'mulaw', idx, sr: 8000, samples: CODES, chunk_id: chunk };
  return received('audio', chunk, audio);
}

function inTurn(place: number, i: number): Said {
  if (place < WORDS_A_TURN) {
    return sent('say', { text: ` ${wordAt(i)}${place === WORDS_A_TURN - 1 ? '.' : ''}` });
  }
  if (place === WORDS_A_TURN) return sent('flush', { flush: true });
  if (place < END_OF_CHUNKS) {
    const from = place - FIRST_OF_CHUNKS;
    return inChunk(Math.floor(from / ENTRIES_A_CHUNK), from % ENTRIES_A_CHUNK, i);
  }
  const seconds = CHUNKS_A_TURN * CHUNK_SECONDS;
  const totals = {
    total_audio_seconds: seconds,
    total_text_chunks: CHUNKS_A_TURN,
    total_audio_chunks: CHUNKS_A_TURN * AUDIO_A_CHUNK,
  };
  if (place === END_OF_CHUNKS) return received('audioEnded', null, { final: true, ...totals });
  const characters = WORDS_A_TURN * (COMMON_TEXT.length + 1) + 1;
  const usage = { audio_seconds: seconds, characters, cost_cents: seconds * CENTS_A_SECOND, currency: 'eur' };
  return received('turnEnded', null, { session_closed: true, ...totals, usage });
}

const OPENING: readonly Said[] = [
  {
    direction: 'connection',
    kind: 'opening',
    chunk: null,
    audioMs: null,
    message: { address: 'wss://host.example' },
  },
  { direction: 'connection', kind: 'opened', chunk: null, audioMs: null, message: { handshakeMs: 1 } },
  sent('open', { voice_id: 1071, language: 'en', word_timestamps: true, output_format: 'ulaw_8000' }),
];

/** The entry of that number in a recording of so many. */
export function entryAt(i: number, of: number): NewEntry {
  const place = i - OPENING.length;
  const opening = OPENING[i];
  const said =
    opening ??
    (i === of - 1 ? sent('say', { text: ` ${LAST_TEXT}` }) : inTurn(place % ENTRIES_A_TURN, place));
  const { message, ...head } = said;
  const payload = JSON.stringify(message);
  return {
    ...head,
    atUs: i * ENTRY_US,
    connection: 1,
    opcode: said.direction === 'connection' ? 'none' : 'text',
    bytes: payload.length,
    turn: opening ? null : Math.floor(place / ENTRIES_A_TURN) + 1,
    context: null,
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
  store.dispose();
  if (live.memoryReason !== null) throw new Error(`The recording was not stored: ${live.memoryReason}.`);
  return live.storedBytes;
}
