import { describe, expect, it } from 'vitest';
import type { Intent } from '#protocol/core/endpoint.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { StepReader } from './client-steps.ts';
import { reopen } from './entry-decoder.ts';

const context = ONLY_CONTEXT;

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
