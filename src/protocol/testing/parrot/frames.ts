import type { Intent } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { templatesOf } from '../../core/frame.ts';
import { type Issue, issuesOf } from '../../core/issue.ts';
import { type Fields, fieldsOf, frameCheck, type SentTyped } from '../../core/json-frame.ts';
import { ONLY_CONTEXT } from '../../core/speech-event.ts';
import { z } from '../../core/zod.ts';

/** Frames of a made-up vendor. Each names its context by an id that the client makes anew for each turn. */

const id = z.string().check(z.minLength(1));
const ms = z.number().check(z.nonnegative());

/** The client's messages. Each has a field that no other has. */
const CLIENT_FRAMES = {
  text: z.looseObject({ id, text: z.string() }),
  /** Speaks the text so far. */
  flush: z.looseObject({ id, flush: z.literal(true) }),
  end: z.looseObject({ id, end: z.literal(true) }),
  /** Of the turn's audio, the client has played so much. */
  cancel: z.looseObject({ id, cancel: z.literal(true), played_ms: ms }),
} as const;

/** The server's text messages. Audio is binary and names no context, and the close of the connection ends the turn. */
export const SERVER_FRAMES = {
  /** Times are from the start of the turn's audio. A frame may end within a word. */
  characters: z
    .looseObject({ id, characters: z.array(z.string()), start_ms: z.array(ms), end_ms: z.array(ms) })
    .check(
      z.refine(
        ({ characters, start_ms, end_ms }) =>
          start_ms.length === characters.length && end_ms.length === characters.length,
        { error: 'a start and an end for each character' },
      ),
    ),
  /** Answers a cancel with the text that was heard, as the server reads it. */
  cancelled: z.looseObject({ id, cancelled: z.literal(true), heard: z.string() }),
  error: z.looseObject({ id: z.optional(id), error: z.string(), message: z.string() }),
} as const;

export type CharactersFrame = z.output<typeof SERVER_FRAMES.characters>;

/** The server's frame for a text. @param fromMs in the turn's audio */
export function charactersFrame(id: string, text: string, fromMs: number, characterMs: number): string {
  const characters = [...text];
  const at = (place: number): number => Math.round(fromMs + place * characterMs);
  return JSON.stringify({
    id,
    characters,
    start_ms: characters.map((_, place) => at(place)),
    end_ms: characters.map((_, place) => at(place + 1)),
  });
}

const kindIn = <Kind extends string>(frames: Readonly<Record<Kind, unknown>>) => {
  const kinds = Object.keys(frames) as Kind[];
  return (fields: Fields): Kind | null => kinds.find((kind) => Object.hasOwn(fields, kind)) ?? null;
};
export const clientKindOf = kindIn(CLIENT_FRAMES);
export const serverKindOf = kindIn(SERVER_FRAMES);

export const parrotFrameIssues = frameCheck((fields) => {
  const issues = clientFieldIssues(fields);
  return issues.length === 0 ? { ok: true, value: fields } : { ok: false, issues };
});

export function clientFieldIssues(fields: Fields): Issue[] {
  const kind = clientKindOf(fields);
  if (!kind) return [{ path: '', expected: 'text, flush, end or cancel', found: 'none of them' }];
  const parsed = CLIENT_FRAMES[kind].safeParse(fields);
  return parsed.success ? [] : issuesOf(parsed.error, fields);
}

/** The id is not read: it is the dialect's, and the session knows only the speaker. */
export function readParrotIntents(frame: Frame): Intent[] {
  const fields = fieldsOf(frame);
  const kind = fields && clientKindOf(fields);
  if (kind === 'text' && typeof fields?.text === 'string')
    return [{ kind: 'say', context: ONLY_CONTEXT, text: fields.text }];
  if (kind === 'flush') return [{ kind: 'flush', context: ONLY_CONTEXT }];
  if (kind === 'end') return [{ kind: 'endTurn', context: ONLY_CONTEXT }];
  if (kind === 'cancel')
    return [{ kind: 'cancel', context: ONLY_CONTEXT, playedMs: Number(fields?.played_ms) || 0 }];
  return [];
}

const template = templatesOf<SentTyped<typeof CLIENT_FRAMES>>();

export const parrotTemplates = [
  template('Text', 'A piece of text to speak.', { id: 't1', text: 'Hello there. ' }),
  template('Flush', 'Speaks the text so far.', { id: 't1', flush: true }),
  template('End', 'Ends the text of the turn.', { id: 't1', end: true }),
  template('Cancel', 'Abandons the turn.', { id: 't1', cancel: true, played_ms: 480 }),
];
