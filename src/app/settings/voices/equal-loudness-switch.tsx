import { useListening } from '../../stores/listening-store.ts';
import { Switch } from '../../ui/switch.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';

/** Whether voices are heard equally loud, for the whole page. */
export function EqualLoudnessSwitch() {
  const isEqual = useListening((state) => state.isEqual);
  return (
    <Tooltip content="Turns voices down to the quietest that has spoken, from their next turn on. Recordings and measures do not change.">
      <span className="inline-flex">
        <Switch checked={isEqual} onChange={(next) => useListening.setState({ isEqual: next })}>
          Equal loudness
        </Switch>
      </span>
    </Tooltip>
  );
}
