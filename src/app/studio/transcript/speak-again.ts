import { counted } from '#lib/format.ts';
import type { ScriptLine } from '#session/commands.ts';
import type { TurnView } from '#session/views.ts';

/** How a turn is spoken again: as a text, as a line of a speaker, or not, with the reason. */
export type Again = { text: string } | { line: ScriptLine } | { reason: string };

/**
 * Returns how a turn is spoken again on the chosen endpoint.
 * @param cast the contexts that may speak there; null where the endpoint has a single voice
 */
export function speakAgain(
  turn: Pick<TurnView, 'context' | 'text' | 'cutChars' | 'line'>,
  cast: ReadonlySet<string> | null,
): Again {
  const { context, text, cutChars, line } = turn;
  if (cutChars > 0) return { reason: `Only ${counted(text.length, 'character')} of it are kept here.` };
  if (!cast) return { text };
  if (context === '') return { reason: 'It was spoken without a cast. Give it a speaker in the script.' };
  if (!cast.has(context)) return { reason: `No speaker of the cast is called ${context} any more.` };
  return { line: { speaker: context, text, line: line ?? 0 } };
}
