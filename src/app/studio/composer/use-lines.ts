import { useMemo } from 'react';
import { useShallow } from 'zustand/react/shallow';
import { memoiseLast } from '#lib/memoise.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import type { ScriptLine } from '#session/commands.ts';
import { contextIdOf, parseScript, type ScriptEntry } from '#text/script.ts';
import { useSession } from '../../session-client/provider.tsx';
import type { SessionClient } from '../../session-client/session-client.ts';
import { type SessionState, trackOf } from '../../session-client/session-state.ts';
import { type CastMember, castOf, scriptOf, useScene } from '../../stores/scene-store.ts';
import { fromReason, type LineState, lineReason, lineState, linesOf } from './lines.ts';

const idsOf = (cast: readonly CastMember[]): ReadonlySet<string> =>
  new Set(cast.map(({ name }) => contextIdOf(name)));

const memoisedLines = memoiseLast((script: string, cast: readonly CastMember[]) =>
  linesOf(script, idsOf(cast)),
);

/** Returns the lines that can be spoken: the same list until the script or the cast changes. */
export function linesNow(endpoint: Endpoint): readonly ScriptLine[] {
  const scene = useScene.getState();
  return memoisedLines(scriptOf(scene), castOf(scene, endpoint));
}

/** Returns the speakers for whom a model writes, because other text would join the turn that it writes. */
const writingNow = ({ source, turnIds, turns }: SessionState): string[] => {
  if (source.state !== 'running') return [];
  const writing = turnIds.flatMap((id) => {
    const turn = turns.get(id);
    const isWritten = turn?.origin === 'simulated' || turn?.origin === 'live';
    return isWritten && turn.state === 'sending' ? turn.context : [];
  });
  return [...new Set(writing)].sort();
};

/** Reasons why a line of the script, or the script from a line on, cannot be spoken now; null where it can. */
export type PartReasons = Readonly<Record<'line' | 'from', (line: number) => string | null>>;

function partReasons(
  obstacle: string | null,
  script: string,
  cast: readonly CastMember[],
  writing: readonly string[],
): PartReasons {
  const { lines } = parseScript(script);
  const rules = { cast: idsOf(cast), writing: new Set(writing) };
  return {
    line: (line) => obstacle ?? lineReason(lines[line], rules),
    from: (line) => obstacle ?? fromReason(lines, line, rules),
  };
}

/** The current state of {@link usePartReasons}. */
export function partReasonsNow(
  client: SessionClient,
  endpoint: Endpoint,
  obstacle: string | null,
): PartReasons {
  const scene = useScene.getState();
  return partReasons(obstacle, scriptOf(scene), castOf(scene, endpoint), writingNow(client.state));
}

/** @param obstacle reason why no line at all can be spoken */
export function usePartReasons(endpoint: Endpoint, obstacle: string | null): PartReasons {
  const script = useScene(scriptOf);
  const cast = useScene((state) => castOf(state, endpoint));
  const writing = useSession(useShallow(writingNow));
  return useMemo(() => partReasons(obstacle, script, cast, writing), [obstacle, script, cast, writing]);
}

/** Returns the state of each line of the script, by its index, and the line that is heard. */
function lineStatesOf(session: SessionState, entries: readonly ScriptEntry[]) {
  const states: Record<number, LineState> = {};
  let current: number | null = null;
  for (const id of session.turnIds) {
    const turn = session.turns.get(id);
    if (!turn || turn.line === null) continue;
    // A line that was edited since has not been spoken as it reads now.
    if (entries[turn.line]?.text.trim() !== turn.text.trim() && turn.state !== 'sending') continue;
    const isHeard = trackOf(session.player, turn.context).turn === turn.id;
    if (isHeard) current = turn.line;
    states[turn.line] = lineState(turn, isHeard);
  }
  return { states, current };
}

/** Renders only when a line's state changes: a turn that is received changes with every report. */
export function useLineStates(script: string) {
  const entries = useMemo(() => parseScript(script).lines, [script]);
  const json = useSession((session) => JSON.stringify(lineStatesOf(session, entries)));
  return useMemo<ReturnType<typeof lineStatesOf>>(() => JSON.parse(json), [json]);
}
