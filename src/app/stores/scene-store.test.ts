import { beforeEach, describe, expect, it } from 'vitest';
import { ENDPOINTS, endpointOf } from '#protocol/registry.ts';
import {
  castProblem,
  MAX_CAST,
  newMember,
  SCRIPT_CHARS,
  scriptProblem,
  speakerProblem,
  useScene,
} from './scene-store.ts';

const endpoint = ENDPOINTS.find(({ contexts }) => contexts !== null) ?? endpointOf(null);
const member = (name: string, at = 0) => newMember(name, at, endpoint, at);
const crowd = (size: number) => Array.from({ length: size }, (_, at) => member(`Speaker ${at}`, at));

const { partialize, merge } = useScene.persist.getOptions();
const stored = () => JSON.parse(JSON.stringify(partialize?.(useScene.getState())));

beforeEach(() => useScene.setState({ script: null, cast: null }));

describe('limits of a scene', () => {
  it('take in the largest script and cast, and give back after a reload what is there before', () => {
    const script = 'a'.repeat(SCRIPT_CHARS);
    useScene.getState().set({ script, cast: crowd(MAX_CAST) });
    const restored = merge?.(stored(), { ...useScene.getState(), script: null, cast: null });
    expect(restored).toMatchObject({ script, cast: crowd(MAX_CAST) });
  });

  it('leave what is there as it is where a change goes beyond them, and take the rest of it', () => {
    useScene.getState().set({ script: 'Anna: Hello.', cast: [member('Anna')] });
    useScene.getState().set({ script: 'a'.repeat(SCRIPT_CHARS + 1), pauseMs: 700 });
    useScene.getState().set({ cast: crowd(MAX_CAST + 1) });
    expect(stored()).toMatchObject({ script: 'Anna: Hello.', cast: [{ name: 'Anna' }], pauseMs: 700 });
  });

  it('are told', () => {
    expect([scriptProblem(SCRIPT_CHARS), castProblem(MAX_CAST)]).toEqual([null, null]);
    expect(scriptProblem(SCRIPT_CHARS + 1)).toContain('50,000');
    expect(castProblem(MAX_CAST + 1)).toContain('64 speakers');
  });
});

it.each([
  ['Ben', [member('Anna')], null],
  [' anna ', [member('Anna')], 'called anna already'],
  ['', [], 'needs a name'],
  ['Ben', crowd(MAX_CAST), '64 speakers'],
])('whether %j can join', (name, cast, words) => {
  const problem = speakerProblem(cast, name);
  if (words === null) expect(problem).toBeNull();
  else expect(problem).toContain(words);
});
