import { Headphones } from 'lucide-react';
import { LISTENERS, useListening } from '../../stores/listening-store.ts';
import { Button } from '../../ui/button.tsx';
import { later } from '../../ui/later.tsx';
import { Popover } from '../../ui/popups/popover.tsx';

export const ListeningControls = later({ name: 'The ways of listening', when: 'shown' }, () =>
  import('./listening-panel.tsx').then((module) => module.ListeningPanel),
);

/** Opens the ways of listening, and names the chosen one, so that nobody judges a voice by a filter. */
export function ListeningButton() {
  const as = useListening((state) => state.as);
  const name = LISTENERS.find(({ value }) => value === as)?.label;
  return (
    <Popover
      label="Listen as"
      trigger={
        <Button
          variant={as === 'plain' ? 'ghost' : 'outline'}
          icon={Headphones}
          aria-label={`Listen as: ${name}`}
          className="max-roomy:w-8 max-roomy:px-0"
        >
          {as !== 'plain' && <span className="max-roomy:sr-only">{name}</span>}
        </Button>
      }
      className="flex w-80 flex-col gap-3"
    >
      <ListeningControls />
    </Popover>
  );
}
