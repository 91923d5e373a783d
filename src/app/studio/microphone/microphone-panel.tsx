import { milliseconds, withMinus } from '#lib/format.ts';
import { DEFAULT_DETECTOR, type DetectorSettings } from '#microphone/detector-settings.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import { type MicrophoneProblem, useDetectorSettings, useMicrophone } from '../../stores/microphone-store.ts';
import { FieldRow, SliderRow } from '../../ui/fields/rows.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PopoverDescription, PopoverTitle } from '../../ui/popups/popover.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { Switch } from '../../ui/switch.tsx';
import { setWriting, switchOff, switchOn } from './microphone.ts';
import { NO_RECOGNITION, RECOGNITION_GOES } from './problems.ts';
import { recognitionClass } from './recognition.ts';
import { SpeechMeter } from './speech-meter.tsx';

const decibels = (value: number): string => withMinus(value, (size) => `${Math.round(size)} dB`);
const percent = (value: number): string => `${Math.round(value * 100)} %`;

const AMOUNTS = [
  {
    field: 'threshold',
    title: 'Threshold',
    definition:
      'The least probability at which sound counts as speech. Raise it if noise interrupts the voice.',
    min: 0.2,
    max: 0.95,
    step: 0.05,
    words: percent,
  },
  {
    field: 'leastLevelDb',
    title: 'Least level',
    definition: 'Quieter speech does not count: an echo of the voice, or people in another room.',
    min: -70,
    max: -20,
    step: 1,
    words: decibels,
  },
  {
    field: 'leastMs',
    title: 'Least length',
    definition:
      'Speech must last this long to interrupt the voice. Shorter is sooner, and mistakes noises more often.',
    min: 0,
    max: 500,
    step: 16,
    words: milliseconds,
  },
  {
    field: 'hangOverMs',
    title: 'Hang-over',
    definition: 'Speech ends with a silence of this length. Shorter pauses belong to it.',
    min: 100,
    max: 1500,
    step: 50,
    words: milliseconds,
  },
] as const;

const LASTING = {
  field: 'lastingMs',
  title: 'Lasting from',
  definition: 'Speech of this length is no cough: the voice, which was only paused, is cancelled.',
  min: 200,
  max: 2000,
  step: 50,
  words: milliseconds,
} as const;

export interface MicrophonePanelProps {
  /** Called with each sentence that was said, while it is written. Without it, speech only interrupts. */
  onSpoken?: (text: string) => void;
}

export function MicrophonePanel({ onSpoken }: MicrophonePanelProps) {
  const client = useSessionClient();
  const { state, device, problem } = useMicrophone();
  const settings = useDetectorSettings();
  const isOn = state !== 'off';
  return (
    <>
      <div className="flex flex-col gap-1">
        <PopoverTitle className="text-14 font-semibold">Talk over the voice</PopoverTitle>
        <PopoverDescription className="text-12 text-text-muted">
          The voice falls silent as soon as you speak. The sound stays in this browser and is never recorded.
        </PopoverDescription>
      </div>
      <div className="flex min-h-7 items-center justify-between gap-3">
        <Switch checked={isOn} onChange={(next) => (next ? void switchOn(client) : switchOff())}>
          <span className="text-13 text-text">Microphone</span>
        </Switch>
        <span role="status" className="min-w-0 truncate text-12 text-text-subtle">
          {state === 'starting' ? 'Waiting for permission and the detector …' : device}
        </span>
      </div>
      {problem && <ProblemNotice problem={problem} />}
      <SpeechMeter />
      <div className="flex flex-col gap-1 border-t border-border pt-3">
        {AMOUNTS.map((amount) => (
          <AmountRow key={amount.field} amount={amount} settings={settings} />
        ))}
      </div>
      <div className="flex flex-col gap-1 border-t border-border pt-3">
        <FieldRow
          title="When I speak"
          definition="Pause first: a cough only pauses the voice, which goes on with the same sample. Cancel: the turn is over at once."
        >
          <Segmented
            label="When I speak"
            size="small"
            value={settings.onSpeech}
            onChange={(onSpeech) => useDetectorSettings.setState({ onSpeech })}
            options={[
              { value: 'pause', label: 'Pause first' },
              { value: 'cancel', label: 'Cancel' },
            ]}
          />
        </FieldRow>
        {settings.onSpeech === 'pause' && <AmountRow amount={LASTING} settings={settings} />}
      </div>
      {onSpoken && <Writing isOn={state === 'on'} onSpoken={onSpoken} />}
    </>
  );
}

export const ProblemNotice = ({ problem: { title, detail, remedy } }: { problem: MicrophoneProblem }) => (
  <Notice severity="warning" title={title} remedy={remedy}>
    {detail}
  </Notice>
);

interface AmountRowProps {
  amount: (typeof AMOUNTS)[number] | typeof LASTING;
  settings: DetectorSettings;
}

const AmountRow = ({ amount: { field, ...amount }, settings }: AmountRowProps) => (
  <SliderRow
    {...amount}
    value={settings[field]}
    defaultTick={DEFAULT_DETECTOR[field]}
    onChange={(value) => useDetectorSettings.setState({ [field]: value })}
  />
);

function Writing({ isOn, onSpoken }: Required<MicrophonePanelProps> & { isOn: boolean }) {
  const { writes, isHandsFree, writingProblem } = useMicrophone();
  const hasRecognition = recognitionClass() !== null;
  return (
    <div className="flex flex-col gap-2 border-t border-border pt-3">
      {hasRecognition && isOn && (
        <Switch checked={writes} onChange={(next) => setWriting(next, onSpoken)}>
          <span className="text-13 text-text">Write what I say</span>
        </Switch>
      )}
      <p className="text-12 text-text-muted">{hasRecognition ? RECOGNITION_GOES : NO_RECOGNITION}</p>
      {writes && (
        <Switch checked={isHandsFree} onChange={(next) => useMicrophone.setState({ isHandsFree: next })}>
          <span className="text-13 text-text">Send it without a press</span>
        </Switch>
      )}
      {writingProblem && <ProblemNotice problem={writingProblem} />}
    </div>
  );
}
