import { renderToStaticMarkup } from 'react-dom/server';
import { beforeEach, expect, it } from 'vitest';
import { fakePage } from '../session-client/testing/page.ts';
import { useScene } from '../stores/scene-store.ts';
import { useSettings } from '../stores/settings-store.ts';
import { type HintedText, LanguageHint } from './language-hint.tsx';

const RUSSIAN = 'Здравствуйте, как дела?';
const hintOf = (spoken: HintedText, language = 'en'): string =>
  renderToStaticMarkup(<LanguageHint language={language} spoken={spoken} />);

beforeEach(() => {
  fakePage();
});

it.each<[string, string, string, string, HintedText, boolean]>([
  [
    'the draft of an endpoint without a script',
    'kugel-stream',
    RUSSIAN,
    'Anna: Hello.',
    { speaker: null },
    true,
  ],
  ['the script of an endpoint with one', 'kugel-multi', RUSSIAN, 'Anna: Hello.', { speaker: null }, false],
  ['all of the script', 'kugel-multi', 'Hello.', `Anna: ${RUSSIAN}`, { speaker: null }, true],
  ['the lines of a speaker', 'kugel-multi', '', `Anna: ${RUSSIAN}`, { speaker: 'Anna' }, true],
  ['no lines of others', 'kugel-multi', '', `Anna: ${RUSSIAN}\nBen: Hello.`, { speaker: 'Ben' }, false],
  ['a given text, not the draft', 'kugel-stream', RUSSIAN, '', { text: 'Hello.' }, false],
  ['a given text, not the script', 'kugel-multi', '', 'Anna: Hello.', { text: RUSSIAN }, true],
])('judges %s', (_, endpoint, draft, script, spoken, isProblem) => {
  // Static markup has the first states of the stores.
  Object.assign(useSettings.getInitialState(), { endpoint, draft });
  Object.assign(useScene.getInitialState(), { script });
  const hint = hintOf(spoken);
  if (isProblem) expect(hint).toContain('in Cyrillic letters, which English is not written in');
  else expect(hint).toBe('');
  expect(hintOf(spoken, 'ru')).toBe('');
});
