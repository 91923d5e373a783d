import { useMemo } from 'react';
import type { Endpoint } from '../../protocol/endpoint.ts';
import type { ScriptLine } from '../../session/messages.ts';
import { contextIdOf, parseScript } from '../../text/script.ts';
import { castOf, scriptOf, useScene } from '../stores/scene-store.ts';
import { trackOf, useSession } from '../stores/session-store.ts';
import { type LineState, lineState, linesOf } from './lines.ts';

/** Names of the contexts that the cast speaks on. */
const castIds = (endpoint: Endpoint): ReadonlySet<string> =>
  new Set(castOf(useScene.getState(), endpoint).map(({ name }) => contextIdOf(name)));

/** The lines of the script as it stands that can be spoken. */
export const linesNow = (endpoint: Endpoint): ScriptLine[] =>
  linesOf(scriptOf(useScene.getState()), castIds(endpoint));

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
