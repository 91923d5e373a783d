import { bookPageOf } from '#protocol/book.ts';
import type { Rule } from '#protocol/core/rule.ts';
import { SHARED_RULES } from '#protocol/lint/rule-book.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { openLinter } from '#protocol/rules.ts';
import { SOUND_RULES } from '#recordings/sound/sound-rules.ts';

const HEAD = `# Rules

Voicewire checks every frame that **Frames** shows, live, stored or imported, against the rules of its endpoint. Rules cover
shape and order of messages, numbering, samples against bytes, codec and rate against the settings, word timings,
totals and bills against the received audio, time-outs that are close, and correct use that costs time or money. It also
listens: the decoded sound of each turn is checked once the turn is over.

| severity | meaning |
| --- | --- |
| violation | a client or server breaks the protocol |
| warning | probably a mistake, but the session still works |
| advice | correct, but it costs time or money |

Each finding says what was expected and what was found, marks the field, names its rule, and can be copied as a report.
\`n\` and \`p\` select the next and the previous finding. Findings stay in the browser, and no report contains a key.

## All rules

This list is made from the rules (\`npm run rules\`). The last column leads to the statements of the
[protocol book](protocols/README.md) that demand a rule.`;

const SOUND_NOTE = `They listen to live sessions, captured clients, imported files and files of \`voicewire lint\` alike
([how sound is judged](protocols/sound.md)). A finding says where it is heard. **Play** starts half a second before that place,
and the timeline marks it.`;

/** What the rules of a vendor cannot see. */
const NOTES: Readonly<Record<string, string>> = {
  KugelAudio:
    '`/ws/tts` (`kugel-tts`) has those of its frames: requests, audio, words, totals and the bill in `final`.',
  ElevenLabs: 'Rules about settings of the address apply where the recording has the address.',
  Deepgram: `Rules about settings apply where the recording has the address. A recording has no header and no subprotocol, so none is about
the form of the key. The end of a time-out by ping is not seen either.`,
  Cartesia:
    'Rules that depend on the version apply where the address names it: the linter does not see headers.',
};

const textOf = ({ id, severity, title, why, anchors }: Rule): string => {
  const links = anchors.map((anchor) => `[${anchor}](protocols/${bookPageOf(anchor)}.md#${anchor})`);
  return `| \`${id}\` | ${severity} | **${title}.** ${why} | ${links.join(', ')} |`;
};

const section = (heading: string, rules: readonly Rule[], note?: string): string =>
  [
    `### ${heading}`,
    ...(note ? [note] : []),
    ['| rule | severity | meaning | source |', '| --- | --- | --- | --- |', ...rules.map(textOf)].join('\n'),
  ].join('\n\n');

const listed = (book: Readonly<Record<string, Omit<Rule, 'id'>>>): Rule[] =>
  Object.entries(book).map(([id, rule]) => ({ id, ...rule }));

/** The content of `docs/rules.md`. */
export function rulesPage(): string {
  const sections = [section('Every endpoint', listed(SHARED_RULES))];
  sections.push(section('The sound of every endpoint', listed(SOUND_RULES), SOUND_NOTE));
  for (const vendor of new Set(ENDPOINTS.map((endpoint) => endpoint.vendor))) {
    const books = ENDPOINTS.filter((endpoint) => endpoint.vendor === vendor).map(({ id, path }) => {
      const rules = openLinter(id).rules.filter((rule) => !Object.hasOwn(SHARED_RULES, rule.id));
      return { path, rules: new Map(rules.map((rule) => [textOf(rule), rule])) };
    });
    const [first] = books;
    const isCommon = (text: string) => books.every(({ rules }) => rules.has(text));
    const common = [...(first?.rules ?? [])].flatMap(([text, rule]) => (isCommon(text) ? [rule] : []));
    sections.push(section(vendor, common, NOTES[vendor]));
    for (const { path, rules } of books) {
      const own = [...rules].flatMap(([text, rule]) => (isCommon(text) ? [] : [rule]));
      if (own.length > 0) sections.push(section(`${vendor} \`${path}\``, own));
    }
  }
  return `${[HEAD, ...sections].join('\n\n')}\n`;
}
