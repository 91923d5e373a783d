import { expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { CaptureReader } from '#recordings/capture/capture-reader.ts';
import { ReplayWorld } from '../testing/recorded.ts';

const ADDRESS = 'ws://host.test/v2/speak?model=flux-alexis-en&encoding=linear16&sample_rate=24000';
const SPEECH = new Uint8Array(4800).fill(40);
const figures = (speech_id: string) => ({
  speech_id,
  audio_duration_ms: 100,
  input_character_count: 3,
  billable_character_count: 3,
  controls_applied: { pronunciations_applied: 0, breaks_applied: 0, pronunciation_warnings: 0 },
});

it('an Interrupt of another client ends one turn, and the one behind it is heard', () => {
  const reader = new CaptureReader({ endpoint: 'deepgram-flux', address: ADDRESS, startedAtMs: 1000 });
  const speak = (text: string) => ['out', { type: 'Speak', text }] as const;
  const flush = ['out', { type: 'Flush' }] as const;
  const frames: readonly (readonly ['in' | 'out', object])[] = [
    ...[speak('One.'), flush, speak('Two.'), flush],
    ['in', { type: 'SpeechStarted', speech_id: 'a' }],
    ['in', SPEECH],
    ['out', { type: 'Interrupt' }],
    ['in', { type: 'SpeechInterrupted', audio_played_ms: 40, metadata: figures('a') }],
    ['in', { type: 'SpeechStarted', speech_id: 'b' }],
    ...[1, 2].map(() => ['in', SPEECH] as const),
    ['in', { type: 'SpeechMetadata', ...figures('b') }],
  ];
  let atMs = 1000;
  const entryOf = (direction: 'in' | 'out' | 'connection', frame: object, kind = '') => {
    atMs += 20;
    return reader.read(
      frame instanceof Uint8Array
        ? { atMs, direction, kind, base64: Buffer.from(frame).toString('base64') }
        : { atMs, direction, kind, text: JSON.stringify(frame) },
    );
  };
  const entries = [
    entryOf('connection', { address: ADDRESS }, 'opening'),
    entryOf('connection', {}, 'opened'),
    ...frames.map(([direction, frame]) => entryOf(direction, frame)),
    entryOf('connection', { code: 1000, reason: '', asked: false, left: false }, 'closed'),
  ];
  const again = new ReplayWorld(endpointOf('deepgram-flux'));
  again.attachPlayer(24_000);
  again.play(entries.map((entry, index) => ({ ...entry, index })));
  again.advance(6000);
  const heard = [...again.turns.values()].map(({ samples }) => samples);
  expect(heard.slice(1).reduce((sum, samples) => sum + samples, 0)).toBe(4800);
});
