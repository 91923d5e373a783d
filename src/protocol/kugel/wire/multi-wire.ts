import type { Frame, Intent, Settings, Wire } from '../../core/endpoint.ts';
import { ONLY_CONTEXT, type SpeechEvent } from '../../core/speech-event.ts';
import { encodeUpdate } from './client-frames.ts';
import {
  COMMON_READERS,
  decodeFrame,
  type FrameReaders,
  malformed,
  reader,
  totalsOf,
  usageOf,
  warningReader,
} from './frame-readers.ts';
import { deliverySettings } from './multi-client.ts';
import * as frames from './server-frames.ts';

/**
 * `session_started` is not among them: its fields are documented nowhere and nothing depends on it, so it stays an
 * `unknown` event, which is kept whole (`facts 3.2`).
 */
const READERS: FrameReaders = [
  ...COMMON_READERS,
  [
    'context_created',
    reader(frames.contextCreatedFrame, (_, context, rest) => ({ type: 'contextOpened', context, ...rest })),
  ],
  [
    'context_closed',
    reader(frames.contextClosedFrame, (frame, context, rest) => ({
      type: 'contextClosed',
      context,
      usage: frame.usage ? usageOf(frame.usage) : null,
      timedOut: false,
      ...rest,
    })),
  ],
  [
    'context_timeout',
    reader(frames.contextTimeoutFrame, (_, context, rest) => ({
      type: 'contextClosed',
      context,
      usage: null,
      timedOut: true,
      ...rest,
    })),
  ],
  [
    'session_closed',
    reader(frames.sessionClosedFrame, (frame, _, rest) => ({
      type: 'sessionEnded',
      audioSeconds: frame.total_audio_seconds ?? null,
      ...rest,
    })),
  ],
  [
    'final',
    // Here it is the end of a turn: the bill comes with the end of the context (`facts 3.3.10`).
    reader(frames.finalFrame, (frame, context, rest) => ({
      type: 'turnEnded',
      context,
      totals: totalsOf(frame),
      usage: null,
      ...rest,
    })),
  ],
  // No warning is documented here, so none ends anything.
  warningReader(false),
];

/** The client's side of one connection to `/ws/tts/multi`. It remembers which settings the server has. */
export function openMultiWire(): Wire {
  const wire = new MultiWire();
  return { encode: (intent) => wire.encode(intent), decode };
}

function decode(frame: Frame): SpeechEvent[] {
  return decodeFrame(READERS, frame).map((event) =>
    'context' in event && event.context === ONLY_CONTEXT && event.type !== 'warning'
      ? malformed('context_id: expected a string, got nothing')
      : event,
  );
}

class MultiWire {
  #session: Settings = {};
  /** The session-level settings as they were last sent, as JSON. */
  #sentSession = '{}';
  /** Session-wide on the server although each context has its own, and the last one sent counts (`facts 3.3.19`). */
  readonly #sentDelivery = new Set<string>();

  encode(intent: Intent): Frame[] {
    switch (intent.kind) {
      case 'open':
        // Goes out with the next frame of a context: they may stand on any message.
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
      // A turn has no end of its own but its flush.
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
        // From now on these are the server's defaults, and a context without its own shall have them.
        for (const field of Object.keys(intent.settings)) this.#sentDelivery.delete(field);
        return [encodeUpdate(intent.settings)];
      case 'disconnect':
        return [frameOf({ close_socket: true })];
    }
  }

  /** Session-level settings go with every creation, as official clients do (`facts 3.4`). */
  #creation(context: string, text: string, settings: Settings): string {
    const voice: Record<string, unknown> = { ...settings };
    const delivery: Record<string, unknown> = {};
    for (const { field, fallback } of deliverySettings) {
      const own = voice[field];
      delete voice[field];
      if (own !== undefined) this.#sentDelivery.add(field);
      // What another context brought would hold for this one too, so the default is sent in so many words.
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

/** One frame. Its own keys come first and count, whatever settings are called. */
const frameOf = (own: Settings, ...settings: Settings[]): string =>
  JSON.stringify({ ...own, ...Object.assign({}, ...settings), ...own });
