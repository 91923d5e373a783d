import { type SettingsUpdate, settingsInEffect } from '#protocol/kugel/wire/client-frames.ts';
import type { TtsServerFrame } from '#protocol/kugel/wire/server-frames.ts';
import { audioFormatIssues, MAX_TEXT_CHARS } from '#protocol/kugel/wire/settings.ts';
import { parseTtsMessage, type StreamClientMessage } from '#protocol/kugel/wire/stream-client.ts';
import { CLOSING, invalidFields, type KugelRefusal, MISSING_VOICE, tooMuchWaiting } from './access.ts';
import { TurnSession } from './kugel-session.ts';
import { bill, roundedSeconds, ServerTurn } from './server-turn.ts';
import { unknownNames } from './store.ts';
import type { ChunkFrame } from './turn-queue.ts';

/** One chunk a request: words and offsets are those of the whole text, because no frame has the text of a chunk. */
const ONE_CHUNK = { chunk_length_schedule: [MAX_TEXT_CHARS], max_buffer_length: MAX_TEXT_CHARS + 1 };

/**
 * One connection to `/ws/tts`: requests with their whole text, one after the other (kugel-turn-12). A request that arrives
 * during another one waits for it.
 */
export class RequestSession extends TurnSession<StreamClientMessage, TtsServerFrame> {
  /** Sticky settings of `update_settings`. A value in a request wins. */
  #defaults: SettingsUpdate = {};
  #generationMs = 0;

  protected readonly parse = parseTtsMessage;

  protected check({ config, text, cancel }: StreamClientMessage): KugelRefusal | null {
    if (this.closeWhenDone && !cancel) return CLOSING;
    const unknown = unknownNames(this.options.services.store, config);
    if (unknown) return unknown;
    const issues = audioFormatIssues(config);
    if (issues.length > 0) return invalidFields(issues);
    if (text === undefined) return null;
    if (config.voice_id === undefined) return MISSING_VOICE;
    return tooMuchWaiting(this.queue.length + 1, this.queue.unspokenCharacters + text.length);
  }

  protected accept({ config, text, cancel, update }: StreamClientMessage): void {
    if (update) {
      this.#defaults = { ...this.#defaults, ...update };
      this.sendFrame({ settings_updated: true, settings: settingsInEffect(this.#defaults) });
    }
    if (cancel) {
      this.dropTurns();
      this.sendFrame({ interrupted: true });
      this.closeIfDone();
    }
    const { store } = this.options.services;
    const voice = store.voices.current.find(config.voice_id ?? '');
    if (text === undefined || !voice || this.isOver) return;
    this.queue.begin(
      new ServerTurn({ config: { ...this.#defaults, ...config, ...ONE_CHUNK }, voice, store }),
    );
    this.queue.add(text);
    this.queue.endOpen();
  }

  /** Only the words of a chunk have a frame here. */
  protected sendOfChunk(frame: ChunkFrame): void {
    if ('word_timestamps' in frame) this.sendFrame(frame);
    if ('gen_ms' in frame) this.#generationMs = frame.gen_ms;
  }

  protected finish(turn: ServerTurn): void {
    const generationMs = turn.samples > 0 ? this.#generationMs : 0;
    const durationMs = Math.round(turn.audioSeconds * 1000);
    this.sendFrame({
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
