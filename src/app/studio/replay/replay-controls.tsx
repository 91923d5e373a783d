import { Pause, Play, SkipBack } from 'lucide-react';
import { useState } from 'react';
import { seconds } from '#lib/format.ts';
import { MAX_SPEED, MIN_SPEED, type ReplayView } from '#session/replay/replay-view.ts';
import { positionNow, type ReplayClient } from '../../session-client/replay-client.ts';
import { useNow } from '../../ui/elapsed.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Select } from '../../ui/select.tsx';
import { Slider } from '../../ui/slider.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';
import { DEFINITIONS } from '../../wording/definitions.ts';
import { ImpairmentsPopover } from './impairments-popover.tsx';

const SPEEDS: readonly { value: number; label: string }[] = [
  { value: MIN_SPEED, label: '¼×' },
  { value: 0.5, label: '½×' },
  { value: 1, label: '1×' },
  { value: 2, label: '2×' },
  { value: 4, label: '4×' },
  { value: MAX_SPEED, label: '8×' },
];

/** Finer steps of the slider are not visible. */
const STEPS = 1000;
const TICK_MS = 100;

/** Moves a replay of a recording. */
export function ReplayControls({ client, replay }: { client: ReplayClient; replay: ReplayView }) {
  const { recording, state, isPaused, speed, impairments } = replay;
  const [heldMs, setHeldMs] = useState<number | null>(null);
  useNow(TICK_MS, state === 'playing' && !isPaused);
  const positionMs = heldMs ?? positionNow(replay);
  const lengthMs = recording.durationUs / 1000;
  const isStill = isPaused || state === 'ended' || state === 'failed';
  const control = client.control.bind(client);
  return (
    <div className="flex flex-1 items-center gap-1 whitespace-nowrap max-wide:order-last max-wide:basis-full">
      <IconButton
        size="small"
        icon={isStill ? Play : Pause}
        label={isStill ? playLabel(replay) : 'Pause'}
        onClick={() => control({ do: isStill ? 'play' : 'pause' })}
      />
      <IconButton
        size="small"
        icon={SkipBack}
        label="From the beginning"
        onClick={() => control({ do: 'seek', toMs: 0 })}
      />
      <Slider
        label="Position in the recording"
        className="mx-2 min-w-8"
        min={0}
        max={lengthMs}
        step={Math.max(1, lengthMs / STEPS)}
        value={Math.min(positionMs, lengthMs)}
        onChange={setHeldMs}
        onCommit={(toMs) => {
          setHeldMs(null);
          control({ do: 'seek', toMs });
        }}
        valueText={(ms) => `${seconds(ms / 1000)} of ${seconds(lengthMs / 1000)}`}
      />
      <span className="shrink-0 font-mono text-12 text-text-muted tabular-nums">
        {seconds(positionMs / 1000)}
        <span className="text-text-subtle max-[480px]:sr-only"> / {seconds(lengthMs / 1000)}</span>
      </span>
      <Tooltip content={DEFINITIONS.replaySpeed}>
        <span>
          <Select
            label="Speed"
            size="small"
            quiet
            value={speed}
            onChange={(next) => control({ do: 'speed', speed: next })}
            options={SPEEDS}
          />
        </span>
      </Tooltip>
      <ImpairmentsPopover
        impairments={impairments}
        onChange={(next) => control({ do: 'impair', impairments: next })}
      />
    </div>
  );
}

function playLabel({ state, isPaused }: ReplayView): string {
  if (state === 'failed') return 'Try again';
  return state === 'ended' && !isPaused ? 'Play again' : 'Play';
}
