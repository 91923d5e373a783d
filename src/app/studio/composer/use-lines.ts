import { useMemo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { ScriptLine } from '#session/messages.ts';
import { contextIdOf, parseScript, type ScriptEntry } from '#text/script.ts';
import { type SessionState, trackOf, useSession } from '../../session-client/session-store.ts';
import { type CastMember, castOf, scriptOf, useScene } from '../../stores/scene-store.ts';
import { fromReason, type LineRules, type LineState, lineReason, lineState, linesOf } from './lines.ts';

/** Names of the contexts that the cast speaks on. */
const idsOf = (cast: readonly CastMember[]): ReadonlySet<string> =>
  new Set(cast.map(({ name }) => contextIdOf(name)));

let last: { script: string; cast: readonly CastMember[]; lines: readonly ScriptLine[] } | null = null;

/** The lines of the script as it stands that can be spoken; the same until the script or the cast changes. */
export function linesNow(endpoint: Endpoint): readonly ScriptLine[] {
  const scene = useScene.getState();
  const script = scriptOf(scene);
  const cast = castOf(scene, endpoint);
  if (last?.script !== script || last.cast !== cast) {
    last = { script, cast, lines: linesOf(script, idsOf(cast)) };
  }
  return last.lines;
}

/** Speakers for whom a simulated model is writing. */
const writingNow = ({ source, turnIds, turns }: SessionState): string[] => {
  if (source.state !== 'running') return [];
  const speakers = new Set<string>();
  for (const id of turnIds) {
    const turn = turns.get(id);
    if (turn?.origin === 'simulated' && turn.state === 'sending') speakers.add(turn.context);
  }
  return [...speakers].sort();
};

/** Why a line of the script, or what follows from it on, cannot be spoken now. */
export interface PartReasons {
  line: (line: number) => string | null;
  from: (line: number) => string | null;
}

const partReasons = (
  obstacle: string | null,
  entries: readonly ScriptEntry[],
  rules: LineRules,
): PartReasons => ({
  line: (line) => obstacle ?? lineReason(entries[line], rules),
  from: (line) => obstacle ?? fromReason(entries, line, rules),
});

/** As things stand; see {@link usePartReasons}. */
export const partReasonsNow = (endpoint: Endpoint, obstacle: string | null): PartReasons => {
  const scene = useScene.getState();
  return partReasons(obstacle, parseScript(scriptOf(scene)).lines, {
    cast: idsOf(castOf(scene, endpoint)),
    writing: new Set(writingNow(useSession.getState())),
  });
};

/** @param obstacle what stands in the way of any line */
export function usePartReasons(endpoint: Endpoint, obstacle: string | null): PartReasons {
  const script = useScene(scriptOf);
  const cast = useScene((state) => castOf(state, endpoint));
  const writing = useSession(useShallow(writingNow));
  return useMemo(
    () => partReasons(obstacle, parseScript(script).lines, { cast: idsOf(cast), writing: new Set(writing) }),
    [obstacle, script, cast, writing],
  );
}

/** How each line of the script stands, by its place, and the one that is heard. */
export function useLineStates(script: string): {
  states: ReadonlyMap<number, LineState>;
  current: number | null;
} {
  const entries = useMemo(() => parseScript(script).lines, [script]);
  const key = useSession((session) => {
    const states: [number, LineState][] = [];
    let current: number | null = null;
    for (const id of session.turnIds) {
      const turn = session.turns.get(id);
      if (!turn || turn.line === null) continue;
      const entry = entries[turn.line];
      // A line that was changed since has not been spoken as it stands.
      if (entry?.text.trim() !== turn.text.trim() && turn.state !== 'sending') continue;
      const speaks = trackOf(session.player, turn.context).turn === turn.id;
      if (speaks) current = turn.line;
      states.push([turn.line, lineState(turn, speaks)]);
    }
    return JSON.stringify({ states, current });
  });
  return useMemo(() => {
    const { states, current } = JSON.parse(key) as { states: [number, LineState][]; current: number | null };
    return { states: new Map(states), current };
  }, [key]);
}
