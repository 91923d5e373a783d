import { seconds } from '#lib/format.ts';
import type { ScriptLine } from '#session/commands.ts';
import type { TurnView } from '#session/views.ts';
import { contextIdOf, parseScript, type ScriptEntry } from '#text/script.ts';
import { audioSecondsOf } from '#trace/speed.ts';
import { isHeardWhole } from '../../session-client/session-state.ts';

export interface LineState {
  text: string;
  tone: 'live' | 'ready' | 'waiting' | 'failed' | 'none';
}

/** Whether a line has words and a speaker of the cast. */
export const isSpeakableLine = (entry: ScriptEntry, cast: ReadonlySet<string>): boolean =>
  entry.problem === null && entry.speaker !== null && cast.has(contextIdOf(entry.speaker));

/** Returns the lines that can be spoken, as the session expects them. */
export function linesOf(script: string, cast: ReadonlySet<string>): ScriptLine[] {
  return parseScript(script)
    .lines.filter((entry) => isSpeakableLine(entry, cast))
    .map(({ speaker, text, index, interrupts }) => ({
      speaker: contextIdOf(speaker ?? ''),
      text,
      line: index,
      interrupts,
    }));
}

interface LineRules {
  cast: ReadonlySet<string>;
  writing: ReadonlySet<string>;
}

export const problemWords = ({ speaker }: ScriptEntry): string =>
  speaker === null
    ? 'Nobody speaks this line. Begin it with a name and a colon.'
    : `${speaker} has nothing to say here.`;

/** Returns why a line cannot be spoken now; null if it can. */
export function lineReason(entry: ScriptEntry | undefined, { cast, writing }: LineRules): string | null {
  if (!entry) return 'There is no line here.';
  const { speaker, problem } = entry;
  if (speaker === null || problem !== null) return problemWords(entry);
  if (!cast.has(contextIdOf(speaker))) return `No speaker of the cast is called ${speaker}.`;
  if (writing.has(contextIdOf(speaker))) return `A model is still writing for ${speaker}.`;
  return null;
}

/** Returns why nothing from a line on can be spoken; null if something can. Unspeakable lines are skipped. */
export function fromReason(entries: readonly ScriptEntry[], line: number, rules: LineRules): string | null {
  const first = entries[line];
  const rest = entries.slice(line).filter((entry) => isSpeakableLine(entry, rules.cast));
  if (!first || rest.length === 0) return lineReason(first, rules) ?? 'No line from here on can be spoken.';
  return rest.map((entry) => lineReason(entry, rules)).find((reason) => reason !== null) ?? null;
}

/** Returns the state of a line from the newest turn with its words. */
export function lineState(turn: TurnView, speaks: boolean): LineState {
  const length = audioSecondsOf(turn);
  if (speaks) return { text: 'speaking', tone: 'live' };
  switch (turn.state) {
    case 'failed':
    case 'lost':
      return { text: turn.state, tone: 'failed' };
    case 'cancelled':
      return { text: 'cancelled', tone: 'none' };
    case 'ended':
      if (isHeardWhole(turn)) return { text: `${seconds(length)} heard`, tone: 'none' };
      if (turn.heardFromMs === null && turn.silencedMs !== null) return { text: 'not heard', tone: 'none' };
      return turn.heardToMs === null && turn.silencedMs === null
        ? { text: `${seconds(length)} ready`, tone: 'ready' }
        : { text: 'cancelled', tone: 'none' };
    case 'receiving':
      return { text: 'generating', tone: 'waiting' };
    default:
      return { text: turn.firstTextMs === null ? 'not yet sent' : 'sent', tone: 'waiting' };
  }
}
