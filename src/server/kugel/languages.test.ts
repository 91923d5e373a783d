import { expect, it } from 'vitest';
import { streamSettings } from '#protocol/kugel/wire/stream-client.ts';
import { LANGUAGES } from '../speech/languages.ts';

it('1.7 the engine speaks every language that the protocol admits, and no other', () => {
  const control = streamSettings.find((setting) => setting.field === 'language')?.control;
  expect(control).toMatchObject({ kind: 'choice' });
  expect(new Set(control?.kind === 'choice' ? control.values : [])).toEqual(new Set(LANGUAGES));
});
