import { ChevronDown } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { idOf, type Setting } from '#protocol/core/settings.ts';
import { HAS_LOCAL_SERVER } from '../../browser/local-server.ts';
import { cx } from '../../ui/cx.ts';
import { later } from '../../ui/later.tsx';
import { voiceHue } from '../../ui/voice-hue.ts';
import type { ControlProps } from '../control-props.ts';
import { SampleButton, sampleWords } from './sample-button.tsx';
import type { VoiceChoices } from './use-catalogue.ts';
import { VoiceMark } from './voice-mark.tsx';
import { voiceOfValue, voiceOptions, voiceTraits } from './voice-options.ts';
import { phaseOf, useSampler, VoiceSampler, vendorSample } from './voice-sampler.ts';

const VoiceDialog = later('The list of voices', () =>
  import('./voice-dialog.tsx').then((module) => module.VoiceDialog),
);

export function VoiceControl({
  setting,
  value,
  onChange,
  invalid,
  describedBy,
  voices: list,
}: Pick<ControlProps<'voice'>, 'setting' | 'value' | 'onChange' | 'invalid' | 'describedBy'> & {
  voices: VoiceChoices;
}) {
  const [isOpen, setOpen] = useState(false);
  const sampler = useMemo(() => new VoiceSampler(vendorSample(location.origin)), []);
  useEffect(() => () => sampler.stop(), [sampler]);
  const sampled = useSampler(sampler);
  const voice = voiceOfValue(list.items, value);
  const [choice] = useMemo(
    () => (voice ? voiceOptions(list.endpoint, [voice]).filter((each) => each.voice) : []),
    [list.endpoint, voice],
  );
  const name = voice?.name ?? (value === undefined ? 'No voice' : `Voice ${String(value)}`);
  const about =
    (choice && sampleWords(phaseOf(sampled, choice))) ??
    (voice ? voiceTraits(voice, 1) : value === undefined ? notSentWords(setting) : UNKNOWN_WORDS[list.state]);

  return (
    <>
      <div
        className={cx(
          'relative flex h-13 items-center gap-2.5 rounded-control border pr-1 pl-2.5 hover:bg-hover has-[[data-choose]:focus-visible]:outline-2 has-[[data-choose]:focus-visible]:outline-offset-1 has-[[data-choose]:focus-visible]:outline-text',
          invalid ? 'border-failed' : 'border-border-strong',
        )}
      >
        <VoiceMark hue={voiceHue(String(value ?? 0))} name={voice?.name ?? '?'} />
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-1.5">
            <span className="max-w-[70%] shrink-0 truncate text-13 font-medium">{name}</span>
            {voice && <code className="min-w-0 truncate text-12 text-text-subtle">{voice.id}</code>}
          </span>
          <span aria-live="polite" className="block truncate text-12 text-text-subtle">
            {about}
          </span>
        </span>
        {choice && <SampleButton sampler={sampler} choice={choice} />}
        <button
          type="button"
          data-choose
          aria-label={`Choose a voice, now ${name}`}
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          aria-describedby={describedBy}
          onClick={() => setOpen(true)}
          className="inline-flex size-7 shrink-0 cursor-default items-center justify-center rounded-control text-text-muted outline-none after:absolute after:inset-0 after:rounded-control touch:size-11"
        >
          <ChevronDown className="size-4" />
        </button>
      </div>
      {isOpen && (
        <VoiceDialog
          onClose={() => {
            sampler.stop();
            setOpen(false);
          }}
          voices={list}
          sampler={sampler}
          current={idOf(value)}
          idName={setting.control.ids.name}
          onChoose={(id) => {
            onChange(id);
            sampler.stop();
            setOpen(false);
          }}
        />
      )}
    </>
  );
}

const notSentWords = ({ absent }: Setting): string =>
  absent === undefined ? 'The server chooses one.' : `${absent.charAt(0).toUpperCase()}${absent.slice(1)}.`;

const UNKNOWN_WORDS = {
  loading: 'Reading the voices…',
  failed: 'The voices could not be read.',
  unavailable: HAS_LOCAL_SERVER ? 'Listed once there is a key.' : 'Listed once there is a server.',
  ready: 'Not in the list of this server.',
};
