import type { Frame, Intent, Wire } from '../../core/endpoint.ts';
import { encodeUpdate } from './client-frames.ts';
import {
  COMMON_READERS,
  decodeFrame,
  type FrameReaders,
  reader,
  totalsOf,
  usageOf,
  warningReader,
} from './frame-readers.ts';
import * as frames from './server-frames.ts';

const READERS: FrameReaders = [
  ...COMMON_READERS,
  [
    'session_closed',
    reader(frames.sessionClosedFrame, (frame, context, rest) => ({
      type: 'turnEnded',
      context,
      totals: totalsOf(frame),
      usage: frame.usage ? usageOf(frame.usage) : null,
      ...rest,
    })),
  ],
  [
    'final',
    reader(frames.finalFrame, (frame, context, rest) => ({
      type: 'audioEnded',
      context,
      totals: totalsOf(frame),
      ...rest,
    })),
  ],
  // Its one documented use is the idle end of a turn (seed).
  warningReader(true),
];

/** The client's side of `/ws/tts/stream`. It needs no memory: every frame says by itself what it is. */
export const streamWire: Wire = { encode, decode: (frame) => decodeFrame(READERS, frame) };

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
