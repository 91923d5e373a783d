import type { RulesOf } from '../core/rule.ts';
import { openElevenLabsMultiLinter, openElevenLabsStreamLinter } from './lint/socket.ts';
import { multiMessage, streamMessage } from './wire/client-frames.ts';
import { ALIGNED_FRAME, ERROR_FRAME } from './wire/server-frames.ts';

const server = {
  speech: { schema: ALIGNED_FRAME, anchor: 'elevenlabs-message-33' },
  error: { schema: ERROR_FRAME, anchor: 'elevenlabs-message-30' },
};

export const rules: RulesOf<'elevenlabs'> = {
  'elevenlabs-stream': {
    openLinter: openElevenLabsStreamLinter,
    messages: {
      client: { message: { schema: streamMessage, anchor: 'elevenlabs-message-16' } },
      server,
    },
  },
  'elevenlabs-multi': {
    openLinter: openElevenLabsMultiLinter,
    messages: {
      client: { message: { schema: multiMessage, anchor: 'elevenlabs-message-20' } },
      server,
    },
  },
};
