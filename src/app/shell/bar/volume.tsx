import { Volume1, Volume2, VolumeX } from 'lucide-react';
import { useSettings } from '../../stores/settings-store.ts';
import { LevelMeter } from '../../studio/level/level-meter.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Slider } from '../../ui/slider.tsx';

export function Volume({ slider = true, meter = true }: { slider?: boolean; meter?: boolean }) {
  const volume = useSettings((state) => state.volume);
  const muted = useSettings((state) => state.muted);
  const silent = muted || volume === 0;
  return (
    <span className="inline-flex items-center gap-1.5">
      <IconButton
        label={muted ? 'Unmute' : 'Mute'}
        icon={silent ? VolumeX : volume < 0.5 ? Volume1 : Volume2}
        aria-pressed={muted}
        tooltipSide="bottom"
        onClick={() => useSettings.setState({ muted: !muted })}
      />
      {slider && (
        <>
          <VolumeSlider className="w-14 max-[960px]:mr-2" />
          {meter && (
            <span className="contents max-roomy:hidden">
              <LevelMeter />
            </span>
          )}
        </>
      )}
    </span>
  );
}

/** The volume alone. Moving it ends muting. */
export function VolumeSlider({ className }: { className?: string }) {
  const volume = useSettings((state) => state.volume);
  return (
    <Slider
      label="Volume"
      className={className}
      value={Math.round(volume * 100)}
      min={0}
      max={100}
      step={1}
      valueText={(value) => `${value} %`}
      onChange={(value) => useSettings.setState({ volume: value / 100, muted: false })}
    />
  );
}
