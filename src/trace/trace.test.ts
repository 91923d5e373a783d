import { expect, it } from 'vitest';
import { cartesia } from '#protocol/cartesia/endpoints.ts';
import { doneFrame, timestampsFrame } from '#protocol/cartesia/wire/server-frames.ts';
import type { AudioEncoding } from '#protocol/core/audio-format.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { deepgramFlux } from '#protocol/deepgram/endpoints.ts';
import { elevenLabsStream } from '#protocol/elevenlabs/endpoints.ts';
import { kugelEndpoints, kugelStream } from '#protocol/kugel/endpoints.ts';
import { murmr } from '#protocol/murmr/endpoints.ts';
import { noteOf } from './recorded-event.ts';
import { Trace } from './trace.ts';

const { 'kugel-multi': kugelMulti, 'kugel-tts': kugelTts } = kugelEndpoints;

type Step = ['>' | '<', object];

/** A frame of the client, a frame of the server. */
const out = (frame: object): Step => ['>', frame];
const into = (frame: object): Step => ['<', frame];

const AUDIO = { audio: 'AAAAAAAAAAA=', enc: 'pcm_s16le', idx: 0, sr: 8000, samples: 4, chunk_id: 0 };
const started = (more = {}) => into({ generation_started: true, chunk_id: 0, text: 'Hi.', ...more });
const audio = (more = {}) => into({ ...AUDIO, ...more });
const interrupted = into({ interrupted: true });
const refused = (name: string) => into({ error: 'No.', error_code: name });
const final = (more = {}) => into({ final: true, ...more });
const closed = into({ session_closed: true });
const say = (text: string, more = {}) => out({ text, ...more });
const flush = { flush: true };
const a = { context_id: 'a' };
const b = { context_id: 'b' };
const spoken = into({ type: 'audio', chunk: 'AAAAAAAAAAA=', format: 'pcm_s16le', sample_rate: 24_000 });
const done = into({ type: 'done', total_chunks: 2, duration_ms: 1, first_chunk_latency_ms: 1 });
const text = (words: string) => out({ type: 'text', text: words });

const spoke = (words: string) => ({ type: 'Speak', text: words });
const metadataOf = (audio_duration_ms: number) => ({
  type: 'SpeechMetadata',
  speech_id: 'a',
  audio_duration_ms,
  input_character_count: 4,
  billable_character_count: 4,
  controls_applied: { pronunciations_applied: 0, pronunciation_warnings: 0 },
});

const interruptedAt = (audio_played_ms: number) => {
  const { type: _, ...metadata } = metadataOf(0);
  return { type: 'SpeechInterrupted', audio_played_ms, metadata };
};

const TIMES = { chars: ['a', ' '], charStartTimesMs: [0, 1], charDurationsMs: [1, 1] };
const ONE_WORD = { words: ['One'], start: [0], end: [0.1] };
const request = (transcript: string) => ({
  ...{ model_id: 'sonic-3.6', voice: { id: 'v' }, context_id: 'a', transcript, continue: true },
  ...{
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 8000 },
    max_buffer_delay_ms: 0,
  },
});

const LONG = 'Hello, world! This is a test of the WebSocket protocol.';

it.each<[string, Endpoint | null, Step[], string]>([
  [
    'counts turns by their ends',
    kugelStream,
    [started(), audio(), final(), closed, started(), audio(), closed],
    'chunkStarted 1, audio 1, audioEnded 1, turnEnded 1, chunkStarted 2, audio 2, turnEnded 2',
  ],
  [
    'leaves late audio with the turn that was cancelled',
    kugelStream,
    [started(), interrupted, audio(), started(), audio()],
    'chunkStarted 1, interrupted 1, audio 1, chunkStarted 2, audio 2',
  ],
  [
    'gives contexts that speak at once turns of their own',
    kugelMulti,
    [started(a), started(b), audio(a), final(a), audio(b), started(a)],
    'chunkStarted 1, chunkStarted 2, audio 1, turnEnded 1, audio 2, chunkStarted 3',
  ],
  [
    'counts no turn for text that is behind the end, where the server reads none',
    deepgramFlux,
    [
      ...[out(spoke('Hi. ')), out({ type: 'Close' }), out(spoke('Late. '))],
      ...[into({ type: 'SpeechStarted', speech_id: 'a' })],
    ],
    'say 1, disconnect 1, say null, chunkStarted 1',
  ],
  [
    'gives the end of a blank turn to none, so that the next one keeps its own',
    deepgramFlux,
    [
      ...[out(spoke('')), out({ type: 'Flush' }), out(spoke('Hi. ')), out({ type: 'Flush' })],
      ...[into({ type: 'SpeechStarted', speech_id: 'a' }), into(metadataOf(0))],
      ...[into({ type: 'SpeechStarted', speech_id: 'b' }), into(metadataOf(40))],
    ],
    'say null, flush null, say 1, flush 1, unread null, audioEnded null, chunkStarted 1, chunkCompleted 1',
  ],
  [
    'leaves a turn that waits its number where an Interrupt ends the one before, also with text behind it',
    deepgramFlux,
    [
      ...[out(spoke('Hi. ')), out({ type: 'Flush' }), out(spoke('You. ')), out({ type: 'Interrupt' })],
      ...[into({ type: 'SpeechStarted', speech_id: 'a' }), out(spoke('More. ')), into(interruptedAt(40))],
      ...[into({ type: 'SpeechStarted', speech_id: 'b' }), out({ type: 'Flush' }), into(metadataOf(40))],
    ],
    'say 1, flush 1, say 2, cancel null, chunkStarted 1, say 3, interrupted 1, chunkStarted 2, flush 2, chunkCompleted 2',
  ],
  [
    'names an end whose chunk takes all text by the end',
    cartesia,
    [
      ...[out(request('One.')), out(request('Two.')), into(timestampsFrame('a', ONE_WORD, 1))],
      ...[out({ context_id: 'a', cancel: true }), into(doneFrame('a'))],
    ],
    'say 1, say 1, chunkStarted 1, cancel 1, chunkCompleted 1',
  ],
  ['returns nothing of a frame of an unknown endpoint', null, [audio()], 'unknown null'],
  [
    'names a frame of several events by its audio',
    murmr,
    [spoken, spoken, done, spoken],
    'audio 1, audio 1, chunkCompleted 1, audio 2',
  ],
  [
    'names the intent of a sent frame, and the turn that its speech answers',
    kugelStream,
    [
      out({ voice_id: 1071 }),
      say('Hi '),
      started(),
      say('there.'),
      out(flush),
      say('Next.', flush),
      audio(),
      closed,
      audio(),
      out({ close: true }),
    ],
    'open null, say 1, chunkStarted 1, say 1, flush 1, say 2, audio 1, turnEnded 1, audio 2, endTurn null',
  ],
  [
    'gives a cancel and audio behind it the turn that was cancelled, and new text the next',
    kugelStream,
    [say('Wrong.', flush), out({ cancel: true }), audio(), say('Right.', flush), interrupted, started()],
    'say 1, cancel 1, audio 1, say 2, interrupted 1, chunkStarted 2',
  ],
  [
    'counts a text that the server cuts into several generations as one turn',
    murmr,
    [
      into({ type: 'config_ack', session_id: 'a' }),
      text(LONG),
      out({ type: 'flush' }),
      done,
      done,
      text('Next.'),
      out({ type: 'flush' }),
      done,
    ],
    'unread null, say 1, flush 1, chunkStarted 1, chunkStarted 1, say 2, flush 2, chunkStarted 2',
  ],
  [
    'keeps sent frames of contexts apart',
    kugelMulti,
    [say('One.', a), say('Two.', b), audio(b), say(' And one.', a), audio(a)],
    'say 1, say 2, audio 2, say 1, audio 1',
  ],
  [
    'counts each request as a turn, which ends with its final, an error or a cancel',
    kugelTts,
    [
      ...[say('One.'), audio(), final()],
      ...[say('Refused.'), refused('NOT_FOUND')],
      ...[say('Cancelled.'), audio(), out({ cancel: true }), audio(), interrupted],
      ...[say('Two.'), audio(), final(), out({ update_settings: { speed: 1.1 } })],
    ],
    'say 1, audio 1, chunkCompleted 1, say 2, error 2, say 3, audio 3, cancel 3, audio 3, interrupted 3, ' +
      'say 4, audio 4, chunkCompleted 4, update null',
  ],
  [
    'leaves the turns of other requests alone where the server refuses a frame by its form or a request by its names',
    kugelTts,
    [
      ...[
        say('One.'),
        audio(),
        say('Two.', { speed: 9 }),
        refused('VALIDATION_ERROR'),
        final(),
        say('Three.'),
        audio(),
        final(),
      ],
      ...[say('Four.'), out({ update_settings: { voice_id: 1 } }), say('Five.', { speed: 9 }), out(['x'])],
      ...[
        refused('VALIDATION_ERROR'),
        refused('VALIDATION_ERROR'),
        refused('VALIDATION_ERROR'),
        say('Six.', { dictionary_ids: [9], project_id: 1 }),
      ],
      ...[refused('VALIDATION_ERROR'), audio(), final(), say('Seven.'), audio()],
    ],
    'say 1, audio 1, sent null, error null, chunkCompleted 1, say 2, audio 2, chunkCompleted 2, ' +
      'say 3, sent null, sent null, sent null, error null, error null, error null, say 4, ' +
      'error 4, audio 3, chunkCompleted 3, say 5, audio 5',
  ],
  [
    'gives a frame that breaks the protocol in a part to the turn of its other parts',
    elevenLabsStream,
    [out({ text: 'the ' }), into({ isFinal: null, alignment: TIMES, normalizedAlignment: { chars: 'x' } })],
    'say 1, malformed 1',
  ],
  [
    'gives an error of no turn to none, where it comes with the end of one',
    murmr,
    [
      text('a'.repeat(200)),
      spoken,
      done,
      out({ type: 'flush' }),
      into({ type: 'error', code: 4003, message: 'Empty.' }),
    ],
    'say 1, audio 1, chunkCompleted 1, flush 1, error null',
  ],
  ['gives no turn to a sent frame of an unknown endpoint', null, [out(['x'])], 'sent null'],
  ['gives no turn to a sent frame without an intent', kugelStream, [out(['x'])], 'sent null'],
])('%s', (_, endpoint, steps, notes) => {
  const trace = new Trace(endpoint, '');
  const noted = steps.map(([arrow, frame]) => {
    const direction = arrow === '>' ? 'out' : 'in';
    const { note } = trace.append({ direction, kind: '', connection: 1, payload: JSON.stringify(frame) });
    return `${note.kind} ${note.turn}`;
  });
  expect(noted.join(', ')).toBe(notes);
});

it("returns the length of a frame's audio", () => {
  const frame = { direction: 'in', kind: '', connection: 1, payload: JSON.stringify(AUDIO) } as const;
  expect(new Trace(kugelStream, '').append(frame).note).toEqual({
    kind: 'audio',
    turn: 1,
    context: null,
    chunk: 0,
    audioMs: 0.5,
  });
});

it('knows no length of compressed audio', () => {
  const event = {
    type: 'audio',
    context: '',
    chunk: 0,
    index: 0,
    samples: null,
    sampleRate: 24_000,
  } as const;
  const lengthOf = (encoding: AudioEncoding) =>
    noteOf({ ...event, encoding, payload: { bytes: new Uint8Array(480) } }, null).audioMs;
  expect([lengthOf('pcm_s16le'), lengthOf('mulaw'), lengthOf('mp3')]).toEqual([10, 20, null]);
});
