import { CircleQuestionMark, Ellipsis, Headphones, Presentation } from 'lucide-react';
import { seconds } from '#lib/format.ts';
import { useSession } from '../../session-client/provider.tsx';
import { ShareButton } from '../../share/share-button.tsx';
import { useListening } from '../../stores/listening-store.ts';
import { useMode } from '../../stores/mode-store.ts';
import { type Theme, useSettings } from '../../stores/settings-store.ts';
import { openDialog, setDemo } from '../../stores/view-store.ts';
import { LevelMeter } from '../../studio/level/level-meter.tsx';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { Popover } from '../../ui/popups/popover.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import { totalCost } from '../../wording/total-cost.ts';
import { ListeningControls } from './listening-button.tsx';
import { VolumeSlider } from './volume.tsx';

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function MorePopover() {
  const theme = useSettings((state) => state.theme);
  const mode = useMode((state) => state.mode);
  const as = useListening((state) => state.as);
  const totals = useSession((state) => state.totals);
  return (
    <Popover
      trigger={
        <IconButton
          label="Sound, theme and demo mode"
          icon={as === 'plain' ? Ellipsis : Headphones}
          tooltipSide="bottom"
        />
      }
      label="Sound, theme and demo mode"
      className="flex w-72 flex-col gap-3"
    >
      <div className="flex items-center gap-3">
        <span className="w-14 text-13 font-medium">Volume</span>
        <VolumeSlider className="flex-1" />
        <LevelMeter />
      </div>
      <div className="flex items-center gap-3">
        <span className="w-14 text-13 font-medium">Theme</span>
        <Segmented
          label="Theme"
          size="small"
          fill
          className="flex-1"
          options={THEMES}
          value={theme}
          onChange={(next) => useSettings.setState({ theme: next })}
        />
      </div>
      <div className="flex items-center gap-3">
        <span className="w-14 text-13 font-medium">Link</span>
        <ShareButton />
      </div>
      <div className="flex flex-col gap-3 border-t border-border pt-3">
        <ListeningControls />
      </div>
      {mode === 'studio' && (
        <Button icon={Presentation} onClick={() => setDemo(true)}>
          Demo mode
        </Button>
      )}
      <Button icon={CircleQuestionMark} onClick={() => openDialog('keys')}>
        Keys and tour
      </Button>
      {totals.turns > 0 && (
        <p className="font-mono text-12 text-text-muted">
          {seconds(totals.audioSeconds)} audio, cost {totalCost(totals)}
        </p>
      )}
    </Popover>
  );
}
