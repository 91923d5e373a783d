import type { Dialect, Intent, Settings } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { malformed } from '../../core/json-frame.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '../../core/speech-event.ts';
import { encodeUpdate } from './client-frames.ts';
import { COMMON_READERS, decodeFrame, type FrameReaders, turnTotals, usageIn } from './decode.ts';
import { deliverySettings } from './settings.ts';
import { kugelTraits } from './stream-dialect.ts';

/**
 * `session_started` is missing on purpose: its fields are undocumented and nothing depends on it, so it stays a whole
 * `unknown` event (kugel-message-76).
 */
const READERS: FrameReaders = {
  ...COMMON_READERS,
  context_created: (_, context) => ({ type: 'contextOpened', context }),
  context_closed: (frame, context) => ({
    type: 'contextClosed',
    context,
    usage: usageIn(frame),
    timedOut: false,
  }),
  context_timeout: (_, context) => ({ type: 'contextClosed', context, usage: null, timedOut: true }),
  session_closed: (frame) => ({ type: 'sessionEnded', audioSeconds: frame.total_audio_seconds ?? null }),
  // The end of a turn, without a bill: that comes with the end of the context.
  final: (frame, context) => ({ type: 'turnEnded', context, totals: turnTotals(frame), usage: null }),
  // This endpoint documents no warning, so none ends a turn.
  warning: (frame, context) => ({ type: 'warning', context, message: frame.warning, endsTurn: false }),
};

/** The client's side of one connection to `/ws/tts/multi`. It remembers the settings that the server has. */
export class MultiDialect implements Dialect {
  readonly traits = kugelTraits;
  #session: Settings = {};
  /** The last sent session-level settings, as JSON. */
  #sentSession = '{}';
  /** Delivery fields sent so far. The server applies the last value to the whole session (kugel-context-8). */
  readonly #sentDelivery = new Set<string>();

  decode(frame: Frame): SpeechEvent[] {
    return decodeFrame(READERS, frame).map((event) =>
      'context' in event && event.context === ONLY_CONTEXT && event.type !== 'warning'
        ? malformed('context_id: expected a string, got nothing')
        : event,
    );
  }

  confirm(what: 'cancel' | 'closeContext', context: string | null): Frame[] {
    const marker = what === 'cancel' ? 'interrupted' : 'context_closed';
    return [frameOf({ [marker]: true, ...(context === null ? {} : { context_id: context }) })];
  }

  encode(intent: Intent): Frame[] {
    switch (intent.kind) {
      case 'open':
        // Sent with the next frame of a context, because any message may carry settings.
        this.#session = intent.settings;
        return [];
      case 'openContext':
        return [this.#creation(intent.context, ' ', intent.settings)];
      case 'say':
        return [
          intent.opens
            ? this.#creation(intent.context, intent.text, intent.opens)
            : frameOf({ text: intent.text, context_id: intent.context }, this.#changedSession()),
        ];
      // Only a flush ends a turn.
      case 'flush':
      case 'endTurn':
        return [frameOf({ flush: true, context_id: intent.context })];
      case 'cancel':
        return [
          frameOf({ cancel: true, ...(intent.context === null ? {} : { context_id: intent.context }) }),
        ];
      case 'closeContext':
        return [
          frameOf({
            close_context: true,
            context_id: intent.context,
            ...(intent.immediate ? { immediate: true } : {}),
          }),
        ];
      case 'keepAlive':
        return [frameOf({ text: '', context_id: intent.context })];
      case 'update':
        // These become the server's defaults, which then apply to contexts without values of their own.
        for (const field of Object.keys(intent.settings)) this.#sentDelivery.delete(field);
        return [encodeUpdate(intent.settings)];
      case 'disconnect':
        return [frameOf({ close_socket: true })];
    }
  }

  /** Session-level settings go with every creation, as official clients do (kugel-message-4). */
  #creation(context: string, text: string, settings: Settings): string {
    const voice: Record<string, unknown> = { ...settings };
    const delivery: Record<string, unknown> = {};
    for (const { field, fallback } of deliverySettings) {
      const own = voice[field];
      delete voice[field];
      if (own !== undefined) this.#sentDelivery.add(field);
      // The value of another context would apply here too, so the default is sent explicitly.
      if (this.#sentDelivery.has(field)) delivery[field] = own ?? fallback;
    }
    this.#sentSession = JSON.stringify(this.#session);
    return frameOf(
      { text, context_id: context },
      { ...this.#session, ...delivery },
      Object.keys(voice).length > 0 ? { voice_settings: voice } : {},
    );
  }

  #changedSession(): Settings {
    const session = JSON.stringify(this.#session);
    if (session === this.#sentSession) return {};
    this.#sentSession = session;
    return this.#session;
  }
}

/** One frame. Its own keys come first and override settings of the same name. */
const frameOf = (own: Settings, ...settings: Settings[]): string =>
  JSON.stringify({ ...own, ...Object.assign({}, ...settings), ...own });
