import { useVirtualizer } from '@tanstack/react-virtual';
import { Check } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { VoiceInfo } from '#protocol/core/catalogue.ts';
import { cx } from '../../ui/cx.ts';
import { voiceHue } from '../../ui/voice-hue.ts';
import { SampleButton, sampleWords, useSampleState } from './sample-button.tsx';
import type { SamplePlayer } from './sample-player.ts';
import { VoiceMark } from './voice-mark.tsx';
import { voiceTraits } from './voice-search.ts';

const ROW_PX = 56;
/** Rows beyond the view that are kept, so that fast scrolling shows no holes. */
const OVERSCAN = 6;

export const optionId = (listId: string, index: number): string => `${listId}-${index}`;

export interface VoiceListProps {
  id: string;
  voices: readonly VoiceInfo[];
  active: number;
  current: string | null;
  player: SamplePlayer;
  onActivate: (index: number) => void;
  onChoose: (id: string) => void;
}

/** Lists voices. Only rows in view are rendered, because there may be thousands. */
export function VoiceList({ id, voices, active, current, player, onActivate, onChoose }: VoiceListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const sample = useSampleState(player);
  const rows = useVirtualizer({
    count: voices.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  });
  useEffect(() => {
    if (active >= 0) rows.scrollToIndex(active, { align: 'auto' });
  }, [active, rows]);

  const inView = rows.getVirtualItems().flatMap(({ index, start }) => {
    const voice = voices[index];
    return voice ? [{ index, voice, place: { height: ROW_PX, transform: `translateY(${start}px)` } }] : [];
  });

  return (
    <div
      ref={scroller}
      className={cx('overflow-y-auto overscroll-contain', voices.length > 0 && 'h-[min(400px,52dvh)]')}
    >
      <div className="relative" style={{ height: rows.getTotalSize() }}>
        <div id={id} role="listbox" aria-label="Voices" tabIndex={-1}>
          {inView.map(({ index, voice, place }) => (
            <div
              key={voice.id}
              id={optionId(id, index)}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              aria-setsize={voices.length}
              aria-posinset={index + 1}
              onClick={() => onChoose(voice.id)}
              onKeyDown={(event) => event.key === 'Enter' && onChoose(voice.id)}
              onPointerMove={() => index !== active && onActivate(index)}
              style={place}
              className={cx(
                'absolute inset-x-0 top-0 flex cursor-default items-center gap-3 pr-16 pl-5',
                index === active && 'bg-selected',
              )}
            >
              <VoiceMark hue={voiceHue(voice.id)} name={voice.name} />
              <span className="min-w-0 flex-1">
                <span className="flex items-baseline gap-1.5">
                  <span className="max-w-[65%] shrink-0 truncate text-13 font-medium">{voice.name}</span>
                  <code className="shrink-0 text-12 text-text-subtle">{voice.id}</code>
                  <span className="truncate text-12 text-text-muted">{voiceTraits(voice)}</span>
                </span>
                <span className="block truncate text-12 text-text-subtle">
                  {sampleWords(sample, voice.sampleUrl) ?? voice.description}
                </span>
              </span>
              {voice.id === current && (
                <Check aria-label="in use" className="size-4 shrink-0 text-text-muted" />
              )}
            </div>
          ))}
        </div>
        {/* Beside the options, because an option may hold no button. */}
        {inView.map(({ index, voice, place }) =>
          voice.sampleUrl === null ? null : (
            <div
              key={voice.id}
              style={place}
              className="absolute top-0 right-4 flex items-center touch:right-2"
            >
              <SampleButton
                player={player}
                url={voice.sampleUrl}
                name={voice.name}
                size="small"
                tabIndex={index === active ? 0 : -1}
                // The focus stays in the search, so that the arrow keys go on working.
                onMouseDown={(event) => event.preventDefault()}
              />
            </div>
          ),
        )}
      </div>
    </div>
  );
}
