import { afterEach, describe, expect, it, vi } from 'vitest';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS, PAGE_ENDPOINTS } from '#protocol/registry.ts';
import { driveWarmUp } from '../testing/warm-up.ts';
import type { MeasureId } from './definitions.ts';
import { measuresOf } from './turn-measures.ts';
import { unreportedBy } from './unreported.ts';

/** Those that a turn can have which is heard to its end. */
const OF_A_WHOLE_TURN: readonly MeasureId[] = ['serverMs', 'rtf', 'wordLagMs', 'wordLeadMs'];

afterEach(() => void vi.unstubAllGlobals());

describe.each(PAGE_ENDPOINTS)('what the server of $id never reports', (endpoint) => {
  const { measures, titles } = unreportedBy(endpoint.id);

  it('is what its whole turn lacks', async () => {
    const { seen, run } = driveWarmUp(endpoint);
    await run();
    const turn = seen.turn && measuresOf(seen.turn);
    const lacking = OF_A_WHOLE_TURN.filter((id) => turn?.[id] == null);
    expect(OF_A_WHOLE_TURN.filter((id) => measures.has(id))).toEqual(lacking);
  });

  it('agrees with its failures, traits and billing', () => {
    const protocol = protocolOf(endpoint);
    const { cancel } = protocol.open({ settings: endpoint.initialSettings, key: '' }).traits;
    expect(titles.includes('word times')).toBe(protocol.failures.words === null);
    expect(titles.includes('charge')).toBe(endpoint.billing === 'none');
    expect(measures.has('bargeInInterruptedMs')).toBe(cancel !== 'confirmed');
  });
});

it('is known for endpoints that only other programs speak with', () => {
  const others = ENDPOINTS.filter(({ id }) => !PAGE_ENDPOINTS.some((each) => each.id === id));
  expect(others.map(({ id }) => unreportedBy(id).titles)).toEqual([['start of a chunk', 'generation time']]);
});
