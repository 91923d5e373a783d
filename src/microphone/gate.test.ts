import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GateEvent, type GateSettings, SpeechGate } from './gate.ts';

const FRAME_MS = 32;
const SETTINGS: GateSettings = {
  threshold: 0.5,
  leastLevelDb: -50,
  leastMs: 64,
  hangOverMs: 96,
  lastingMs: 256,
};

/** Follows frames of speech (`#`), hardly speech (`+`), silence (`.`) and quiet speech (`q`). Returns events by frame. */
function follow(sound: string, settings: Partial<GateSettings> = {}): Record<number, GateEvent['kind'][]> {
  const gate = new SpeechGate({ ...SETTINGS, ...settings });
  const found: Record<number, GateEvent['kind'][]> = {};
  for (const [at, frame] of [...sound].entries()) {
    const probability = frame === '#' || frame === 'q' ? 0.9 : frame === '+' ? 0.4 : 0.1;
    const levelDb = frame === 'q' ? -60 : -20;
    const events = gate.next({ fromMs: at * FRAME_MS, toMs: (at + 1) * FRAME_MS, probability, levelDb });
    if (events.length > 0) found[at] = events.map(({ kind }) => kind);
  }
  return found;
}

describe('the gate', () => {
  it.each<[string, Record<number, GateEvent['kind'][]>]>([
    ['........', {}],
    // One frame is a click.
    ['..#.....', {}],
    ['..##....', { 3: ['began'], 6: ['ended'] }],
    // Shorter pauses than the hang-over belong to the speech.
    ['.##..##...', { 2: ['began'], 9: ['ended'] }],
    ['.########...', { 2: ['began'], 8: ['lasted'], 11: ['ended'] }],
    // Speech goes on at a lower probability than it begins.
    ['.++++', {}],
    ['.#+++', { 2: ['began'] }],
    ['.qqqqqqqq', {}],
    ['.##qqq', { 2: ['began'], 5: ['ended'] }],
    // A pause within the run counts towards its length.
    ['.##..#..#...', { 2: ['began'], 8: ['lasted'], 11: ['ended'] }],
    ['.##...##...', { 2: ['began'], 5: ['ended'], 7: ['began'], 10: ['ended'] }],
  ])('decides %j', (sound, expected) => {
    expect(follow(sound)).toEqual(expected);
  });

  it('names the start of the first frame of speech as its onset, and whether it lasted', () => {
    const gate = new SpeechGate(SETTINGS);
    const next = (at: number, probability: number) =>
      gate.next({ fromMs: at * FRAME_MS, toMs: (at + 1) * FRAME_MS, probability, levelDb: -20 });
    expect([next(0, 0), next(1, 0.9), next(2, 0.9)].flat()).toEqual([{ kind: 'began', onsetMs: 32 }]);
    expect([next(3, 0), next(4, 0), next(5, 0)].flat()).toEqual([{ kind: 'ended', hasLasted: false }]);
    expect(gate.stop()).toEqual([]);
  });

  it('takes other settings into account at once, and ends speech where the sound ends', () => {
    const gate = new SpeechGate({ ...SETTINGS, threshold: 0.95 });
    const frame = { fromMs: 0, toMs: 100, probability: 0.9, levelDb: -20 };
    expect(gate.next(frame)).toEqual([]);
    gate.settings = SETTINGS;
    expect(gate.next({ ...frame, fromMs: 100, toMs: 200 })).toEqual([{ kind: 'began', onsetMs: 100 }]);
    expect(gate.isSpeech).toBe(true);
    expect(gate.stop()).toEqual([{ kind: 'ended', hasLasted: false }]);
  });

  it('begins and ends in turn, never sooner than its lengths allow, for any sound and settings', () => {
    const settings = fc.record({
      threshold: fc.double({ min: 0.2, max: 0.95, noNaN: true }),
      leastLevelDb: fc.constant(-50),
      leastMs: fc.integer({ min: 0, max: 500 }),
      hangOverMs: fc.integer({ min: 100, max: 1500 }),
      lastingMs: fc.integer({ min: 200, max: 2000 }),
    });
    const frames = fc.array(
      fc.record({
        probability: fc.double({ min: 0, max: 1, noNaN: true }),
        levelDb: fc.constantFrom(-20, -60),
        ms: fc.integer({ min: 1, max: 40 }),
      }),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(settings, frames, (chosen, sound) => {
        const gate = new SpeechGate(chosen);
        let nowMs = 0;
        let beganMs: number | null = null;
        let hasLasted = false;
        let speechMs = 0;
        let loudMs = 0;
        for (const { probability, levelDb, ms } of sound) {
          const isLoud = levelDb >= chosen.leastLevelDb;
          if (isLoud) loudMs += ms;
          const events = gate.next({ fromMs: nowMs, toMs: nowMs + ms, probability, levelDb });
          nowMs += ms;
          for (const event of events) {
            if (event.kind === 'began') {
              expect(beganMs).toBeNull();
              expect(nowMs - event.onsetMs).toBeGreaterThanOrEqual(chosen.leastMs);
              expect(loudMs).toBeGreaterThanOrEqual(chosen.leastMs);
              beganMs = event.onsetMs;
              hasLasted = false;
            } else if (event.kind === 'lasted') {
              expect(hasLasted).toBe(false);
              expect(nowMs - (beganMs ?? Number.NaN)).toBeGreaterThanOrEqual(chosen.lastingMs);
              hasLasted = true;
            } else {
              expect(beganMs).not.toBeNull();
              expect(event.hasLasted).toBe(hasLasted);
              expect(nowMs - speechMs).toBeGreaterThanOrEqual(chosen.hangOverMs);
              beganMs = null;
            }
          }
          // The latest end of a stretch that may have counted as speech.
          if (isLoud && probability >= chosen.threshold) speechMs = nowMs;
          expect(gate.isSpeech).toBe(beganMs !== null);
        }
      }),
    );
  });
});
