import {
  Ellipsis,
  Flag,
  ListPlus,
  MessageCircleQuestion,
  Play,
  Square,
  SquareCheck,
  Unplug,
} from 'lucide-react';
import { speakKeys } from '../../browser/shortcuts.ts';
import { useSessionClient } from '../../session-client/provider.tsx';
import { selectSpeakName, useSettings } from '../../stores/settings-store.ts';
import { usePointedAt } from '../../stores/tour-store.ts';
import { askToAdd } from '../../stores/view-store.ts';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { Menu } from '../../ui/popups/menu.tsx';
import { MicrophoneButton } from '../microphone/microphone-button.tsx';
import { flush, speak, takeSpoken } from './intents.ts';
import { useControls } from './use-controls.ts';

/** Two buttons that keep their places. The one that is likely to be pressed next is filled. */
export function SpeakAndCancel({ className, keys = speakKeys() }: { className?: string; keys?: string }) {
  const client = useSessionClient();
  const reasons = useControls(({ speak, cancel }) => ({ speak, cancel }));
  const busy = reasons.cancel === null;
  const asks = useSettings((state) => state.source === 'live');
  const name = useSettings(selectSpeakName);
  const speakPointed = usePointedAt('speak');
  const cancelPointed = usePointedAt('cancel');
  return (
    <>
      <Button
        icon={asks ? MessageCircleQuestion : Play}
        variant={busy ? 'outline' : 'filled'}
        keys={keys}
        onClick={() => speak(client)}
        disabledReason={reasons.speak}
        className={cx(className, speakPointed)}
      >
        {name}
      </Button>
      <Button
        icon={Square}
        variant={busy ? 'filled' : 'outline'}
        keys="Esc"
        onClick={() => client.cancel()}
        disabledReason={reasons.cancel}
        className={cx(className, busy && cancelPointed)}
      >
        Cancel
      </Button>
    </>
  );
}

const NARROW = 'max-wide:flex-1 @max-[400px]:[&>svg]:hidden';

/** Each control renders for its own state only: rendering all of them after a press would delay the first words. */
export function Controls() {
  const client = useSessionClient();
  return (
    <div className="flex items-center gap-2 max-wide:w-full">
      <MicrophoneButton onSpoken={(text) => takeSpoken(client, text)} />
      <Flush />
      <SpeakAndCancel className={NARROW} />
      <MoreControls />
    </div>
  );
}

function Flush() {
  const client = useSessionClient();
  const reason = useControls((controls) => controls.flush);
  return (
    <Button icon={Flag} onClick={() => flush(client)} disabledReason={reason} className={NARROW}>
      Flush
    </Button>
  );
}

function MoreControls() {
  const client = useSessionClient();
  const reasons = useControls(({ endTurn, disconnect }) => ({ endTurn, disconnect }));
  return (
    <Menu
      side="top"
      trigger={<IconButton label="More controls" icon={Ellipsis} />}
      items={[
        {
          id: 'add-to-demo',
          label: 'Add to demo',
          hint: 'Puts text, voice and settings into your playlist for the presenter.',
          icon: ListPlus,
          onSelect: () => askToAdd.call(),
        },
        {
          id: 'end-turn',
          label: 'End turn',
          hint:
            reasons.endTurn ??
            'Speaks what is buffered and ends the session of the turn; the connection stays.',
          icon: SquareCheck,
          disabled: reasons.endTurn !== null,
          onSelect: () => client.send({ type: 'endTurn' }),
        },
        {
          id: 'disconnect',
          label: 'Disconnect',
          hint: reasons.disconnect ?? 'Waits for the server to finish, then closes the connection.',
          icon: Unplug,
          disabled: reasons.disconnect !== null,
          onSelect: () => client.send({ type: 'disconnect' }),
        },
      ]}
    />
  );
}
