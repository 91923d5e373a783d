import { describe, expect, it } from 'vitest';
import type { EndpointId, Intent } from '#protocol/core/endpoint.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import { StepReader } from './client-steps.ts';
import { reopen } from './connection.ts';

const context = ONLY_CONTEXT;

const CARTESIA = {
  ...{
    context_id: 'c',
    transcript: 'Hi.',
    model_id: 'sonic-3',
    voice: { mode: 'id', id: 'any' },
    language: 'en',
  },
  output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 24_000 },
};

/** What the last text of these frames is spoken under. */
function underLast(endpoint: EndpointId, frames: readonly object[]): readonly unknown[] | undefined {
  const reader = new StepReader(endpointOf(endpoint));
  const steps = frames.flatMap((frame) => reader.read(JSON.stringify(frame)));
  return steps.findLast(({ kind }) => kind === 'say')?.under;
}

describe('the settings of a text', () => {
  const fast = { text: 'Hi.', context_id: 'c', voice_settings: { speed: 1.2 } };
  const plain = { text: 'Hi.', context_id: 'c' };

  it.each<[string, EndpointId, object[], unknown]>([
    [
      'are those that opened its context',
      'cartesia',
      [{ ...CARTESIA, generation_config: { speed: 1.2 } }],
      expect.objectContaining({ speed: 1.2 }),
    ],
    ['are fixed while their context is open', 'kugel-multi', [fast, plain], { speed: 1.2 }],
    [
      'end with their context',
      'kugel-multi',
      [fast, { ...plain, text: '', close_context: true }, plain],
      undefined,
    ],
    [
      'end with their turn',
      'elevenlabs-multi',
      [fast, { context_id: 'c', close_context: true }, plain],
      undefined,
    ],
    [
      'end with a cancel that is not confirmed',
      'cartesia',
      [
        { ...CARTESIA, generation_config: { speed: 1.2 } },
        { context_id: 'c', cancel: true },
        { ...CARTESIA, continue: true },
      ],
      expect.not.objectContaining({ speed: 1.2 }),
    ],
  ])('%s', (_, endpoint, frames, expected) => {
    expect(underLast(endpoint, frames)?.[1]).toEqual(expected);
  });

  it('are those of the connection with its updates', () => {
    const frames = [{ voice_id: 1, speed: 1 }, { update_settings: { speed: 1.2 } }, { text: 'Hi.' }];
    expect(underLast('kugel-stream', frames)?.[0]).toMatchObject({ voice_id: 1, speed: 1.2 });
  });

  it('are forgotten of the oldest of more contexts than any vendor allows', () => {
    const opened = Array.from({ length: 65 }, (_, id) => ({ ...fast, context_id: `${id}` }));
    expect(underLast('kugel-multi', [...opened, { ...plain, context_id: '0' }])?.[1]).toBeUndefined();
    expect(underLast('kugel-multi', [...opened, { ...plain, context_id: '1' }])?.[1]).toBeDefined();
  });
});

describe.each(ENDPOINTS)('$id', (endpoint) => {
  function kindsOf(...intents: Intent[]): string[] {
    const dialect = reopen(endpoint, null);
    const reader = new StepReader(endpoint);
    // Some vendors repeat the voice with each text.
    const opens = { ...endpoint.initialSettings, voice: 'any' };
    const say: Intent = { kind: 'say', context, text: 'Good morning. ', opens };
    const frames = [say, ...intents].flatMap((intent) => dialect.encode(intent));
    return frames.flatMap((frame) => reader.read(frame)).map(({ kind }) => kind);
  }

  it('reads no cancel in a turn that ends', () => {
    expect(kindsOf({ kind: 'endTurn', context })).not.toContain('cancel');
  });

  it('reads a cancel where the vendor has one', () => {
    const { cancel } = reopen(endpoint, null).traits;
    expect(kindsOf({ kind: 'cancel', context }).includes('cancel')).toBe(cancel !== 'none');
  });
});
