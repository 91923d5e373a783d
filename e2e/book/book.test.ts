import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { asyncapiOf } from '#protocol/asyncapi.ts';
import { bookPageOf } from '#protocol/book.ts';
import type { Rule } from '#protocol/core/rule.ts';
import { ENDPOINTS } from '#protocol/registry.ts';
import { openLinter } from '#protocol/rules.ts';
import { SOUND_RULES } from '#recordings/sound/sound-rules.ts';
import { rulesPage } from './rules-page.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8');
const PAGES = readdirSync(`${ROOT}docs/protocols`).map((name) => {
  const text = read(`docs/protocols/${name}`);
  return {
    name,
    text,
    anchors: [...text.matchAll(/<a id="([^"]*)"><\/a>/g)].map(([, anchor = '']) => anchor),
  };
});
const ANCHORS = new Set(PAGES.flatMap(({ anchors }) => anchors));

/** A statement of the book, as text, code and docs cite it. */
const CITATION = new RegExp(
  `\\b(?:${[...new Set([...ANCHORS].map((anchor) => anchor.split('-')[0]))].join('|')})-(?!js-|sdk-)[a-z]+-\\d+\\b(?!-)`,
  'g',
);
/** Papers that are not in the repository. */
const PAPER = /\bfacts(?:-\w+)?`? \d|\bdecisions? \d|\bcontract\.md\b/;

const files = execFileSync('git', ['ls-files', 'src', 'e2e', 'docs', '.ci', 'README.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(?:tsx?|mjs|md)$/.test(path) && !path.startsWith('e2e/book/'));

describe('the protocol book', () => {
  it.each(PAGES)(
    '$name marks each statement by one anchor, its name and its certainty',
    ({ name, text, anchors }) => {
      expect(anchors.filter((anchor) => `${bookPageOf(anchor)}.md` !== name)).toEqual([]);
      expect(anchors.length).toBe(new Set(anchors).size);
      const lines = text.split('\n').filter((line) => line.includes('<a id='));
      const marked =
        /^(?:- <a id="([a-z]+-[a-z]+-\d+)"><\/a>\*\*\1\*\* · (?:documented|seen|ours) · |\| <a id="([a-z]+-[a-z]+-\d+)"><\/a>\*\*\2\*\* \|.* (?:documented|seen|ours) \|)/;
      expect(lines.filter((line) => !marked.test(line))).toEqual([]);
    },
  );

  it('has every statement that is cited, and nothing cites a paper', () => {
    const faults = files.flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, at) => {
          const unknown = (line.match(CITATION) ?? []).filter((anchor) => !ANCHORS.has(anchor));
          return unknown.length > 0 || PAPER.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [];
        }),
    );
    expect(faults).toEqual([]);
  });

  it('has a statement for every rule and every described message', () => {
    const documents = JSON.stringify(ENDPOINTS.map((endpoint) => asyncapiOf(endpoint)));
    const cited = [...documents.matchAll(/docs\/protocols\/\w+\.md#([\w-]+)/g)].map(
      ([, anchor = '']) => anchor,
    );
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter((anchor) => !ANCHORS.has(anchor))).toEqual([]);
    const rules: Omit<Rule, 'id'>[] = Object.values(SOUND_RULES);
    rules.push(...ENDPOINTS.flatMap(({ id }) => openLinter(id).rules));
    for (const { title, anchors } of rules) {
      expect(anchors, title).not.toEqual([]);
      expect(
        anchors.filter((anchor) => !ANCHORS.has(anchor)),
        title,
      ).toEqual([]);
    }
  });

  it('leads to files and statements that are there', () => {
    const broken = PAGES.flatMap(({ name, text }) =>
      [...text.matchAll(/\]\(([^)#:\s]*)(?:#([^)\s]*))?\)/g)].flatMap(([link, path = '', anchor]) => {
        const target = path === '' ? name : path;
        const page = PAGES.find((each) => each.name === target);
        if (!page)
          return files.includes(new URL(target, 'file:///docs/protocols/').pathname.slice(1)) ? [] : [link];
        const isHeading = page.text.split('\n').some((line) => headingAnchor(line) === anchor);
        return anchor === undefined || page.anchors.includes(anchor) || isHeading ? [] : [`${name}: ${link}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it('and the list of rules is that of the rules', async () => {
    await expect(rulesPage()).toMatchFileSnapshot(`${ROOT}docs/rules.md`);
  });
});

/** The anchor that readers of Markdown give a heading; undefined for another line. */
const headingAnchor = (line: string): string | undefined =>
  /^#+ (.*)/
    .exec(line)?.[1]
    ?.toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
