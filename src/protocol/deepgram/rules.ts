import { withAnchors } from '../core/json-frame.ts';
import type { RulesOf } from '../core/rule.ts';
import { openDeepgramFluxLinter } from './lint/flux.ts';
import { openDeepgramLinter } from './lint/speak.ts';
import { FLUX_MESSAGES, SPEAK_MESSAGES } from './wire/client-frames.ts';
import { FLUX_FRAMES, SPEAK_FRAMES } from './wire/server-frames.ts';

export const rules: RulesOf<'deepgram'> = {
  deepgram: {
    openLinter: openDeepgramLinter,
    messages: {
      client: withAnchors(SPEAK_MESSAGES, {
        Speak: 'deepgram-message-1',
        Flush: 'deepgram-message-2',
        Clear: 'deepgram-message-3',
        Close: 'deepgram-message-4',
      }),
      server: {
        ...withAnchors(SPEAK_FRAMES, {
          Metadata: 'deepgram-message-17',
          Flushed: 'deepgram-message-19',
          Cleared: 'deepgram-message-20',
          Warning: 'deepgram-message-21',
          Error: 'deepgram-message-22',
          error: 'deepgram-message-22',
        }),
        audio: { schema: null, anchor: 'deepgram-message-18' },
      },
    },
  },
  'deepgram-flux': {
    openLinter: openDeepgramFluxLinter,
    messages: {
      client: withAnchors(FLUX_MESSAGES, {
        Speak: 'deepgram-message-9',
        Flush: 'deepgram-message-10',
        Interrupt: 'deepgram-message-11',
        Configure: 'deepgram-message-12',
        Close: 'deepgram-message-13',
      }),
      server: {
        ...withAnchors(FLUX_FRAMES, {
          Connected: 'deepgram-message-28',
          SpeechStarted: 'deepgram-message-29',
          Flushed: 'deepgram-message-31',
          SpeechMetadata: 'deepgram-message-32',
          SpeechInterrupted: 'deepgram-message-33',
          ConfigureSuccess: 'deepgram-message-34',
          ConfigureFailure: 'deepgram-message-35',
          SessionMetadata: 'deepgram-message-36',
          Warning: 'deepgram-message-37',
          Error: 'deepgram-message-38',
        }),
        audio: { schema: null, anchor: 'deepgram-message-30' },
      },
    },
  },
};
