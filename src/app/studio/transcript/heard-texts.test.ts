import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { chunkView, turnView } from '#session/testing/views.ts';
import type { WordSource } from '#trace/words/word-timings.ts';
import { HeardTexts } from './heard-texts.tsx';

/** The turn that played this text; null where another program played it. */
const turnOf = (text: string | null, wordSource: WordSource) => {
  const words = [{ word: text ?? '', startMs: 0, endMs: 1000, charStart: 0, charEnd: text?.length ?? 0 }];
  return turnView({
    state: 'cancelled',
    text: text ?? '',
    sampleRate: 1000,
    chunks: [chunkView({ id: 0, text, words, wordSource, samples: 1000 })],
    played: [{ sample: 0, count: 1000, atMs: 0 }],
  });
};

const textOf = (server: string, clock: { text: string; isEstimated: boolean } | null): string =>
  renderToStaticMarkup(
    createElement(HeardTexts, {
      server,
      turn: turnOf(clock?.text ?? null, clock?.isEstimated ? 'estimated' : 'server'),
      isOfClient: clock === null,
    }),
  )
    .replaceAll(/<strong[^>]*>(.*?)<\/strong>/g, '[$1]')
    .replaceAll(/<svg.*?<\/svg>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const LONG = 'So we walked on for an hour, and then for another, and nobody spoke';

it.each([
  [
    'Route 66',
    { text: 'Route 66', isEstimated: false },
    'heard: server Route 66 our clock Route 66 words from the vendor both the same',
  ],
  [
    'Route sixty',
    { text: 'Route 66 is', isEstimated: true },
    'heard: server Route [sixty] our clock Route [66 is] words estimated the texts differ',
  ],
  [
    '',
    { text: 'One', isEstimated: false },
    'heard: server nothing our clock [One] words from the vendor the server says less',
  ],
  [
    'One',
    { text: '', isEstimated: false },
    'heard: server [One] our clock nothing words from the vendor the server says more',
  ],
  [
    `${LONG} a word`,
    { text: LONG, isEstimated: false },
    'heard: server … for an hour, and then for another, and nobody spoke [a word] our clock … for an hour, and then for another, and nobody spoke words from the vendor the server says more',
  ],
  ['One', null, 'heard: server One our clock unknown, because another program played it'],
])('shows what the server says, %j, beside %j', (server, clock, text) => {
  expect(textOf(server, clock)).toBe(text);
});
