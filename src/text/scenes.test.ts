import { describe, expect, test } from 'vitest';
import { endpointOf } from '#protocol/registry.ts';
import { DEFAULT_SCENE } from './default-scene.ts';
import { SCENES } from './scenes.ts';
import { contextIdOf, nameProblem, parseScript } from './script.ts';

/** Contexts of one connection of `/ws/tts/multi` (kugel-context-1). */
const MOST_CONTEXTS = 20;

describe.each(SCENES.map((scene) => [scene.title, scene] as const))('%s', (_, scene) => {
  test('has a speaker for each line, and a line for each speaker', () => {
    const { lines } = parseScript(scene.script);
    expect(lines.filter(({ problem }) => problem !== null)).toEqual([]);
    const speaking = new Set(lines.map(({ speaker }) => contextIdOf(speaker ?? '')));
    expect(speaking).toEqual(new Set(scene.cast.map(({ name }) => contextIdOf(name))));
  });

  test('fits on one connection, with names and voices that differ', () => {
    expect(scene.cast.length).toBeLessThanOrEqual(MOST_CONTEXTS);
    expect(new Set(scene.cast.map(({ name }) => contextIdOf(name))).size).toBe(scene.cast.length);
    const { exampleVoices } = endpointOf('kugel-multi');
    const ids = scene.cast.map(({ voice }) => exampleVoices[voice]);
    expect(new Set(ids.filter(Boolean)).size).toBe(scene.cast.length);
    expect(scene.cast.map(({ name }) => nameProblem(name)).filter(Boolean)).toEqual([]);
  });

  test('places its voices within what can be heard', () => {
    for (const { position } of scene.cast) expect(Math.abs(position)).toBeLessThanOrEqual(1);
  });
});

test('scenes have ids of their own', () => {
  expect(new Set(SCENES.map(({ id }) => id)).size).toBe(SCENES.length);
});

test('the first scene is a short one of the two default voices', () => {
  expect(DEFAULT_SCENE.cast.map(({ voice }) => voice)).toEqual(['Marta', 'Rupert']);
  expect(DEFAULT_SCENE.script.length).toBeLessThan(300);
});
