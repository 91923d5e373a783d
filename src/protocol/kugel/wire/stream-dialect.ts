import type { Dialect, DialectTraits, Intent } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { encodeUpdate } from './client-frames.ts';
import { COMMON_READERS, decodeFrame, type FrameReaders, turnTotals, usageIn } from './decode.ts';

const READERS: FrameReaders = {
  ...COMMON_READERS,
  session_closed: (frame, context) => ({
    type: 'turnEnded',
    context,
    totals: turnTotals(frame),
    usage: usageIn(frame),
  }),
  final: (frame, context) => ({ type: 'audioEnded', context, totals: turnTotals(frame) }),
  // Its one documented use is the idle end of a turn (seed).
  warning: (frame, context) => ({ type: 'warning', context, message: frame.warning, endsTurn: true }),
};

/** Of every KugelAudio endpoint. No idle time, age or budget of a connection is documented. */
export const kugelTraits: DialectTraits = {
  turnEnd: 'frame',
  cancel: 'confirmed',
  confirmsOpening: true,
  idleMs: null,
  maxAgeMs: null,
  budgets: [],
};

/** The client's side of `/ws/tts/stream`. It has no state, because each frame is complete in itself. */
export const streamDialect: Dialect = {
  traits: kugelTraits,
  encode,
  decode: (frame) => decodeFrame(READERS, frame),
  confirm: confirmCancel,
};

/** Of a connection with a single context. */
export function confirmCancel(what: 'cancel' | 'closeContext'): Frame[] {
  return what === 'cancel' ? ['{"interrupted":true}'] : [];
}

function encode(intent: Intent): Frame[] {
  switch (intent.kind) {
    case 'open':
      return [JSON.stringify(intent.settings)];
    case 'say':
      return [JSON.stringify({ text: intent.text })];
    case 'flush':
      return ['{"flush":true}'];
    case 'cancel':
      return ['{"cancel":true}'];
    case 'endTurn':
      return ['{"close":true}'];
    case 'update':
      return [encodeUpdate(intent.settings)];
    case 'disconnect':
      return ['{"close_socket":true}'];
    case 'keepAlive':
    case 'openContext':
    case 'closeContext':
      return [];
  }
}
