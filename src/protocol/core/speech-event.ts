import type { AudioFormat } from './audio-format.ts';

/**
 * The common vocabulary of decoded frames. Turns, transcript and measures use only these events, so no higher floor knows
 * a vendor's frame names.
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
  /** Its times are shares of those of a longer stretch, which the server reported as one word. */
  isEstimated?: true;
}

/** The consumption of a turn or context. `costCents` is null where the server does not know the charge. */
export interface Usage {
  audioSeconds: number | null;
  characters: number | null;
  /** Hundredths of the currency unit. */
  costCents: number | null;
  currency: string | null;
  modelId: string | null;
}

/** The server's totals of a turn; null for missing ones. */
export interface TurnTotals {
  audioSeconds: number | null;
  textChunks: number | null;
  audioFrames: number | null;
}

/** The server's own figures of one chunk, beside our measures; null for missing ones. */
export interface ServerFigures {
  /** From its start on the chunk to its first audio, in ms. */
  firstAudioMs: number | null;
  /** Length of the chunk's audio, in ms. */
  audioMs: number | null;
  audioFrames: number | null;
}

/** A sound in IPA, or in the server's own alphabet. */
export interface SpokenPhoneme {
  phoneme: string;
  startMs: number;
  endMs: number;
}

/** Fields of a frame outside its schema. They are kept, never dropped silently. */
export type UnknownFields = Readonly<Record<string, unknown>>;

interface InContext {
  context: string;
  unknown?: UnknownFields;
}

/** Audio in its wire form: base64 text from JSON, or the bytes of a binary frame. */
export type AudioPayload = { base64: string } | { bytes: Uint8Array };

export type AudioEvent = InContext &
  AudioFormat & {
    type: 'audio';
    chunk: number;
    /** Position in the turn by the server's count from 0; null where the protocol has no numbers. */
    index: number | null;
    /** The server's sample count; null where the protocol has none. */
    samples: number | null;
    payload: AudioPayload;
  };

export type SpeechEvent =
  | (InContext & {
      type: 'chunkStarted';
      chunk: number;
      text: string | null;
      /** The text as it is spoken, such as with numbers in words, where the server says another one. */
      spokenAs?: string;
      /** The server announces no start. The event comes with the first frame of the chunk, which may be audio. */
      inferred?: true;
      /** The chunk has begun before, and its text has grown. */
      isMore?: true;
    })
  | AudioEvent
  | (InContext & { type: 'words'; chunk: number; words: readonly SpokenWord[] })
  /** The sounds of the voice, with times from the start of the chunk. */
  | (InContext & { type: 'phonemes'; chunk: number; phonemes: readonly SpokenPhoneme[] })
  | (InContext & {
      type: 'chunkCompleted';
      chunk: number;
      audioSeconds: number | null;
      generationMs: number | null;
      figures?: ServerFigures;
    })
  /** No audio of this turn follows. */
  | (InContext & { type: 'audioEnded'; totals: TurnTotals })
  | (InContext & { type: 'turnEnded'; totals: TurnTotals; usage: Usage | null })
  /**
   * `heard`: the text that was heard, `usage`: that of the turns, where the server says it. `ends`: the cancel of another client
   * ended this alone, and later turns go on.
   */
  | {
      type: 'interrupted';
      context: string | null;
      heard?: string;
      usage?: Usage;
      ends?: 'first' | 'nothing';
      unknown?: UnknownFields;
    }
  /** `endsTurn`: the server has ended the open turn by itself, so later text belongs to the next. */
  | (InContext & { type: 'warning'; message: string; endsTurn: boolean })
  | {
      type: 'error';
      /** Null for the whole connection. */
      context: string | null;
      message: string;
      /** The vendor's name of the error, such as `VALIDATION_ERROR`, if any. */
      name: string | null;
      code: number | null;
      requestId: string | null;
      /** The server skips only this chunk of the oldest turn, which continues and ends normally. */
      chunk?: number;
      /** The server refused the message and changed nothing else. */
      isRefusal?: true;
      /** The turn that is over with the error, where the wire knows it: nothing else is sent for it. */
      ends?: 'newest' | 'nothing';
      unknown?: UnknownFields;
    }
  | { type: 'settingsUpdated'; settings: UnknownFields; unknown?: UnknownFields }
  | (InContext & { type: 'contextOpened' })
  /** `timedOut`: the server closed it as idle. */
  | (InContext & { type: 'contextClosed'; usage: Usage | null; timedOut: boolean })
  /** Every context has ended. */
  | { type: 'sessionEnded'; audioSeconds: number | null; unknown?: UnknownFields }
  /** A well-formed frame of a kind unknown to this version. */
  | { type: 'unknown'; frame: unknown }
  /** A frame that breaks the protocol. `problem` names the found and the expected value. */
  | { type: 'malformed'; problem: string };

/** The end of a turn without totals from the server. */
export function endOfTurn(
  context: string,
  usage: Usage | null,
  rest: Pick<InContext, 'unknown'>,
): SpeechEvent[] {
  const totals: TurnTotals = { audioSeconds: null, textChunks: null, audioFrames: null };
  return [
    { type: 'audioEnded', context, totals },
    { type: 'turnEnded', context, totals, usage, ...rest },
  ];
}
