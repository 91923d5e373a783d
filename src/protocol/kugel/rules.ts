import { type DescribedMessages, withAnchors } from '../core/json-frame.ts';
import type { RulesOf } from '../core/rule.ts';
import { openMultiLinter } from './lint/multi.ts';
import { openStreamLinter, openTtsLinter } from './lint/stream.ts';
import { multiClientFrame } from './wire/multi-client.ts';
import {
  KUGEL_FRAMES,
  type Marker,
  MULTI_MARKERS,
  STREAM_MARKERS,
  TTS_MARKERS,
} from './wire/server-frames.ts';
import { streamClientFrame, ttsClientFrame } from './wire/stream-client.ts';

function framesOf(markers: ReadonlySet<Marker>): DescribedMessages {
  const frames = withAnchors(KUGEL_FRAMES, {
    error: 'kugel-message-71',
    audio: 'kugel-message-63',
    word_timestamps: 'kugel-message-64',
    generation_started: 'kugel-message-62',
    chunk_complete: 'kugel-message-65',
    interrupted: 'kugel-message-68',
    settings_updated: 'kugel-message-70',
    context_created: 'kugel-message-72',
    context_closed: 'kugel-message-73',
    context_timeout: 'kugel-message-76',
    session_closed: 'kugel-message-67',
    final: 'kugel-message-66',
    warning: 'kugel-message-69',
  });
  return Object.fromEntries([...markers].map((marker) => [marker, frames[marker]]));
}

export const rules: RulesOf<'kugel'> = {
  'kugel-stream': {
    openLinter: openStreamLinter,
    messages: {
      client: { message: { schema: streamClientFrame, anchor: 'kugel-message-4' } },
      server: framesOf(STREAM_MARKERS),
    },
  },
  'kugel-multi': {
    openLinter: openMultiLinter,
    messages: {
      client: { message: { schema: multiClientFrame, anchor: 'kugel-message-4' } },
      server: framesOf(MULTI_MARKERS),
    },
  },
  'kugel-tts': {
    openLinter: openTtsLinter,
    messages: {
      client: { message: { schema: ttsClientFrame, anchor: 'kugel-message-52' } },
      server: framesOf(TTS_MARKERS),
    },
  },
};
