import { useEqualLoudness } from '../../session-client/equal-loudness.ts';
import { Switch } from '../../ui/switch.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';

/** Whether voices are heard equally loud, for the whole page. */
export function EqualLoudnessSwitch() {
  const isOn = useEqualLoudness((state) => state.isOn);
  return (
    <Tooltip content="Turns voices down to the quietest that has spoken here. A voice is measured when it first speaks. Recordings and measures do not change.">
      <span className="inline-flex">
        <Switch checked={isOn} onChange={(next) => useEqualLoudness.setState({ isOn: next })}>
          Equal loudness
        </Switch>
      </span>
    </Tooltip>
  );
}
