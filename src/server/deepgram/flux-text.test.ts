import { expect, it } from 'vitest';
import { heldControl, spokenPart } from './flux-text.ts';

it.each([
  ['Plain text.', 'Plain text.', false],
  ['<speak>Hi <break time="1s"/>there</speak>', 'Hi there', true],
  ['A <prosody rate="slow">slow</prosody> one', 'A slow one', true],
  ['[whispers] Come here', ' Come here', true],
  ['<emotion value="happy"/>Yes [laughter]', 'Yes ', true],
  ['**Bold** and <b>bold</b>', '**Bold** and <b>bold</b>', false],
  ['A [link](https://example.org) and [1]', 'A [link](https://example.org) and [1]', false],
  ['The array [index] and [a] note', 'The array [index] and [a] note', false],
  ['a < b and c > d', 'a < b and c > d', false],
])('deepgram-text-4 of %s, %s is spoken', (text, spoken, hadMarkup) => {
  expect(spokenPart(text)).toEqual({ text: spoken, hadMarkup });
});

it.each([
  ['Wait \\{pause:500ms\\}here', 'Wait here'],
  ['See \\{"word":"Nguyen","pronounce":"wɪn"\\}.', 'See .'],
])('deepgram-text-9 of %s, inline controls are left out, without a warning', (text, spoken) => {
  expect(spokenPart(text)).toEqual({ text: spoken, hadMarkup: false });
});

it.each(['\\{pause:long\\}', '\\{"word":"Nguyen"\\}', 'an open \\{pause:500ms', '\\{\\}'])(
  'deepgram-text-5 %s is malformed',
  (text) => {
    expect(spokenPart(text)).toBeNull();
  },
);

it.each([
  ['Wait \\{pause', 'Wait ', '\\{pause'],
  ['Wait \\', 'Wait ', '\\'],
  ['Wait \\{pause:500ms\\} now.', 'Wait \\{pause:500ms\\} now.', ''],
  ['No \\end', 'No \\end', ''],
  [`\\{${'x'.repeat(3000)}`, `\\{${'x'.repeat(3000)}`, ''],
])('deepgram-text-2 of %j, %j is ready and %j waits', (text, ready, held) => {
  expect(heldControl(text)).toEqual({ ready, held });
});

// A pattern that looked for the end of each opening took 6.6 s for them.
it.each(['\\{', '\\', '\\}', '<speak', '[laugh'])('120,000 times %s is read once', (unit) => {
  const text = unit.repeat(120_000);
  const { ready, held } = heldControl(text);
  expect(ready + held).toBe(text);
  expect(spokenPart(`${text}a`)).toEqual(unit === '\\{' ? null : { text: `${text}a`, hadMarkup: false });
});
