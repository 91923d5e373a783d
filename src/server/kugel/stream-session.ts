import type { Fields } from '#protocol/core/json-frame.ts';
import { settingsInEffect } from '#protocol/kugel/wire/client-frames.ts';
import type { StreamServerFrame } from '#protocol/kugel/wire/server-frames.ts';
import { audioFormatIssues, DEFAULT_MODEL, IDLE_TURN_MS } from '#protocol/kugel/wire/settings.ts';
import {
  mergeConfig,
  parseStreamMessage,
  type StreamClientMessage,
  type StreamConfig,
} from '#protocol/kugel/wire/stream-client.ts';
import {
  CLOSING,
  invalidFields,
  type KugelRefusal,
  MISSING_VOICE,
  tooMuchWaiting,
  type UnknownVoice,
  unknownVoiceOf,
} from './access.ts';
import { CLOSE_NORMAL, TurnSession } from './kugel-session.ts';
import { bill, roundedSeconds, ServerTurn } from './server-turn.ts';
import { unknownNames } from './store.ts';
import type { ChunkFrame } from './turn-queue.ts';

/** Text of the vendor, unchanged. */
const IDLE_WARNING =
  'Turn ended after 5s of inactivity. Send {"flush": true} to end a turn explicitly — it lowers latency and avoids this auto-flush.';

/**
 * One connection to `/ws/tts/stream`. Turns are spoken in the order in which they began. Text after a flush opens
 * the next turn, also while the previous one is spoken (kugel-turn-9).
 */
export class StreamSession extends TurnSession<StreamClientMessage, StreamServerFrame> {
  /** Sticky. A turn copies it at its beginning, so that changes apply from the next turn on (kugel-turn-4). */
  #config: StreamConfig = {};
  #cancelIdleTimer: () => void = () => {};
  #unknownVoice: UnknownVoice | undefined;

  protected readonly parse = parseStreamMessage;

  override goingAway(): void {
    this.#endOpenTurn();
    super.goingAway();
  }

  protected check(message: StreamClientMessage): KugelRefusal | null {
    const { config, text } = message;
    // A closing session still accepts a barge-in.
    if (this.closeWhenDone && !message.cancel) return CLOSING;
    const unknown = unknownNames(this.options.services.store, config, this.#config);
    if (unknown) return unknown;
    const formatIssues = audioFormatIssues(config);
    if (formatIssues.length > 0) return invalidFields(formatIssues);
    if (text === undefined || text.trim() === '') return null;
    const begins = !this.queue.open;
    if (begins) {
      const { voice_id } = mergeConfig(this.#config, config);
      if (voice_id === undefined) return this.#unknownVoice ? this.#unknownVoice.refusal : MISSING_VOICE;
      // A voice may be deleted between two turns.
      const gone = unknownNames(this.options.services.store, { voice_id });
      if (gone) return this.#unknownVoice?.refusal === null ? null : gone;
    }
    return tooMuchWaiting(this.queue.length + (begins ? 1 : 0), this.queue.unspokenCharacters + text.length);
  }

  /** Applies the config first, because it holds for the text of the same message. */
  protected accept(message: StreamClientMessage): void {
    const { config, text, update } = message;
    this.#config = mergeConfig(this.#config, config);
    if (update) {
      this.#config = { ...this.#config, ...update };
      this.sendFrame({ settings_updated: true, settings: settingsInEffect(this.#config) });
    }
    if (message.cancel) this.#interrupt();
    if (message.cancel || message.flush || message.close) this.#unknownVoice?.turnEnded();
    if (this.closeWhenDone) {
      this.closeIfDone();
      return;
    }
    if (text) this.#take(text);
    if (message.flush || message.close) this.#flush();
    if (message.closeSocket) {
      this.#endOpenTurn();
      this.closeAfterTurns(CLOSE_NORMAL, '');
    }
  }

  #take(text: string): void {
    if (!this.queue.open) {
      // Blank text starts no turn (kugel-turn-2).
      const { store } = this.options.services;
      const voice = store.voices.current.find(this.#config.voice_id ?? '');
      if (text.trim() === '' || !voice) return;
      this.queue.begin(new ServerTurn({ config: this.#config, voice, store }));
    }
    this.#cancelIdleTimer();
    this.#cancelIdleTimer = this.options.connection.clock.after(IDLE_TURN_MS, () => this.#endIdle());
    this.queue.add(text);
  }

  #flush(): void {
    if (this.queue.open) this.#endOpenTurn();
    // A turn that is still spoken answers this flush. Without any turn the flush is answered too, because official
    // clients wait for it (kugel-turn-10).
    else if (this.queue.length === 0) this.#answerEmptyTurn();
  }

  #endOpenTurn(): void {
    if (!this.queue.open) return;
    this.#cancelIdleTimer();
    this.queue.endOpen();
  }

  /** Sends the warning, speaks the buffered text, then sends `final` and `session_closed`. */
  #endIdle(): void {
    this.sendFrame({ warning: IDLE_WARNING });
    this.#unknownVoice?.turnEnded();
    this.#endOpenTurn();
  }

  #interrupt(): void {
    this.dropTurns();
    this.sendFrame({ interrupted: true });
  }

  protected override dropTurns(): void {
    this.#cancelIdleTimer();
    super.dropTurns();
  }

  protected override refuse(refusal: KugelRefusal, fields: Fields = {}): void {
    this.#unknownVoice = unknownVoiceOf(refusal, fields) ?? this.#unknownVoice;
    super.refuse(refusal);
  }

  protected sendOfChunk(frame: ChunkFrame): void {
    this.sendFrame(frame);
  }

  protected finish(turn: ServerTurn): void {
    const audioSeconds = roundedSeconds(turn.audioSeconds);
    this.#sendTotals(
      audioSeconds,
      turn.textChunks,
      turn.framer.cutter.count,
      turn.characters,
      turn.config.model_id,
    );
  }

  #answerEmptyTurn(): void {
    this.#sendTotals(0, 0, 0, 0, this.#config.model_id ?? DEFAULT_MODEL);
  }

  #sendTotals(
    audioSeconds: number,
    chunks: number,
    frames: number,
    characters: number,
    modelId: string,
  ): void {
    const totals = {
      total_audio_seconds: audioSeconds,
      total_text_chunks: chunks,
      total_audio_chunks: frames,
    };
    this.sendFrame({ final: true, ...totals });
    this.sendFrame({
      session_closed: true,
      ...totals,
      usage: bill(this.options.account, { audioSeconds, characters, modelId }),
    });
  }
}
