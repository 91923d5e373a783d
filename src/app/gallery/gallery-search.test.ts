import { describe, expect, it } from 'vitest';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import { endpointOf } from '#protocol/registry.ts';
import { voiceOptions } from '../settings/voices/voice-options.ts';
import { type GalleryQuery, gridStep, searchGallery } from './gallery-search.ts';

const voice = (id: number, name: string, sex: string, ...languages: string[]): VoiceInfo => ({
  id: String(id),
  name,
  description: `${name} for guides`,
  sex,
  age: null,
  languages,
  sampleUrl: null,
});
const VOICES = [
  voice(1, 'Marta', 'female', 'en', 'de'),
  voice(2, 'Rupert', 'male', 'en'),
  voice(3, 'Camille', 'female', 'fr'),
];
const ALL: GalleryQuery = { text: '', language: null, sex: null, onlyFavourites: false };
const kugel = voiceOptions(endpointOf('kugel-stream'), VOICES);

describe('the voice gallery', () => {
  it.each([
    [{}, [], 'Marta Rupert Camille'],
    [{}, ['3'], 'Camille Marta Rupert'],
    [{ onlyFavourites: true }, ['3'], 'Camille'],
    [{ language: 'en' }, ['3'], 'Marta Rupert'],
    [{ language: 'en', sex: 'female' }, [], 'Marta'],
    [{ text: 'guides' }, ['3'], 'Marta Rupert Camille'],
    [{ text: 'rupert' }, [], 'Rupert'],
    [{ text: 'nobody' }, [], ''],
  ])('%j with favourites %j shows %j', (query, favourites, names) => {
    const found = searchGallery(kugel, { ...ALL, ...query }, favourites);
    expect(found.map(({ name }) => name).join(' ')).toBe(names);
  });

  it('finds descriptions by their words, and leaves them out where a language is asked for', () => {
    const murmr = voiceOptions(endpointOf('murmr'), VOICES, ['A tired robot']);
    const named = (query: Partial<GalleryQuery>) =>
      searchGallery(murmr, { ...ALL, ...query }, []).map(({ name }) => name);
    expect(named({ text: 'tired' })).toEqual(['A tired robot']);
    expect(named({ language: 'fr' })).toEqual(['Camille']);
  });

  it.each([
    ['ArrowRight', 0, 1],
    ['ArrowLeft', 0, null],
    ['ArrowDown', 0, 3],
    ['ArrowDown', 5, null],
    ['ArrowUp', 4, 1],
    ['ArrowUp', 1, null],
    ['Home', 4, 0],
    ['End', 1, 6],
    ['x', 1, null],
  ])('%s leads from card %i of seven in three columns to %j', (key, at, to) => {
    expect(gridStep(key, at, 7, 3)).toBe(to);
  });
});
