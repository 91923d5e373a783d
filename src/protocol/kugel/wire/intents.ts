import { wordList } from '#lib/word-list.ts';
import type { Intent, Settings } from '../../core/endpoint.ts';
import type { Frame } from '../../core/frame.ts';
import { type Fields, fieldsOf, isFields, parseBounded, without } from '../../core/json-frame.ts';
import type { Setting } from '../../core/settings.ts';
import { ONLY_CONTEXT } from '../../core/speech-event.ts';
import { contextSettings, sessionSettings } from './settings.ts';
import { parseTtsMessage } from './stream-client.ts';

/** Client frames back to intents, in the order in which the server executes them (kugel-message-5). */

/** Keys with a meaning of their own. All other keys are settings. */
const STREAM_CONTROLS: ReadonlySet<string> = new Set(
  wordList('text flush cancel close end_session close_socket update_settings'),
);
const MULTI_CONTROLS: ReadonlySet<string> = new Set(
  wordList(
    'text context_id flush cancel close_context immediate close_socket update_settings voice_settings',
  ),
);

const fieldsOfSettings = (settings: readonly Setting[]): ReadonlySet<string> =>
  new Set(settings.map(({ field }) => field));
const OF_SESSION = fieldsOfSettings(sessionSettings);
const OF_CONTEXT = fieldsOfSettings(contextSettings);

const present = (...intents: readonly (Intent | null | false)[]): Intent[] =>
  intents.filter((intent): intent is Intent => intent !== null && intent !== false);

const updateIn = ({ update_settings: settings }: Fields): Intent | null =>
  isFields(settings) ? { kind: 'update', settings } : null;

export function readStreamIntents(frame: Frame): Intent[] {
  const fields = fieldsOf(frame, parseBounded);
  if (!fields) return [];
  const settings = without(fields, STREAM_CONTROLS);
  const { text } = fields;
  const ends = fields.close === true || fields.end_session === true;
  const isConfig =
    Object.keys(settings).length > 0 || !Object.keys(fields).some((field) => STREAM_CONTROLS.has(field));
  return present(
    isConfig && { kind: 'open', settings },
    updateIn(fields),
    fields.cancel === true && { kind: 'cancel', context: null },
    typeof text === 'string' && { kind: 'say', context: ONLY_CONTEXT, text },
    fields.flush === true && !ends && { kind: 'flush', context: ONLY_CONTEXT },
    ends && { kind: 'endTurn', context: ONLY_CONTEXT },
    fields.close_socket === true && { kind: 'disconnect' },
  );
}

/** A request is a whole turn. Keys of the other endpoints mean nothing in it, and a refused frame is no request. */
export const readTtsIntents = (frame: Frame): Intent[] => {
  const fields = fieldsOf(frame, parseBounded);
  if (!fields || !parseTtsMessage(fields).ok) return [];
  return readStreamIntents(frame).flatMap((intent): Intent[] => {
    if (intent.kind === 'say') return [intent, { kind: 'flush', context: ONLY_CONTEXT }];
    return intent.kind === 'open' || intent.kind === 'update' || intent.kind === 'cancel' ? [intent] : [];
  });
};

/**
 * Frames do not show whether a context is open. Settings of a context beside a text therefore count as its opening; an open
 * context ignores them (kugel-context-5). Blank text without settings keeps a context alive.
 */
export function readMultiIntents(frame: Frame): Intent[] {
  const fields = fieldsOf(frame, parseBounded);
  if (!fields) return [];
  const voice = isFields(fields.voice_settings) ? fields.voice_settings : null;
  const top = without(fields, MULTI_CONTROLS);
  // Session-wide settings may be in either place. The top level wins.
  const session = { ...without(voice ?? {}, OF_CONTEXT), ...without(top, OF_CONTEXT) };
  const own: Settings = { ...without(top, OF_SESSION), ...without(voice ?? {}, OF_SESSION) };
  const opens = voice !== null || Object.keys(own).some((field) => OF_CONTEXT.has(field)) ? own : undefined;
  const context = typeof fields.context_id === 'string' ? fields.context_id : null;
  const addressed =
    context === null
      ? []
      : present(
          typeof fields.text === 'string' && textIntent(context, fields.text, opens),
          fields.flush === true && { kind: 'flush', context },
          fields.close_context === true && {
            kind: 'closeContext',
            context,
            immediate: fields.immediate === true,
          },
        );
  return present(
    Object.keys(session).length > 0 && { kind: 'open', settings: session },
    updateIn(fields),
    fields.cancel === true && { kind: 'cancel', context },
    ...addressed,
    fields.close_socket === true && { kind: 'disconnect' },
  );
}

function textIntent(context: string, text: string, opens: Settings | undefined): Intent {
  if (text === '' && !opens) return { kind: 'keepAlive', context };
  if (text.trim() === '' && opens) return { kind: 'openContext', context, settings: opens };
  return { kind: 'say', context, text, ...(opens ? { opens } : {}) };
}
