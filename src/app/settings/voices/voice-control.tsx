import { ChevronDown } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import { idOf, type Setting } from '#protocol/core/settings.ts';
import { HAS_LOCAL_SERVER } from '../../browser/local-server.ts';
import { useSettings } from '../../stores/settings-store.ts';
import { cx } from '../../ui/cx.ts';
import { later } from '../../ui/later.tsx';
import { voiceHue } from '../../ui/voice-hue.ts';
import type { ControlProps } from '../control-props.ts';
import { SampleButton, sampleWords, useSampleState } from './sample-button.tsx';
import { createSamplePlayer } from './sample-player.ts';
import type { CatalogueList } from './use-catalogue.ts';
import { VoiceMark } from './voice-mark.tsx';
import { voiceOfValue, voiceTraits } from './voice-search.ts';

const VoiceDialog = later('The list of voices', () =>
  import('./voice-dialog.tsx').then((module) => module.VoiceDialog),
);

function newAudio(): HTMLAudioElement {
  const { volume, muted } = useSettings.getState();
  const audio = new Audio();
  audio.volume = volume;
  audio.muted = muted;
  return audio;
}

export function VoiceControl({
  setting,
  value,
  onChange,
  invalid,
  describedBy,
  voices: list,
}: Pick<ControlProps<'voice'>, 'setting' | 'value' | 'onChange' | 'invalid' | 'describedBy'> & {
  voices: CatalogueList<VoiceInfo>;
}) {
  const [isOpen, setOpen] = useState(false);
  const player = useMemo(() => createSamplePlayer(newAudio, location.origin), []);
  useEffect(() => () => player.stop(), [player]);
  const sample = useSampleState(player);
  const voice = voiceOfValue(list.items, value);
  const name = voice?.name ?? (value === undefined ? 'No voice' : `Voice ${String(value)}`);
  const about =
    sampleWords(sample, voice?.sampleUrl ?? null) ??
    (voice ? voiceTraits(voice) : value === undefined ? notSentWords(setting) : UNKNOWN_WORDS[list.state]);

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
        {voice?.sampleUrl && (
          <span className="relative z-1 inline-flex">
            <SampleButton player={player} url={voice.sampleUrl} name={voice.name} size="small" />
          </span>
        )}
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
            player.stop();
            setOpen(false);
          }}
          list={list}
          player={player}
          current={idOf(value)}
          idName={setting.control.ids.name}
          onChoose={(id) => {
            onChange(id);
            player.stop();
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
