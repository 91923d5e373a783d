import { withAnchors } from '../core/json-frame.ts';
import type { RulesOf } from '../core/rule.ts';
import { openCartesiaLinter } from './lint/socket.ts';
import { cancelMessage, requestMessage } from './wire/client-frames.ts';
import { SERVER_FRAMES } from './wire/server-frames.ts';

export const rules: RulesOf<'cartesia'> = {
  cartesia: {
    openLinter: openCartesiaLinter,
    messages: {
      client: {
        request: { schema: requestMessage, anchor: 'cartesia-message-26' },
        cancel: { schema: cancelMessage, anchor: 'cartesia-message-25' },
      },
      server: withAnchors(SERVER_FRAMES, {
        chunk: 'cartesia-message-28',
        timestamps: 'cartesia-message-29',
        phoneme_timestamps: 'cartesia-message-30',
        flush_done: 'cartesia-message-31',
        done: 'cartesia-message-32',
        error: 'cartesia-message-33',
      }),
    },
  },
};
