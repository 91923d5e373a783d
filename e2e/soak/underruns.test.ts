import { expect, it } from 'vitest';
import { type Disturbances, excuseOf } from './underruns.ts';

const AT_MS = 100_000;
const underrun = { endpoint: 'murmr', turn: 3, atMs: AT_MS, lengthMs: 80, audioLateMs: 60 };
const QUIET: Disturbances = { measured: [], stalls: [], cpu: [] };
/** From so long after the begin of the underrun. */
const time = (fromMs: number, ms: number) => ({ atMs: AT_MS + fromMs + ms, ms });
const load = (others: number, fromMs = -500) => ({ ...time(fromMs, 1000), own: 0.3, others });

it.each([
  ['none on a quiet machine', QUIET, {}, null],
  ['the measuring of the soak right before it', { measured: [time(-700, 300)] }, {}, 'measuring'],
  ['no measuring long before it', { measured: [time(-1600, 500)] }, {}, null],
  ['no measuring behind it', { measured: [time(81, 500)] }, {}, null],
  ['a stall within it', { stalls: [time(20, 70)] }, {}, 'stall'],
  ['a stall that began before it and ended behind it', { stalls: [time(-100, 900)] }, {}, 'stall'],
  ['other programs that delay the server', { cpu: [load(0.6)] }, {}, 'load'],
  ['no small load', { cpu: [load(0.1)] }, {}, null],
  ['no load at another time', { cpu: [load(0.6, -3000), load(0.6, 500)] }, {}, null],
  ['other programs, where the audio never came', { cpu: [load(0.6)] }, { audioLateMs: null }, 'load'],
  ['no load, where the audio was there', { cpu: [load(0.6)] }, { audioLateMs: -400 }, null],
  ['a stall, even where the audio was there', { stalls: [time(0, 70)] }, { audioLateMs: -400 }, 'stall'],
])('the excuse of an underrun is %s', (_, seen, change, excuse) => {
  expect(excuseOf({ ...underrun, ...change }, { ...QUIET, ...seen })).toBe(excuse);
});
