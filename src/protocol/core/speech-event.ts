/**
 * The vocabulary that every endpoint decodes its frames into. Turns, transcript and measures are built from
 * these alone, so nothing above this floor knows a vendor's frame names.
 */

/** The context of an endpoint that has exactly one. */
export const ONLY_CONTEXT = '';

/** One word of a chunk as written. Times are ms from the start of the chunk's audio; offsets are UTF-16, end exclusive. */
export interface SpokenWord {
  word: string;
  startMs: number;
  endMs: number;
  charStart: number;
  charEnd: number;
}

export type AudioEncoding = 'pcm_s16le' | 'mulaw' | 'alaw';

/** What a turn or context consumed. `costCents` is null where the server says that it cannot tell. */
export interface Usage {
  audioSeconds: number | null;
  characters: number | null;
  /** Hundredths of the currency unit. */
  costCents: number | null;
  currency: string | null;
  modelId: string | null;
}

/** Counts that a server reports at the end of a turn; null where it reports none. */
export interface TurnTotals {
  audioSeconds: number | null;
  textChunks: number | null;
  audioFrames: number | null;
}

/** What a server says of the making of one chunk, beside what is measured here; null where it says nothing. */
export interface ServerFigures {
  /** From its start on the chunk to its first audio, in ms. */
  firstAudioMs: number | null;
  /** Length of the chunk's audio, in ms. */
  audioMs: number | null;
  audioFrames: number | null;
}

/** Fields of a frame that its schema does not name: kept, never dropped silently. */
export type UnknownFields = Readonly<Record<string, unknown>>;

interface InContext {
  context: string;
  unknown?: UnknownFields;
}

/** Audio bytes as they arrived: base64 text out of JSON, or the payload of a binary frame. */
export type AudioPayload = { base64: string } | { bytes: Uint8Array };

export type AudioEvent = InContext & {
  type: 'audio';
  chunk: number;
  /** Position in the turn, counted by the server from 0; null where the protocol does not number. */
  index: number | null;
  encoding: AudioEncoding;
  sampleRate: number;
  /** Samples that the server says are inside; null where the protocol does not say. */
  samples: number | null;
  payload: AudioPayload;
};

export type SpeechEvent =
  | (InContext & {
      type: 'chunkStarted';
      chunk: number;
      text: string | null;
      /** The server does not say when it starts: this comes with the first sign of the chunk, which may be its audio. */
      inferred?: true;
    })
  | AudioEvent
  | (InContext & { type: 'words'; chunk: number; words: readonly SpokenWord[] })
  | (InContext & {
      type: 'chunkCompleted';
      chunk: number;
      audioSeconds: number | null;
      generationMs: number | null;
      figures?: ServerFigures;
    })
  /** No more audio of this turn will come. */
  | (InContext & { type: 'audioEnded'; totals: TurnTotals })
  | (InContext & { type: 'turnEnded'; totals: TurnTotals; usage: Usage | null })
  | { type: 'interrupted'; context: string | null; unknown?: UnknownFields }
  /** `endsTurn`: the server has ended the open turn by itself; what is sent from now on belongs to the next. */
  | (InContext & { type: 'warning'; message: string; endsTurn: boolean })
  | {
      type: 'error';
      /** null: the whole connection is meant. */
      context: string | null;
      message: string;
      /** The vendor's name for the error, such as `VALIDATION_ERROR`; null where it has none. */
      name: string | null;
      code: number | null;
      requestId: string | null;
      /** Only this chunk of the oldest turn will not be spoken: the turn goes on and ends in the ordinary way. */
      chunk?: number;
      /** The message was not taken, and nothing else has changed. */
      isRefusal?: true;
      unknown?: UnknownFields;
    }
  | { type: 'settingsUpdated'; settings: UnknownFields; unknown?: UnknownFields }
  | (InContext & { type: 'contextOpened' })
  /** `timedOut`: the server says that it was idle for too long. */
  | (InContext & { type: 'contextClosed'; usage: Usage | null; timedOut: boolean })
  /** Every context has ended. */
  | { type: 'sessionEnded'; audioSeconds: number | null; unknown?: UnknownFields }
  /** A well-formed frame of a kind that this version does not know. */
  | { type: 'unknown'; frame: unknown }
  /** A frame that breaks the protocol; `problem` names what was wrong and what was expected. */
  | { type: 'malformed'; problem: string };
