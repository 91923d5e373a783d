import type { Endpoint } from '#protocol/core/endpoint.ts';
import { contextIdOf } from '#text/script.ts';
import { castOf, useScene } from '../../stores/scene-store.ts';
import { Select } from '../../ui/select.tsx';
import { useDialogue } from './dialogue.ts';
import { answeringContext } from './model-target.ts';

/** The speaker of the answers, in a scene. */
export function AnsweringSpeaker({ endpoint }: { endpoint: Endpoint }) {
  const scene = useScene();
  const speaker = useDialogue((state) => state.speaker);
  const options = castOf(scene, endpoint).map(({ name }) => ({ value: contextIdOf(name), label: name }));
  return (
    <span className="flex items-center gap-2">
      Answers as
      <Select
        label="Speaker of the answers"
        size="small"
        value={answeringContext(endpoint, scene, speaker)}
        onChange={(next) => useDialogue.setState({ speaker: next })}
        options={options}
      />
    </span>
  );
}
