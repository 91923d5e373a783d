import { describe, expect, it } from 'vitest';
import { turnView } from '#session/testing/views.ts';
import type { RunResult } from '../session-client/runner.ts';
import { runFigures } from './run-figures.ts';

const spoken = turnView({
  id: 1,
  state: 'ended',
  text: 'Yes.',
  firstTextMs: 1040,
  endedMs: 1300,
  sampleRate: 24_000,
  samples: 24_000,
  wait: [
    { name: 'server', ms: 60 },
    { name: 'firstSample', ms: 40.12345 },
  ],
  heardFromMs: 1100,
  heardToMs: 2100,
});

const result = (change: Partial<RunResult> = {}): RunResult => ({
  turn: spoken,
  turns: [spoken],
  problems: [],
  askedMs: 1000,
  handshakeMs: 30,
  connection: 'cold',
  charged: { audioSeconds: 1, characters: 4, costCents: 0.09, currency: 'eur', modelId: null },
  outcome: { how: 'spoken' },
  ...change,
});

const WHOLE = { kind: 'whole' } as const;

describe('runFigures', () => {
  it('has the measures of the turn, and those that only a run has', () => {
    expect(runFigures(result(), 'Yes.', WHOLE)).toMatchObject({
      failure: null,
      audioSeconds: 1,
      characters: 4,
      costCents: 0.09,
      currency: 'eur',
      measures: {
        waitMs: 100.123,
        serverMs: 60,
        pressToHeardMs: 140.123,
        handshakeMs: 30,
        serverDoneMs: 260,
        rtf: null,
      },
    });
  });

  it('knows one currency by one name, however the server writes it', () => {
    const charged = { audioSeconds: 1, characters: 4, costCents: 0.09, currency: 'EUR', modelId: null };
    expect(runFigures(result({ charged }), 'Yes.', WHOLE).currency).toBe('eur');
  });

  it('computes audio from samples without reported usage, and leaves the cost unknown', () => {
    expect(runFigures(result({ charged: null }), 'Yes.', WHOLE)).toMatchObject({
      audioSeconds: 1,
      characters: 4,
      costCents: null,
      currency: null,
    });
  });

  it('a failure has its reason, what it cost, and no measure', () => {
    expect(
      runFigures(result({ outcome: { how: 'failed', reason: 'The connection was lost.' } }), 'Yes.', WHOLE),
    ).toEqual({
      failure: 'The connection was lost.',
      measures: {},
      audioSeconds: 1,
      characters: 4,
      costCents: 0.09,
      currency: 'eur',
    });
    const early = result({
      turn: null,
      turns: [],
      charged: null,
      outcome: { how: 'failed', reason: 'Refused.' },
    });
    expect(runFigures(early, 'Yes.', WHOLE)).toMatchObject({
      failure: 'Refused.',
      audioSeconds: 0,
      characters: 0,
    });
  });

  it('leaves the time of a simulated model out: from the press on it is unknown', () => {
    const simulated = { kind: 'simulated', profile: 'steady', seed: 7 } as const;
    expect(runFigures(result(), 'Yes.', simulated).measures).toMatchObject({
      waitMs: 100.123,
      pressToHeardMs: null,
    });
  });

  it('a run without audible sound is a failure, not a missing value', () => {
    const silent = { ...spoken, wait: null };
    expect(runFigures(result({ turn: silent, turns: [silent] }), 'Yes.', WHOLE)).toMatchObject({
      failure: 'Nothing audible was heard.',
      measures: {},
    });
  });
});
