import { Check, Hourglass, Play, Square, Star, Trash2 } from 'lucide-react';
import { type KeyboardEvent, memo } from 'react';
import { milliseconds } from '#lib/format.ts';
import { languageName } from '#lib/languages.ts';
import { measureOf } from '#session/measures/definitions.ts';
import { measureText } from '#session/measures/measure-text.ts';
import { VoiceMark } from '../settings/voices/voice-mark.tsx';
import type { VoiceOption } from '../settings/voices/voice-options.ts';
import { removeDescription, toggleFavourite } from '../stores/favourites-store.ts';
import { useListening, voiceKey } from '../stores/listening-store.ts';
import { cx } from '../ui/cx.ts';
import { IconButton } from '../ui/icon-button.tsx';
import type { SamplerState } from './voice-sampler.ts';

interface VoiceTileProps {
  choice: VoiceOption;
  phase: SamplerState['phase'];
  /** Wait of the last sample of this voice. */
  waitMs: number | null;
  isFavourite: boolean;
  isInUse: boolean;
  /** A description that the person wrote. */
  isOwn: boolean;
  vendor: string;
  /** The one card of the grid that the Tab key reaches. Arrow keys move from it to the others. */
  isStop: boolean;
  onFocus: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onPress: () => void;
}

const LOUDNESS = measureOf('loudness');
const ICONS = { silent: Play, waiting: Hourglass, speaking: Square };
const LANGUAGES = 3;

/** A voice: a press anywhere on it plays it, or stops it. */
export const VoiceTile = memo(function VoiceTile(props: VoiceTileProps) {
  const { choice, phase, waitMs, isFavourite, isInUse, isOwn, vendor, isStop, onFocus, onKeyDown, onPress } =
    props;
  const { voice, hue, name, key } = choice;
  const loudness = useListening(({ voices }) => voices.get(voiceKey(choice.endpoint, key)));
  const Icon = ICONS[phase];
  const isLive = phase !== 'silent';
  const traits = voice ? traitsOf(voice) : 'described in words';
  return (
    <li
      data-voice={hue}
      className={cx(
        'relative flex min-h-36 flex-col gap-2.5 rounded-panel border p-3.5 transition-colors duration-100 has-[[data-tile]:focus-visible]:outline-2 has-[[data-tile]:focus-visible]:outline-offset-2 has-[[data-tile]:focus-visible]:outline-text',
        isLive ? 'border-voice bg-voice-tint' : 'border-border bg-surface hover:border-border-strong',
      )}
    >
      <div className="flex items-center gap-2.5">
        <VoiceMark hue={hue} name={name} isDescribed={voice === null} />
        <span className="min-w-0 flex-1">
          <button
            type="button"
            data-tile
            tabIndex={isStop ? 0 : -1}
            aria-label={`${isLive ? 'Stop' : 'Play'} ${name}, ${traits}`}
            onFocus={onFocus}
            onKeyDown={onKeyDown}
            onClick={onPress}
            className={cx(
              'max-w-full cursor-default text-left text-14 font-semibold outline-none after:absolute after:inset-0 after:rounded-panel',
              voice ? 'block truncate' : 'line-clamp-3',
            )}
          >
            {name}
          </button>
          {voice && <span className="block truncate text-12 text-text-subtle">{traits}</span>}
        </span>
        <span
          aria-hidden
          className={cx(
            'grid size-9 shrink-0 place-items-center rounded-full border',
            isLive ? 'border-voice text-voice' : 'border-border-strong text-text-muted',
          )}
        >
          <Icon className={cx('size-3.5', phase !== 'waiting' && 'fill-current')} />
        </span>
      </div>
      {voice && (
        <p dir="auto" className="line-clamp-2 text-12 text-text-muted">
          {voice.description}
        </p>
      )}
      <div className="mt-auto flex min-h-8 items-center gap-2 text-12 text-text-subtle">
        {voice && <code className="text-12">{String(voice.id)}</code>}
        {isInUse && (
          <span className="inline-flex items-center gap-1 text-text-muted">
            <Check aria-hidden className="size-3.5" />
            in use
          </span>
        )}
        <span className="ml-auto flex flex-col items-end font-mono leading-4 text-text">
          {waitMs !== null && (
            <span title="first text to first audible">{milliseconds(Math.round(waitMs))}</span>
          )}
          {loudness !== undefined && (
            <span title={LOUDNESS.definition}>{measureText(LOUDNESS, loudness)}</span>
          )}
        </span>
        {isOwn && (
          <IconButton
            label={`Remove ${name}`}
            icon={Trash2}
            size="small"
            tabIndex={isStop ? 0 : -1}
            onClick={() => removeDescription(vendor, key)}
            className="relative z-1"
          />
        )}
        <IconButton
          label={isFavourite ? `Remove ${name} from the favourites` : `Keep ${name} as a favourite`}
          icon={Star}
          size="small"
          aria-pressed={isFavourite}
          tabIndex={isStop ? 0 : -1}
          onClick={() => toggleFavourite(vendor, key)}
          className={cx('relative z-1 -mr-1.5', isFavourite && '[&>svg]:fill-current')}
        />
      </div>
    </li>
  );
});

function traitsOf({ sex, languages }: NonNullable<VoiceOption['voice']>): string {
  const named = languages.slice(0, LANGUAGES).map((code) => languageName(code) ?? code);
  const more = languages.length > LANGUAGES ? [`+${languages.length - LANGUAGES}`] : [];
  return [sex, [...named, ...more].join(', ')].filter((part) => part !== null && part !== '').join(' · ');
}
