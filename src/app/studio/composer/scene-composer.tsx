import { Text } from 'lucide-react';
import { useState } from 'react';
import { counted } from '#lib/format.ts';
import type { Endpoint } from '#protocol/core/endpoint.ts';
import { SCENES } from '#text/scenes.ts';
import { contextIdOf, parseScript } from '#text/script.ts';
import { Deferred } from '../../session-client/provider.tsx';
import { castOf, castOfScene, scriptOf, useScene } from '../../stores/scene-store.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Menu } from '../../ui/popups/menu.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Select } from '../../ui/select.tsx';
import { AnswerProgress } from '../live-model/answer-progress.tsx';
import { useDialogue } from '../live-model/dialogue.ts';
import { ModelBar } from '../live-model/model-bar.tsx';
import { answeringContext, modelObstacle } from '../live-model/model-target.ts';
import { MicrophoneNews } from '../microphone/microphone-news.tsx';
import { Controls } from './controls.tsx';
import { isSpeakableLine } from './lines.ts';
import { type Refusal, ScriptEditor } from './script-editor.tsx';
import { SimulationKnobs } from './simulation-knobs.tsx';
import { SimulationProgress } from './simulation-progress.tsx';
import { SourceChoice } from './source-choice.tsx';
import { QuestionBox } from './text-box.tsx';
import { CannotSend } from './text-status.tsx';

export function SceneComposer({ endpoint }: { endpoint: Endpoint }) {
  const script = useScene(scriptOf);
  const cast = useScene((state) => castOf(state, endpoint));
  const listening = useScene((state) => state.listening);
  const set = useScene((state) => state.set);
  const source = useSettings((state) => state.source);
  const obstacle = useSettings(modelObstacle);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  return (
    <section
      aria-label="Composer"
      className="@container flex h-full min-h-0 flex-col bg-surface-raised max-roomy:border-t max-roomy:border-border"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b border-border p-2">
        <SourceChoice />
        {source === 'live' ? <ModelBar isCompact /> : <SceneMenu endpoint={endpoint} />}
        {source === 'simulated' && <SimulationKnobs />}
      </div>
      {source === 'live' ? (
        <QuestionBox className="block min-h-0 w-full flex-1 resize-none overflow-y-auto bg-transparent px-4 py-3 text-14 outline-none" />
      ) : (
        <div className="min-h-0 flex-1">
          <Deferred>
            <ScriptEditor endpoint={endpoint} onRefused={setRefusal} />
          </Deferred>
        </div>
      )}
      <MicrophoneNews />
      {refusal && (
        <Notice
          severity="warning"
          title={refusal.title}
          onDismiss={() => setRefusal(null)}
          className="mx-2 mb-2 shrink-0"
        >
          {refusal.why}
        </Notice>
      )}
      <div className="flex items-center justify-between gap-3 border-t border-border px-2 pt-1.5 text-12 text-text-muted">
        {source === 'live' ? (
          <AnsweringSpeaker endpoint={endpoint} />
        ) : (
          <Segmented
            label="How lines are heard"
            size="small"
            value={listening}
            onChange={(next) => set({ listening: next })}
            options={[
              { value: 'inTurn', label: 'In turn' },
              { value: 'together', label: 'All at once' },
            ]}
          />
        )}
        {source === 'live' ? (
          obstacle !== null ? (
            <CannotSend words={obstacle} />
          ) : (
            <AnswerProgress />
          )
        ) : source === 'simulated' ? (
          <SimulationProgress limit={Number.POSITIVE_INFINITY} />
        ) : (
          <Count script={script} cast={new Set(cast.map(({ name }) => contextIdOf(name)))} />
        )}
      </div>
      <div className="flex flex-wrap items-center justify-end gap-2 p-2 pt-1.5">
        <Controls />
      </div>
    </section>
  );
}

function Count({ script, cast }: { script: string; cast: ReadonlySet<string> }) {
  const { lines } = parseScript(script);
  const spoken = lines.filter((entry) => isSpeakableLine(entry, cast)).length;
  return (
    <p className="truncate text-text-subtle">
      {counted(spoken, 'line')}
      {spoken < lines.length && <span className="text-failed">, {lines.length - spoken} not sent</span>}
    </p>
  );
}

function SceneMenu({ endpoint }: { endpoint: Endpoint }) {
  const set = useScene((state) => state.set);
  return (
    <Menu
      align="start"
      side="bottom"
      trigger={
        <Button variant="ghost" size="small" icon={Text}>
          Scenes
        </Button>
      }
      items={SCENES.map((scene) => {
        const { id, title, hint, script } = scene;
        const cast = castOfScene(scene, endpoint);
        const onSelect = () => set({ script, cast, listening: 'inTurn', chosen: null });
        return { id, label: title, hint, onSelect };
      })}
    />
  );
}

/** The speaker of the answers, in a scene. */
function AnsweringSpeaker({ endpoint }: { endpoint: Endpoint }) {
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
