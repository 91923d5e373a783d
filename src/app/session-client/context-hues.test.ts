import { expect, it } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { newMember } from '../stores/scene-store.ts';
import { contextHues } from './provider.tsx';

const CAST = ['Marta', 'Rupert'].map((name, at) => newMember(name, at, endpointOf('kugel-multi'), '1071'));

// By their names alone, all but mira have hue 4, and mira has 6.
it.each([
  ['of one name alone', ['otto'], [4]],
  ['in order of appearance', ['otto', 'narrator', 'mira', 'user'], [4, 5, 6, 3]],
  [
    'that the appearance of a speaker of the cast does not change',
    ['otto', 'narrator', 'mira', 'user', 'marta'],
    [4, 5, 6, 3, 1],
  ],
  [
    'of the names again, once all are taken',
    ['otto', 'narrator', 'user', 'alice', 'ada', 'mira', 'agent'],
    [4, 5, 6, 3, 4, 6, 6],
  ],
])('gives contexts hues %s', (_, ids, hues) => {
  const hueOf = contextHues(
    ids.map((id) => ({ id })),
    CAST,
  );
  expect(ids.map(hueOf)).toEqual(hues);
});
