import { Mic } from 'lucide-react';
import { useMicrophone } from '../../stores/microphone-store.ts';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { later } from '../../ui/later.tsx';
import { Popover } from '../../ui/popups/popover.tsx';
import type { MicrophonePanelProps } from './microphone-panel.tsx';

const MicrophonePanel = later('The microphone', () =>
  import('./microphone-panel.tsx').then((module) => module.MicrophonePanel),
);

export function MicrophoneButton(props: MicrophonePanelProps) {
  const isOn = useMicrophone(({ state }) => state !== 'off');
  return (
    <Popover
      align="end"
      label="Microphone"
      trigger={
        <IconButton
          label={isOn ? 'Microphone, on' : 'Microphone'}
          icon={Mic}
          tooltip={false}
          className={cx(isOn && 'bg-selected [&>svg]:text-live')}
        />
      }
      className="flex max-h-(--available-height) w-88 flex-col gap-3 overflow-y-auto *:shrink-0"
    >
      <MicrophonePanel {...props} />
    </Popover>
  );
}
