import { expect, it } from 'vitest';
import { mulawCurve, roomResponse } from './listening-responses.ts';

it('µ-law keeps silence, and has steps that grow with the level', () => {
  const curve = mulawCurve();
  const at = (value: number) => curve[Math.round(((value + 1) / 2) * (curve.length - 1))] ?? Number.NaN;
  expect(at(0)).toBe(0);
  for (const value of [0.01, 0.1, 0.5, 0.9, -0.01, -0.5]) {
    expect(Math.abs(at(value) - value)).toBeLessThan(0.04 * Math.abs(value));
    expect(at(-value)).toBeCloseTo(-at(value), 10);
  }
  expect(new Set(curve).size).toBe(255);
});

it.each([8000, 24_000, 48_000])('a room at %i Hz has an energy of 1 and dies away', (rate) => {
  const response = roomResponse(rate, 1);
  const energy = (from: number, to: number) =>
    response.slice(from * rate, to * rate).reduce((sum, sample) => sum + sample * sample, 0);
  expect(energy(0, 1)).toBeCloseTo(1, 3);
  expect(response[0]).toBeGreaterThan(0.5);
  // By 60 dB in 0.45 s.
  expect(10 * Math.log10(energy(0.02, 0.12) / energy(0.22, 0.32))).toBeCloseTo(26.7, -1);
  expect(roomResponse(rate, 1)).toEqual(response);
  expect(roomResponse(rate, 2)).not.toEqual(response);
});
