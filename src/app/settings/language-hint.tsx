import { useMemo } from 'react';
import { scriptOf, useScene } from '../stores/scene-store.ts';
import { selectDraft, selectEndpoint, useSettings } from '../stores/settings-store.ts';
import { NoteLine } from '../ui/notice.tsx';
import { languageProblem, scriptWordsOf } from './language-problem.ts';

interface LanguageHintProps {
  language: string;
  /** Whose text of the studio; null: all of it. */
  speaker: string | null;
}

/** Says that the text of the studio cannot be read in its language. */
export function LanguageHint({ language, speaker }: LanguageHintProps) {
  const hasScript = useSettings((page) => selectEndpoint(page).contexts !== null);
  const draft = useSettings(selectDraft);
  const script = useScene(scriptOf);
  const problem = useMemo(
    () => languageProblem(language, hasScript ? scriptWordsOf(script, speaker) : draft),
    [language, speaker, hasScript, script, draft],
  );
  return problem && <NoteLine>{problem}</NoteLine>;
}
