import { expect, it } from 'vitest';
import { turnView } from '#session/testing/views.ts';
import { speakAgain } from './speak-again.ts';

const cast = new Set(['anna']);
const lost = turnView({ state: 'lost', context: 'anna', text: 'Hello.', line: 3 });

it('speaks a line of a scene again by its speaker, at its place in the script', () => {
  expect(speakAgain(lost, cast)).toEqual({ line: { speaker: 'anna', text: 'Hello.', line: 3 } });
});

it('speaks the text as it is where the endpoint has a single voice', () => {
  expect(speakAgain(lost, null)).toEqual({ text: 'Hello.' });
  expect(speakAgain({ ...lost, context: '' }, null)).toEqual({ text: 'Hello.' });
});

it.each([
  ['was said without a speaker', { context: '' }],
  ['belongs to a removed speaker', { context: 'ben' }],
  ['has more text than is kept', { cutChars: 1 }],
])('says why a turn that %s cannot be spoken among a cast', (_, change) => {
  expect(speakAgain({ ...lost, ...change }, cast)).toHaveProperty('reason');
});
