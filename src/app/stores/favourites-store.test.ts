import { expect, test } from 'vitest';
import { toggleFavourite, useFavourites } from './favourites-store.ts';

test('keeps favourites by vendor, and removes one on a second press', () => {
  toggleFavourite('KugelAudio', '1');
  toggleFavourite('KugelAudio', '2');
  toggleFavourite('murmr', 'A tired robot');
  toggleFavourite('KugelAudio', '1');
  expect(useFavourites.getState().voices).toEqual({ KugelAudio: ['2'], murmr: ['A tired robot'] });
});
