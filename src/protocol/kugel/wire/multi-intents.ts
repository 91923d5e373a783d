import { clientObject, intentsIn, objectIn, without } from '../../core/client-frame.ts';
import type { Frame, Intent, Settings } from '../../core/endpoint.ts';
import { contextSettings, sessionSettings } from './multi-client.ts';

/** Keys that ask for something or say for whom; all others are settings. */
const CONTROLS: ReadonlySet<string> = new Set([
  'text',
  'context_id',
  'flush',
  'cancel',
  'close_context',
  'immediate',
  'close_socket',
  'update_settings',
  'voice_settings',
]);

const OF_SESSION: ReadonlySet<string> = new Set(sessionSettings.map(({ field }) => field));
const OF_CONTEXT: ReadonlySet<string> = new Set(contextSettings.map(({ field }) => field));

/**
 * What a client's frame on `/ws/tts/multi` asks for, in the order in which the server does it (`facts 1.3.5`). Whether a
 * context is open is not in its frames: settings of a context on a text are read as opening it, which one that is open
 * ignores (`facts 3.3.8`). Blank text without settings keeps a context alive, or opens one that is not there.
 */
export function readMultiIntents(frame: Frame): Intent[] {
  const fields = clientObject(frame);
  if (!fields) return [];
  const voice = objectIn(fields.voice_settings);
  const top = without(fields, CONTROLS);
  // Session-wide settings stand in either place, and the top level counts where both have one.
  const session = { ...without(voice ?? {}, OF_CONTEXT), ...without(top, OF_CONTEXT) };
  const own: Settings = { ...without(top, OF_SESSION), ...without(voice ?? {}, OF_SESSION) };
  const opens = voice !== null || Object.keys(own).some((field) => OF_CONTEXT.has(field)) ? own : undefined;
  const context = typeof fields.context_id === 'string' ? fields.context_id : null;
  const update = objectIn(fields.update_settings);
  const common = intentsIn(
    Object.keys(session).length > 0 && { kind: 'open', settings: session },
    update && { kind: 'update', settings: update },
    fields.cancel === true && { kind: 'cancel', context },
  );
  const addressed =
    context === null
      ? []
      : intentsIn(
          typeof fields.text === 'string' && textIntent(context, fields.text, opens),
          fields.flush === true && { kind: 'flush', context },
          fields.close_context === true && {
            kind: 'closeContext',
            context,
            immediate: fields.immediate === true,
          },
        );
  return [...common, ...addressed, ...intentsIn(fields.close_socket === true && { kind: 'disconnect' })];
}

function textIntent(context: string, text: string, opens: Settings | undefined): Intent {
  if (text === '' && !opens) return { kind: 'keepAlive', context };
  if (text.trim() === '' && opens) return { kind: 'openContext', context, settings: opens };
  return { kind: 'say', context, text, ...(opens ? { opens } : {}) };
}
