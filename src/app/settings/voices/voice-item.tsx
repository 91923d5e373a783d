import { Check, CircleAlert, Hourglass, Play, Square, Star, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { milliseconds } from '#lib/format.ts';
import { measureOf } from '#session/measures/definitions.ts';
import { measureText } from '#session/measures/measure-text.ts';
import { removeDescription, toggleFavourite } from '../../stores/favourites-store.ts';
import { useListening, voiceKey } from '../../stores/listening-store.ts';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { SampleButton, sampleWords } from './sample-button.tsx';
import { VoiceMark } from './voice-mark.tsx';
import { type VoiceOption, voiceTraits } from './voice-options.ts';
import { isHeard, type SamplerState, type VoiceSampler } from './voice-sampler.ts';

export interface VoiceItemProps {
  choice: VoiceOption;
  vendor: string;
  phase: SamplerState['phase'];
  /** Wait of the last time that the voice was heard. */
  waitMs: number | null;
  isFavourite: boolean;
  isInUse: boolean;
  /** A description that the person wrote. */
  isOwn: boolean;
  /** The one item that the Tab key reaches. */
  isStop: boolean;
  sampler: VoiceSampler | null;
  onPress: () => void;
}

/** A row of the picker: a press anywhere on it chooses the voice. */
export function VoiceRow(props: VoiceItemProps) {
  const { choice, phase, isInUse, isStop, sampler, onPress } = props;
  const { voice, hue, name, key } = choice;
  return (
    <div
      className={cx(
        'relative flex h-full items-center gap-3 pr-3 pl-5 hover:bg-hover touch:gap-1.5 touch:pr-1 touch:pl-3 has-[[data-item]:focus-visible]:outline-2 has-[[data-item]:focus-visible]:outline-offset-[-2px] has-[[data-item]:focus-visible]:outline-text',
        isStop && 'bg-selected',
      )}
    >
      <VoiceMark hue={hue} name={name} />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-1.5">
          <ItemButton
            {...{ isStop, onPress }}
            label={`Choose ${name}, ${traitsOf(choice)}`}
            className="max-w-[65%] shrink-0 truncate text-13 font-medium"
          >
            {name}
          </ItemButton>
          <code className="shrink-0 text-12 text-text-subtle">{key}</code>
          <span className="truncate text-12 text-text-muted">{traitsOf(choice)}</span>
        </span>
        <span aria-live="polite" className="line-clamp-2 text-12 leading-4 text-text-subtle">
          {sampleWords(phase) ?? voice?.description}
        </span>
      </span>
      {isInUse && <Check aria-label="in use" className="size-4 shrink-0 text-text-muted" />}
      <Loudness choice={choice} className="font-mono text-12 max-wide:hidden" />
      <span className="flex shrink-0">
        {sampler && <SampleButton sampler={sampler} choice={choice} tabIndex={isStop ? 0 : -1} />}
        <FavouriteButton {...props} />
      </span>
    </div>
  );
}

const ICONS = { silent: Play, waiting: Hourglass, speaking: Square, failed: CircleAlert };

/** A card: a press anywhere on it plays the voice, or stops it. */
export function VoiceTile(props: VoiceItemProps) {
  const { choice, vendor, phase, waitMs, isInUse, isOwn, isStop, onPress } = props;
  const { voice, hue, name, key } = choice;
  const Icon = ICONS[phase];
  const isOn = isHeard(phase);
  return (
    <div
      data-voice={hue}
      className={cx(
        'relative flex h-full flex-col gap-2.5 rounded-panel border p-3.5 transition-colors duration-100 has-[[data-item]:focus-visible]:outline-2 has-[[data-item]:focus-visible]:outline-offset-2 has-[[data-item]:focus-visible]:outline-text',
        isOn ? 'border-voice bg-voice-tint' : 'border-border bg-surface hover:border-border-strong',
      )}
    >
      <div className="flex items-center gap-2.5">
        <VoiceMark hue={hue} name={name} isDescribed={voice === null} />
        <span className="min-w-0 flex-1">
          <ItemButton
            {...{ isStop, onPress }}
            label={`${isOn ? 'Stop' : 'Play'} ${name}, ${traitsOf(choice)}`}
            className={cx('max-w-full text-14 font-semibold', voice ? 'block truncate' : 'line-clamp-3')}
          >
            {name}
          </ItemButton>
          {voice && <span className="line-clamp-2 text-12 text-text-subtle">{traitsOf(choice)}</span>}
        </span>
        <span
          aria-hidden
          className={cx(
            'grid size-9 shrink-0 place-items-center rounded-full border',
            isOn ? 'border-voice text-voice' : 'border-border-strong text-text-muted',
          )}
        >
          <Icon className={cx('size-3.5', (phase === 'silent' || phase === 'speaking') && 'fill-current')} />
        </span>
      </div>
      {voice && (
        <p dir="auto" className="line-clamp-2 text-12 text-text-muted">
          {voice.description}
        </p>
      )}
      <div className="mt-auto flex min-h-8 items-center gap-2 text-12 text-text-subtle">
        {voice && <code className="min-w-0 truncate text-12">{key}</code>}
        {isInUse && (
          <span className="inline-flex shrink-0 items-center gap-1 text-text-muted">
            <Check aria-hidden className="size-3.5" />
            in use
          </span>
        )}
        <span className="ml-auto flex flex-col items-end font-mono leading-4 whitespace-nowrap text-text">
          {waitMs !== null && (
            <span title="first text to first audible">{milliseconds(Math.round(waitMs))}</span>
          )}
          <Loudness choice={choice} />
        </span>
        {isOwn && (
          <IconButton
            label={`Remove ${name}`}
            icon={Trash2}
            size="small"
            tabIndex={isStop ? 0 : -1}
            onClick={() => removeDescription(vendor, key)}
            className="relative z-1 touch:-my-1.5"
          />
        )}
        <FavouriteButton {...props} className="-mr-1.5 touch:-my-1.5" />
      </div>
    </div>
  );
}

interface ItemButtonProps extends Pick<VoiceItemProps, 'isStop' | 'onPress'> {
  label: string;
  className: string;
  children: ReactNode;
}

/** Covers its item. */
const ItemButton = ({ isStop, onPress, label, className, children }: ItemButtonProps) => (
  <button
    type="button"
    data-item
    tabIndex={isStop ? 0 : -1}
    aria-label={label}
    onClick={onPress}
    className={cx('cursor-default text-left outline-none after:absolute after:inset-0', className)}
  >
    {children}
  </button>
);

interface FavouriteButtonProps extends Pick<VoiceItemProps, 'choice' | 'vendor' | 'isFavourite' | 'isStop'> {
  className?: string;
}

const FavouriteButton = ({ choice, vendor, isFavourite, isStop, className }: FavouriteButtonProps) => (
  <IconButton
    label={isFavourite ? `Remove ${choice.name} from the favourites` : `Keep ${choice.name} as a favourite`}
    icon={Star}
    size="small"
    aria-pressed={isFavourite}
    tabIndex={isStop ? 0 : -1}
    onClick={() => toggleFavourite(vendor, choice.key)}
    className={cx('relative z-1', isFavourite && '[&>svg]:fill-current', className)}
  />
);

const LOUDNESS = measureOf('loudness');

function Loudness({ choice, className }: Pick<VoiceItemProps, 'choice'> & { className?: string }) {
  const lufs = useListening(({ voices }) => voices.get(voiceKey(choice.endpoint, choice.key)));
  if (lufs === undefined) return null;
  return (
    <span title={LOUDNESS.definition} className={cx('whitespace-nowrap', className)}>
      {measureText(LOUDNESS, lufs)}
    </span>
  );
}

const traitsOf = ({ voice }: VoiceOption): string => (voice ? voiceTraits(voice) : 'described in words');
