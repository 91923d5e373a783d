import { issuesOf, type Parsed } from '#protocol/core/issue.ts';
import type { Fields } from '#protocol/core/json-frame.ts';
import { settingsOf } from '#protocol/core/settings.ts';
import { z } from '#protocol/core/zod.ts';
import { audioFormatIssues } from '#protocol/kugel/wire/audio-format.ts';
import {
  type GenerationConfig,
  parseUpdate,
  pickFields,
  type SettingsUpdate,
  settingsInEffect,
  withoutNulls,
} from '#protocol/kugel/wire/client-frames.ts';
import { generationShape, MAX_TEXT_CHARS } from '#protocol/kugel/wire/generation.ts';
import type { UsageObject, WordTimestampsFrame } from '#protocol/kugel/wire/server-frames.ts';
import type { KugelRefusal } from './access.ts';
import { bill, roundedSeconds } from './billing.ts';
import type { SessionOptions } from './kugel-session.ts';
import { CLOSING, invalid, invalidFields, MISSING_VOICE, tooMuchWaiting, unknownNames } from './refusals.ts';
import { ServerTurn } from './server-turn.ts';
import type { ChunkFrame } from './turn-queue.ts';
import { TurnSession } from './turn-session.ts';

const requestSettings = settingsOf(generationShape);

/** One chunk a request: words and offsets are those of the whole text, because no frame names a chunk. */
const ONE_CHUNK = { chunk_length_schedule: [MAX_TEXT_CHARS], max_buffer_length: MAX_TEXT_CHARS + 1 };

const requestFrame = z.looseObject({
  ...generationShape,
  model: generationShape.model_id,
  text: z.optional(z.string().check(z.maxLength(MAX_TEXT_CHARS))),
  cancel: z.optional(z.boolean()),
  update_settings: z.optional(z.record(z.string(), z.unknown())),
});

/** One client frame by its parts. A frame without the keys of control is a request. */
interface RequestMessage {
  config: GenerationConfig;
  text: string | undefined;
  cancel: boolean;
  update: SettingsUpdate | undefined;
}

type RequestServerFrame =
  | Omit<WordTimestampsFrame, 'chunk_id'>
  | { interrupted: true }
  | { settings_updated: true; settings: Record<string, unknown> }
  | {
      final: true;
      /** Audio frames. */
      chunks: number;
      total_samples: number;
      dur_ms: number;
      gen_ms: number;
      /** Generation time divided by audio time; 0 without audio. */
      rtf: number;
      usage: UsageObject;
    };

function parseRequest(value: unknown): Parsed<RequestMessage> {
  const fields = withoutNulls(value);
  const parsed = requestFrame.safeParse(fields);
  if (!parsed.success) return { ok: false, issues: issuesOf(parsed.error, fields, requestSettings) };
  const { text, cancel, update_settings } = parsed.data;
  const update = parseUpdate(update_settings as Fields | undefined);
  if (!update.ok) return update;
  const config = pickFields(parsed.data, requestSettings) as GenerationConfig;
  return { ok: true, value: { config, text, cancel: cancel === true, update: update.value } };
}

/**
 * One connection to `/ws/tts`: requests with their whole text, one after the other (`facts 4`). A request that arrives
 * during another one waits for it.
 */
export class RequestSession extends TurnSession<RequestMessage, RequestServerFrame> {
  /** Sticky settings of `update_settings`. A value in a request wins. */
  #defaults: SettingsUpdate = {};
  #generationMs = 0;

  constructor(options: SessionOptions) {
    super(options, parseRequest);
  }

  protected check({ config, text, cancel, update }: RequestMessage): KugelRefusal | null {
    if (this.closeWhenDone && !cancel) return CLOSING;
    const unknown = unknownNames(this.options.store, config);
    if (unknown) return unknown;
    const issues = audioFormatIssues(config);
    if (issues.length > 0) return invalidFields(issues);
    if (text === undefined && (cancel || update)) return null;
    if (text === undefined || text.trim() === '') return invalid('text: expected a text to speak, got none');
    if (config.voice_id === undefined) return MISSING_VOICE;
    return tooMuchWaiting(this.queue.length + 1, this.queue.unspokenCharacters + text.length);
  }

  protected accept({ config, text, cancel, update }: RequestMessage): void {
    if (update) {
      this.#defaults = { ...this.#defaults, ...update };
      this.send({ settings_updated: true, settings: settingsInEffect(this.#defaults) });
    }
    if (cancel) {
      this.dropTurns();
      this.send({ interrupted: true });
      this.closeIfDone();
    }
    const { store } = this.options;
    const voice = store.voices.find(config.voice_id ?? '');
    if (text === undefined || !voice || this.isClosed) return;
    this.queue.begin(
      new ServerTurn({ config: { ...this.#defaults, ...config, ...ONE_CHUNK }, voice, store }),
    );
    this.queue.add(text);
    this.queue.endOpen();
  }

  /** Only the words of a chunk have a frame here. */
  protected sendOfChunk(frame: ChunkFrame): void {
    if ('word_timestamps' in frame) this.send({ word_timestamps: frame.word_timestamps });
    if ('gen_ms' in frame) this.#generationMs = frame.gen_ms;
  }

  protected finish(turn: ServerTurn): void {
    const generationMs = turn.samples > 0 ? this.#generationMs : 0;
    const durationMs = Math.round(turn.audioSeconds * 1000);
    this.send({
      final: true,
      chunks: turn.framer.cutter.count,
      total_samples: turn.samples,
      dur_ms: durationMs,
      gen_ms: generationMs,
      rtf: durationMs > 0 ? Math.round((generationMs * 1000) / durationMs) / 1000 : 0,
      usage: bill(this.options.account, {
        audioSeconds: roundedSeconds(turn.audioSeconds),
        characters: turn.characters,
        modelId: turn.config.model_id,
      }),
    });
  }
}
