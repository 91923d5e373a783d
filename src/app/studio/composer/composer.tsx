import { useSession } from '../../session-client/provider.tsx';
import { selectIsOfClient } from '../../session-client/session-state.ts';
import { obstacleOf } from '../../session-client/target.ts';
import { useKeys } from '../../stores/key-store.ts';
import { selectEndpoint, selectSpeakName, useSettings } from '../../stores/settings-store.ts';
import { later } from '../../ui/later.tsx';
import { Switch } from '../../ui/switch.tsx';
import { modelObstacle } from '../live-model/model-target.ts';
import { MicrophoneNews } from '../microphone/microphone-news.tsx';
import { Controls } from './controls.tsx';
import { SampleMenu } from './sample-menu.tsx';
import { SimulationProgress } from './simulation-progress.tsx';
import { SourceChoice } from './source-choice.tsx';
import { TextBox } from './text-box.tsx';
import { CannotSend, TextStatus } from './text-status.tsx';

const SimulationKnobs = later('The simulated model', () =>
  import('./simulation-knobs.tsx').then((module) => module.SimulationKnobs),
);

const ModelBar = later('The live model', () =>
  import('../live-model/model-bar.tsx').then((module) => module.ModelBar),
);
const AnswerProgress = later('The progress of the answer', () =>
  import('../live-model/answer-progress.tsx').then((module) => module.AnswerProgress),
);

export function Composer() {
  const source = useSettings((state) => state.source);
  const live = useSettings((state) => state.sendWhileTyping);
  const endpoint = useSettings(selectEndpoint);
  const speakName = useSettings(selectSpeakName);
  const keys = useKeys((state) => state.keys);
  const isReplay = useSession(({ replay }) => replay !== null);
  const isClient = useSession(selectIsOfClient);
  const obstacle = useSettings(
    (state) => obstacleOf(state, { keys }) ?? (state.source === 'live' ? modelObstacle(state) : null),
  );
  return (
    <div className="shrink-0 overflow-y-hidden [scrollbar-gutter:stable_both-edges]">
      <div className="mx-auto w-full max-w-[944px] px-2 pb-3 wide:px-4 wide:pb-4">
        <section
          aria-label="Composer"
          className="@container rounded-panel border border-border-strong bg-surface-raised shadow-low"
        >
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1 p-2 roomy:gap-x-3">
            <SourceChoice className="max-wide:w-full max-roomy:*:px-2 max-wide:*:flex-1" />
            {source !== 'live' && <SampleMenu />}
            <div className="flex flex-1 flex-wrap items-center justify-end gap-x-4 gap-y-1 pr-1 max-wide:contents">
              {source === 'typed' ? (
                <Switch
                  className="whitespace-nowrap max-wide:ml-auto max-wide:pr-1"
                  checked={live}
                  onChange={(next) => useSettings.setState({ sendWhileTyping: next })}
                >
                  Send while typing
                </Switch>
              ) : source === 'simulated' ? (
                <SimulationKnobs />
              ) : (
                <ModelBar />
              )}
            </div>
          </div>
          <MicrophoneNews />
          <TextBox />
          <div className="flex flex-wrap items-center gap-2 p-2 pt-1">
            <div className="min-w-0 flex-1 pl-2 text-12 text-text-muted empty:hidden max-wide:basis-full">
              {obstacle !== null ? (
                <CannotSend words={obstacle} />
              ) : isReplay ? (
                `${isClient ? 'Another client is shown' : 'A recording is replayed'}. ${speakName} leaves it.`
              ) : source === 'simulated' ? (
                <SimulationProgress limit={endpoint.limits.textChars} />
              ) : source === 'live' ? (
                <AnswerProgress />
              ) : (
                <TextStatus limit={endpoint.limits.textChars} />
              )}
            </div>
            <Controls />
          </div>
        </section>
      </div>
    </div>
  );
}
