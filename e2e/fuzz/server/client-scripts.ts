import fc from 'fast-check';
import type { Dialect, Endpoint, Intent, Settings } from '#protocol/core/endpoint.ts';
import { KEY_PLACEHOLDER } from '#protocol/core/frame.ts';
import { parseFields } from '#protocol/core/json-frame.ts';
import { LOCAL_KEY } from '#protocol/core/servers.ts';
import { ONLY_CONTEXT } from '#protocol/core/speech-event.ts';
import { exampleVoice } from '#protocol/testing/example-voice.ts';
import { settingsFor } from '#protocol/testing/setting-values.ts';
import { protocolOf } from '../../support/protocols.ts';

/** Valid conversations of clients, encoded by the page's own code from the schemas of an endpoint. */

/** Texts that are short, because speech costs more than everything else, and that take every way through the engine. */
const TEXTS = [
  'Hello there. ',
  'One, two; three! ',
  'no end',
  ' ',
  'On 3/4/2025 Dr. Smith paid $1,234.50. ',
  'Wait <break time="20ms"/> for <spell>ABC</spell>. ',
  'Привет. 你好。 שלום. ',
  '😀😀 \ue000 ½ §. ',
  `${'x'.repeat(60)}. `,
];

const CONTEXTS = ['a', 'b', '__proto__'];

/** All settings of the address of a connection. */
export const addressSettings = (endpoint: Endpoint): Settings => ({
  ...exampleVoice(endpoint),
  ...endpoint.initialSettings,
});

type Part = { intent: Intent } | { template: string };

function partsOf(endpoint: Endpoint): fc.Arbitrary<Part> {
  const context = endpoint.contexts ? fc.constantFrom(...CONTEXTS) : fc.constant(ONLY_CONTEXT);
  const template = fc.constantFrom(
    ...protocolOf(endpoint).templates.map(({ frame }) => JSON.stringify(frame)),
  );
  const intents: fc.Arbitrary<Intent> = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('say'), context, text: fc.constantFrom(...TEXTS) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('flush'), context }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel'), context: fc.option(context) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('endTurn', 'keepAlive'), context }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('update'),
        settings: settingsFor(endpoint.settings, endpoint),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('openContext'),
        context,
        settings: settingsFor(endpoint.contexts?.settings ?? [], endpoint),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('closeContext'), context, immediate: fc.boolean() }),
    },
  );
  return fc.oneof(
    { weight: 5, arbitrary: intents.map((intent) => ({ intent })) },
    { weight: 2, arbitrary: template.map((text) => ({ template: text })) },
  );
}

/** A session begins no turn where the dialect has no room for it. */
const mayGo = (dialect: Dialect, intent: Intent): boolean =>
  intent.kind !== 'say' || dialect.hasRoom?.(intent.context) !== false;

/** The messages of one connection: its opening, then anything in any order. */
export function scriptsOf(endpoint: Endpoint): fc.Arbitrary<{ key: string; messages: string[] }> {
  return fc
    .record({
      key: fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(LOCAL_KEY, SECRET_KEY) },
        { weight: 1, arbitrary: fc.constantFrom('local-unpriced', 'local-limited') },
        {
          weight: 1,
          arbitrary: fc.constantFrom('local-no-credits', 'local-rate-limited', 'local-busy', 'wrong'),
        },
      ),
      settings: settingsFor(endpoint.settings, endpoint),
      contextSettings: settingsFor(endpoint.contexts?.settings ?? [], endpoint),
      parts: fc.array(partsOf(endpoint), { minLength: 1, maxLength: 14, size: 'max' }),
    })
    .map(({ key, settings, contextSettings, parts }) => {
      const dialect = protocolOf(endpoint).open({ settings: addressSettings(endpoint), key });
      // A dialect that names contexts itself knows nothing of those of the templates.
      const ofTemplates = dialect.hasRoom ? 'narrator' : 'a';
      const first: Intent[] = [
        { kind: 'open', settings: { ...endpoint.initialSettings, ...settings } },
        ...(endpoint.contexts ? CONTEXTS.slice(0, 2) : []).map(
          (context): Intent => ({
            kind: 'openContext',
            context,
            settings: { ...exampleVoice(endpoint), ...contextSettings },
          }),
        ),
      ];
      const messages = [
        ...first.flatMap((intent) => dialect.encode(intent)),
        ...parts.flatMap((part) =>
          'intent' in part
            ? mayGo(dialect, part.intent)
              ? dialect.encode(part.intent)
              : []
            : [part.template.replaceAll(KEY_PLACEHOLDER, key).replaceAll('narrator', ofTemplates)],
        ),
      ];
      return { key, messages: messages.map(String) };
    });
}

/** A key of the server that must not appear in anything that it says or logs. */
export const SECRET_KEY = 'fuzz_canary_7Qx0vK9w';

/** Names of fields in the messages of an endpoint. */
export function fieldNames(endpoint: Endpoint): string[] {
  const templates = protocolOf(endpoint).templates.flatMap(({ frame }) => Object.keys(frame));
  const settings = [...endpoint.settings, ...(endpoint.contexts?.settings ?? [])].map(({ field }) => field);
  return [...new Set([...templates, ...settings])];
}

/** Whether the schemas of the endpoint refuse this message. */
export function isInvalid(endpoint: Endpoint, text: string): boolean {
  return protocolOf(endpoint).checkFrame(text).length > 0;
}

/** The messages before the one with which the client ends the connection. The server may drop later ones. */
export function openTexts(endpoint: Endpoint, texts: readonly string[]): readonly string[] {
  const { readIntents, open } = protocolOf(endpoint);
  const { turnEnd } = open({ settings: addressSettings(endpoint), key: '' }).traits;
  const isLast = ({ kind }: Intent) =>
    kind === 'disconnect' || (kind === 'endTurn' && turnEnd === 'connection');
  const last = texts.findIndex((text) => readIntents(text).some(isLast));
  return last < 0 ? texts : texts.slice(0, last);
}

/** The frame as an object; empty for any other frame. */
export const fieldsIn = (text: string): Readonly<Record<string, unknown>> => {
  const read = parseFields(text);
  return 'fields' in read ? read.fields : {};
};
