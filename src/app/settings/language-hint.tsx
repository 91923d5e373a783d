import { useMemo } from 'react';
import { scriptOf, useScene } from '../stores/scene-store.ts';
import { selectDraft, selectEndpoint, useSettings } from '../stores/settings-store.ts';
import { NoteLine } from '../ui/notice.tsx';
import { languageProblem, scriptWordsOf } from './language-problem.ts';

/** The text that settings speak: that of a speaker in the studio, where null stands for all of it, or another one. */
export type HintedText = { speaker: string | null } | { text: string };

interface LanguageHintProps {
  language: string;
  spoken: HintedText;
}

/** Says that a text cannot be read in its language. */
export const LanguageHint = ({ language, spoken }: LanguageHintProps) =>
  'text' in spoken ? (
    <Hint language={language} text={spoken.text} />
  ) : (
    <StudioHint language={language} speaker={spoken.speaker} />
  );

function StudioHint({ language, speaker }: { language: string; speaker: string | null }) {
  const hasScript = useSettings((page) => selectEndpoint(page).contexts !== null);
  const draft = useSettings(selectDraft);
  const script = useScene(scriptOf);
  const text = useMemo(
    () => (hasScript ? scriptWordsOf(script, speaker) : draft),
    [speaker, hasScript, script, draft],
  );
  return <Hint language={language} text={text} />;
}

function Hint({ language, text }: { language: string; text: string }) {
  const problem = useMemo(() => languageProblem(language, text), [language, text]);
  return problem && <NoteLine>{problem}</NoteLine>;
}
