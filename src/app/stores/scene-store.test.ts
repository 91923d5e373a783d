import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settingOfKind } from '#protocol/core/settings.ts';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import { memoryStorage } from '../browser/testing/memory-storage.ts';
import {
  castOf,
  castProblem,
  MAX_CAST,
  newMember,
  SCRIPT_CHARS,
  scriptProblem,
  speakerProblem,
  useScene,
} from './scene-store.ts';

const endpoint = ENDPOINTS.find(({ contexts }) => contexts !== null) ?? endpointOf(null);
const member = (name: string, at = 0) => newMember(name, at, endpoint, String(at));
const crowd = (size: number) => Array.from({ length: size }, (_, at) => member(`Speaker ${at}`, at));

/** The store as another load of the page restores it. */
async function reloaded() {
  vi.resetModules();
  const { useScene: store } = await import('./scene-store.ts');
  return store.getState();
}

beforeEach(() => {
  vi.stubGlobal('localStorage', memoryStorage());
  useScene.setState({ script: null, cast: null });
});
afterEach(() => vi.unstubAllGlobals());
// Other files of the thread must not get the stores that are loaded here.
afterAll(() => void vi.resetModules());

describe('limits of a scene', () => {
  it('accept the largest script and cast, and restore them after a reload', async () => {
    const script = 'a'.repeat(SCRIPT_CHARS);
    useScene.getState().set({ script, cast: crowd(MAX_CAST) });
    expect(await reloaded()).toMatchObject({ script, cast: crowd(MAX_CAST) });
  });

  it('ignore the part of a change that exceeds them, and apply the rest', async () => {
    useScene.getState().set({ script: 'Anna: Hello.', cast: [member('Anna')] });
    useScene.getState().set({ script: 'a'.repeat(SCRIPT_CHARS + 1), pauseMs: 700 });
    useScene.getState().set({ cast: crowd(MAX_CAST + 1) });
    expect(await reloaded()).toMatchObject({
      script: 'Anna: Hello.',
      cast: [{ name: 'Anna' }],
      pauseMs: 700,
    });
  });

  it('are named in the problem', () => {
    expect([scriptProblem(SCRIPT_CHARS), castProblem(MAX_CAST)]).toEqual([null, null]);
    expect(scriptProblem(SCRIPT_CHARS + 1)).toContain('50,000');
    expect(castProblem(MAX_CAST + 1)).toContain('64 speakers');
  });
});

it('has nobody on an endpoint with a single voice', () => {
  const single = ENDPOINTS.find(({ contexts }) => contexts === null) ?? endpointOf(null);
  expect(castOf({ cast: [member('Anna')] }, single)).toEqual([]);
  expect(castOf({ cast: [member('Anna')] }, endpoint)).toEqual([member('Anna')]);
});

it('keeps the settings of a speaker for each endpoint, and begins with a voice of its own', () => {
  const other = ENDPOINTS.findLast(({ contexts }) => contexts !== null) ?? endpointOf(null);
  expect(other.id).not.toBe(endpoint.id);
  // As earlier versions stored it.
  const { of: _, ...anna } = { ...member('Anna'), settings: { speed: 1.1 } };
  const there = [...castOf({ cast: [anna] }, other)];
  const [voice] = Object.values(other.exampleVoices);
  const field = settingOfKind(other.contexts?.settings ?? [], 'voice')?.field;
  expect(there).toMatchObject([{ name: 'Anna', of: other.id, settings: { [String(field)]: voice } }]);
  expect(other.contexts?.checkSettings(there[0]?.settings)).toEqual([]);
  expect(castOf({ cast: there }, endpoint)).toMatchObject([{ of: endpoint.id, settings: { speed: 1.1 } }]);
  expect(castOf({ cast: there }, other)).toBe(there);
});

it.each([
  ['Ben', [member('Anna')], null],
  [' anna ', [member('Anna')], 'called anna already'],
  ['', [], 'needs a name'],
  ['Ben', crowd(MAX_CAST), '64 speakers'],
])('checks whether %j can join', (name, cast, words) => {
  const problem = speakerProblem(cast, name);
  if (words === null) expect(problem).toBeNull();
  else expect(problem).toContain(words);
});
