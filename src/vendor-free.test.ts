import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { protocolOf } from '#protocol/protocols.ts';
import { ENDPOINTS, VENDORS } from './protocol/registry.ts';

/** Places outside the vendors' folders that may have facts of vendors. */
const ALLOWED: Readonly<Record<string, string>> = {
  'protocol/core/issue.ts': 'the field of a key, whose value no error may repeat',
  'protocol/registry.ts': 'registers vendors',
  'trace/secrets/named-secrets.ts': 'the fields that hold a secret of any vendor',
};

const OWN_FOLDER = new RegExp(`^(?:protocol|server)/(${VENDORS.join('|')})/`);

/** Names of a vendor's fields that are also ours. */
const OURS: ReadonlySet<string> = new Set(['isFinal', 'contextId', 'audioFormat', 'modelId']);

/** Names of fields and types of messages. A single word such as `speed` may mean anything, so it is no fact. */
function namesIn(message: unknown): string[] {
  if (typeof message !== 'object' || message === null) return [];
  if (Array.isArray(message)) return message.flatMap(namesIn);
  const named = Object.entries(message).flatMap(([field, value]) => [field, ...namesIn(value)]);
  const type = 'type' in message ? [String(message.type)] : [];
  return [...named, ...type].filter((name) => /_|[a-z][A-Z]/.test(name) && !OURS.has(name));
}

const exampleFrames = ENDPOINTS.flatMap((endpoint) => protocolOf(endpoint).exampleTurn('Hello.', 'a'));
const messages = [
  ...exampleFrames.flatMap((frame) => (typeof frame === 'string' ? [JSON.parse(frame)] : [])),
  ...ENDPOINTS.flatMap((each) => protocolOf(each).templates.map(({ frame }) => frame)),
  ...ENDPOINTS.flatMap(({ settings, contexts }) => [...settings, ...(contexts?.settings ?? [])]).map(
    ({ field }) => ({ [field]: null }),
  ),
];
const idleTimes = ENDPOINTS.flatMap(({ contexts, limits }) => [contexts?.idleMs({}), limits.idleTurnMs]);
const prices = ENDPOINTS.flatMap((each) => {
  const { plans, publishedPrice } = protocolOf(each);
  return [...plans, publishedPrice(each.initialSettings)];
});

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
const anyOf = (values: readonly (string | number | null | undefined)[]): string =>
  [...new Set(values.filter((value) => value != null).map((value) => escaped(String(value))))].join('|');
/** Finds names as words, and within words in camel case. A name may be the end of another word. */
const nameOf = (names: readonly string[]): RegExp => {
  const others = names.flatMap((name) => [name.charAt(0).toUpperCase() + name.slice(1), name.toUpperCase()]);
  return new RegExp(`(?<![a-z])(?:${anyOf(names)})|${anyOf(others)}`);
};
const withSeparators = (times: readonly (number | null | undefined)[]) =>
  times.flatMap((time) => (time == null ? [] : [time, String(time).replace(/(?=000$)/, '_')]));

const FACTS: Readonly<Record<string, RegExp>> = {
  name: nameOf([...VENDORS, ...ENDPOINTS.flatMap(({ id, vendor }) => [id, vendor])]),
  path: new RegExp(anyOf(ENDPOINTS.map(({ path }) => path))),
  field: new RegExp(`\\b(?:${anyOf(messages.flatMap(namesIn))})\\b`),
  voice: new RegExp(`\\b(?:${anyOf(ENDPOINTS.flatMap((each) => Object.values(each.exampleVoices)))})\\b`),
  idle: new RegExp(`idle.*\\b(?:${anyOf(withSeparators(idleTimes))})\\b`, 'i'),
  price: new RegExp(
    `(?:cents|price)\\w*per\\w* *[:=] *\\d|'(?:${anyOf(prices.map((each) => each?.currency))})'`,
    'i',
  ),
};

/** Every fact of a vendor in a source text, with its kind. */
const factsIn = (text: string): string[] =>
  Object.entries(FACTS).flatMap(([kind, pattern]) => {
    const found = pattern.exec(text);
    return found ? [`${kind}: ${found[0]}`] : [];
  });

const all = readdirSync(new URL('.', import.meta.url), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(?:tsx?|css)$/.test(name))
  .filter((name) => !/\.test\.tsx?$|\.test-helper\.|\.bench\.|\/testing\//.test(name));
const sources = all.filter((name) => !OWN_FOLDER.test(name));

describe('facts of vendors', () => {
  it('are in the folders of the vendors alone', () => {
    expect(sources.length).toBeGreaterThan(500);
    const found = sources.flatMap((name) => {
      const facts = factsIn(readFileSync(new URL(name, import.meta.url), 'utf8'));
      return facts.length > 0 ? [[name, facts] as const] : [];
    });
    expect(found.filter(([name]) => !(name in ALLOWED))).toEqual([]);
    expect(found.map(([name]) => name).sort()).toEqual(Object.keys(ALLOWED).sort());
  });

  it('are not in the folder of another vendor', () => {
    const found = all.flatMap((name) => {
      const own = OWN_FOLDER.exec(name)?.[1];
      const others = VENDORS.filter((vendor) => vendor !== own);
      const text = readFileSync(new URL(name, import.meta.url), 'utf8');
      return own && nameOf(others).test(text) ? [name] : [];
    });
    // Texts of users of other vendors carry their tags.
    expect(found).toEqual(['server/deepgram/flux-text.ts']);
  });

  it.each([
    ['name', 'the words of KugelAudio'],
    ['path', "path: '/ws/tts'"],
    ['field', '{ voice_settings: {} }'],
    ['field', 'of `generation_started`'],
    ['field', 'const { normalizedAlignment } = frame;'],
    ['voice', "{ name: 'Marta', voice: 1071 }"],
    ['idle', 'const IDLE_CONTEXT_MS = 20_000;'],
    ['price', 'centsPerSecond: 0.09'],
    ['price', "currency: 'eur'"],
  ])('are found by their kind: %s in %s', (kind, text) => {
    expect(factsIn(text).map((fact) => fact.split(':')[0])).toContain(kind);
  });

  it.each(['voice: string', 'idleMs: 10', 'costCents: 12', '/v1/models'])('are not in %s', (text) => {
    expect(factsIn(text)).toEqual([]);
  });
});
