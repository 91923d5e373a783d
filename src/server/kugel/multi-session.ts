import { remember } from '#lib/collections/maps.ts';
import type { Fields } from '#protocol/core/json-frame.ts';
import { settingsInEffect } from '#protocol/kugel/wire/client-frames.ts';
import { CLOSE_RESTARTING } from '#protocol/kugel/wire/errors.ts';
import {
  type ContextConfig,
  MAX_CONTEXT_ID_CHARS,
  type MultiClientMessage,
  opensContext,
  parseMultiMessage,
  type SessionConfig,
} from '#protocol/kugel/wire/multi-client.ts';
import type { MultiServerFrame } from '#protocol/kugel/wire/server-frames.ts';
import { audioFormatIssues, IDLE_CONTEXT_MS, MAX_CONTEXTS } from '#protocol/kugel/wire/settings.ts';
import {
  CLOSING,
  invalid,
  invalidFields,
  type KugelRefusal,
  MISSING_VOICE,
  tooMuchWaiting,
  type UnknownVoice,
  unknownVoiceOf,
} from './access.ts';
import { CLOSE_NORMAL, KugelSession } from './kugel-session.ts';
import { type Ending, MultiContext } from './multi-context.ts';
import { roundedSeconds } from './server-turn.ts';
import { unknownNames } from './store.ts';
import { StartBarrier } from './turn-queue.ts';

const TOO_MANY_CONTEXTS: KugelRefusal = {
  error: `Too many contexts: expected at most ${MAX_CONTEXTS} at a time; close one, or wait until an idle one is released`,
  error_code: 'TOO_MANY_CONTEXTS',
  code: 429,
};

const VOICELESS: KugelRefusal = {
  ...MISSING_VOICE,
  error: `${MISSING_VOICE.error}: a context takes its voice from voice_settings when it is created`,
};

/** One connection to `/ws/tts/multi`: up to twenty contexts that speak independently of one another. */
export class MultiSession extends KugelSession<MultiClientMessage, MultiServerFrame> {
  protected readonly parse = parseMultiMessage;
  readonly #startBarrier = new StartBarrier(this.options.connection.clock);
  /** Live contexts, including closing ones. */
  readonly #contexts = new Map<string, MultiContext>();
  /** By context, of the newest contexts that named one. */
  readonly #unknownVoices = new Map<string, UnknownVoice>();
  /** Settings of the whole connection. */
  #settings: SessionConfig = {};
  /** Defaults of new contexts; the last writer wins (kugel-context-8). */
  #defaults: ContextConfig = {};
  #idleMs = IDLE_CONTEXT_MS;
  #created = 0;
  #audioSeconds = 0;
  /** The server shut down while contexts were idle. */
  #isCutShort = false;

  protected get contexts(): readonly MultiContext[] {
    return [...this.#contexts.values()];
  }

  /**
   * Idle contexts get the close code alone, so that the client opens them again elsewhere (kugel-close-2). A session
   * whose contexts did not all end has no `session_closed`.
   */
  override goingAway(): void {
    for (const context of this.contexts) {
      if (context.isBusy || !context.isOpen) continue;
      context.stop();
      this.#contexts.delete(context.id);
      this.#isCutShort = true;
    }
    if (this.#contexts.size === 0) this.close(CLOSE_RESTARTING, 'restarting');
    else this.#closeAfterContexts(CLOSE_RESTARTING, 'restarting');
  }

  protected check(message: MultiClientMessage): KugelRefusal | null {
    // A closing session still accepts a barge-in.
    if (this.closeWhenDone && !message.cancel && message.closeContext !== 'now') return CLOSING;
    const { session, defaults, voice } = message;
    const { store } = this.options.services;
    return (
      unknownNames(store, { ...session, voice_id: defaults.voice_id }, this.#settings) ??
      unknownNames(store, { voice_id: voice?.voice_id }) ??
      this.#checkFormat(session) ??
      this.#checkContext(message)
    );
  }

  /** `output_format` is set once in a session (kugel-audio-7), and a rate must agree with it. */
  #checkFormat(session: SessionConfig): KugelRefusal | null {
    const { output_format: first } = this.#settings;
    const { output_format: asked } = session;
    if (first !== undefined && asked !== undefined && asked !== first) {
      return invalid(`output_format: expected ${first}, which was set once for this session, got ${asked}`);
    }
    const issues = audioFormatIssues({ ...this.#settings, ...session });
    return issues.length > 0 ? invalidFields(issues) : null;
  }

  #checkContext(message: MultiClientMessage): KugelRefusal | null {
    const { contextId, text = '', flush } = message;
    if (contextId === undefined) return null;
    const context = this.#contexts.get(contextId);
    const speaks = text.trim() !== '';
    const unknown = this.#unknownVoice(message);
    if (!context) {
      // The context was refused, and so is its turn.
      if (unknown?.refusal === null) return null;
      if (!opensContext(message)) {
        return flush
          ? invalid('flush: expected the id of a live context, or voice_settings to open it')
          : null;
      }
      if (this.#contexts.size >= MAX_CONTEXTS) return TOO_MANY_CONTEXTS;
    } else if (!context.isOpen && speaks) {
      return invalid('text: expected a context that takes text, but it is closing');
    }
    const hasVoice = context ? context.hasVoice : message.voice?.voice_id !== undefined;
    if (speaks && !hasVoice) return unknown ? unknown.refusal : VOICELESS;
    if (!speaks && !flush) return null;
    let turns = context?.queue.open ? 0 : 1;
    let characters = text.length;
    for (const other of this.#contexts.values()) {
      turns += other.queue.length;
      characters += other.queue.unspokenCharacters;
    }
    return tooMuchWaiting(turns, characters);
  }

  /** Applies settings first, because they hold for the context and the text of the same message. */
  protected accept(message: MultiClientMessage): void {
    this.#configure(message);
    if (message.cancel) this.#interrupt(message.contextId);
    if (message.contextId !== undefined) this.#address(message.contextId, message);
    if (message.closeSocket) this.#closeAfterContexts(CLOSE_NORMAL, '');
  }

  #configure({ session, defaults, inactivityTimeoutMs, update }: MultiClientMessage): void {
    this.#settings = { ...this.#settings, ...session };
    this.#defaults = { ...this.#defaults, ...defaults };
    this.#idleMs = inactivityTimeoutMs ?? this.#idleMs;
    for (const context of this.#contexts.values()) context.configure(session, this.#idleMs);
    if (!update) return;
    // Applies to new contexts only.
    const { language, normalize, ...delivery } = update;
    this.#defaults = { ...this.#defaults, ...delivery };
    this.#settings = {
      ...this.#settings,
      ...(language === undefined ? {} : { language }),
      ...(normalize === undefined ? {} : { normalize }),
    };
    const settings = settingsInEffect({ ...this.#settings, ...this.#defaults });
    this.sendFrame({ settings_updated: true, settings });
  }

  /** Interrupts one context, or all that accept text; all of them while the connection closes (kugel-cancel-7). */
  #interrupt(id: string | undefined): void {
    const meant = this.contexts.filter((context) =>
      id === undefined ? context.isOpen || this.closeWhenDone : context.id === id,
    );
    for (const context of meant) context.abandon();
    this.sendFrame({ interrupted: true, ...(id === undefined ? {} : { context_id: id }) });
    for (const context of meant) context.endIfDone();
  }

  #address(id: string, message: MultiClientMessage): void {
    let context = this.#contexts.get(id);
    const { text, flush, closeContext } = message;
    const unknown = this.#unknownVoice(message);
    const isOpened = !this.closeWhenDone && opensContext(message) && unknown?.refusal !== null;
    if (!context && isOpened) context = this.#create(id, message);
    if (flush) unknown?.turnEnded();
    if (closeContext) this.#unknownVoices.delete(id);
    if (!context) {
      // A client that closes an unknown context still waits for the answer (kugel-context-18).
      if (closeContext) this.sendFrame({ context_closed: true, context_id: id });
      return;
    }
    context.touch();
    if (context.isOpen) {
      if (text) context.say(text);
      if (flush) context.flush();
    }
    if (closeContext === 'now') context.closeNow();
    else if (closeContext) context.close();
  }

  /** The one that an earlier message gave the context, where this message names no voice. */
  #unknownVoice({ contextId = '', voice }: MultiClientMessage): UnknownVoice | undefined {
    return voice?.voice_id === undefined ? this.#unknownVoices.get(contextId) : undefined;
  }

  #create(id: string, { voice }: MultiClientMessage): MultiContext {
    this.#created += 1;
    this.#unknownVoices.delete(id);
    // A voice at the top level is not the voice of a context.
    const { voice_id: _, ...defaults } = this.#defaults;
    const context = new MultiContext({
      id,
      session: this.options,
      settings: this.#settings,
      own: { ...defaults, ...voice },
      idleMs: this.#idleMs,
      startBarrier: this.#startBarrier,
      number: this.#created,
      send: (frame) => this.sendFrame(frame),
      ended: (ended, why) => this.#end(ended, why),
      failed: (failed, error) => this.failed(error, { context_id: failed.id }),
    });
    this.#contexts.set(id, context);
    return context;
  }

  #end(context: MultiContext, why: Ending): void {
    this.#contexts.delete(context.id);
    this.#unknownVoices.delete(context.id);
    this.#audioSeconds += context.audioSeconds;
    if (this.#contexts.size > 0) return;
    if (this.closeWhenDone) this.#closeIfDone();
    // When the last context timed out, the session ends and the socket stays open (kugel-context-21).
    else if (why === 'inactive') this.#sendSessionClosed();
  }

  #closeAfterContexts(code: number, reason: string): void {
    this.closeWhenDone ??= { code, reason };
    for (const context of this.contexts) context.close();
    this.#closeIfDone();
  }

  #closeIfDone(): void {
    if (this.isOver || !this.closeWhenDone || this.#contexts.size > 0) return;
    if (!this.#isCutShort) this.#sendSessionClosed();
    this.close(this.closeWhenDone.code, this.closeWhenDone.reason);
  }

  #sendSessionClosed(): void {
    this.sendFrame({ session_closed: true, total_audio_seconds: roundedSeconds(this.#audioSeconds) });
  }

  /** Names the context where one was meant, because an error without one fails every context (kugel-context-26). */
  protected refuse(refusal: KugelRefusal, fields: Fields = {}): void {
    const { context_id: id } = fields;
    const isNamed = typeof id === 'string' && id !== '' && id.length <= MAX_CONTEXT_ID_CHARS;
    const unknown = unknownVoiceOf(refusal, fields);
    if (isNamed && unknown) remember(this.#unknownVoices, id, unknown, MAX_CONTEXTS);
    this.sendFrame({
      ...refusal,
      ...(isNamed ? { context_id: id } : {}),
      request_id: this.options.requestId,
    });
  }
}
