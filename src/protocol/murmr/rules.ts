import { withAnchors } from '../core/json-frame.ts';
import type { RulesOf } from '../core/rule.ts';
import { openRealtimeLinter } from './lint/realtime.ts';
import { CLIENT_FRAMES } from './wire/client-frames.ts';
import { REALTIME_FRAMES } from './wire/server-frames.ts';

export const rules: RulesOf<'murmr'> = {
  murmr: {
    openLinter: openRealtimeLinter,
    messages: {
      client: withAnchors(CLIENT_FRAMES, {
        config: 'murmr-message-4',
        text: 'murmr-message-9',
        flush: 'murmr-message-10',
        binary_mode: 'murmr-message-11',
        ping: 'murmr-message-12',
      }),
      server: {
        ...withAnchors(REALTIME_FRAMES, {
          config_ack: 'murmr-message-20',
          binary_mode_ack: 'murmr-message-21',
          audio: 'murmr-message-22',
          done: 'murmr-message-23',
          error: 'murmr-message-24',
          pong: 'murmr-message-25',
        }),
        audio_bytes: { schema: null, anchor: 'murmr-message-26' },
      },
    },
  },
};
